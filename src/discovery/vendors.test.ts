import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTestData } from '../../conformance/schema/data.js';
import { readRealTools } from '../../test/fixtures/real-tools.js';
import { SURFACE } from '../../test/fixtures/surface.js';
import { STRICT_CONVERTERS, startVendorSdks, type VendorSdks } from '../../test/fixtures/vendor-sdks.js';
import { toolsArray } from './agent-tools.js';
import { FORMS, projectTools, type Variant } from './projections/index.js';
import type { PublicTool } from './types.js';

// The vendors' own SDKs take the arrays as they are: by their types, by their converters, and by what they would send.

let sdks: VendorSdks;
beforeAll(async () => {
  sdks = await startVendorSdks();
});
afterAll(() => sdks.stop());

interface Asked {
  readonly form: (typeof FORMS)[number];
  readonly variant: Variant;
  readonly tools: readonly PublicTool[];
}

/** As a program has them that fetched the document. */
function fetched({ form, variant, tools }: Asked): readonly unknown[] {
  return JSON.parse(JSON.stringify(toolsArray({ ...SURFACE, tools }, form, variant))) as readonly unknown[];
}

describe.each(FORMS)('%s', (form) => {
  test.each(['loose', 'strict'] as const)('its SDK sends the %s array as it is', async (variant) => {
    const array = fetched({ form, variant, tools: SURFACE.tools });
    expect(await sdks.send(form, array)).toEqual(array);
  });
});

describe('the tools of real servers', () => {
  const data = findTestData();
  const tools = data.kind === 'found' ? readRealTools(data.realTools) : [];
  const reason = data.kind === 'absent' ? data.reason : '';

  test.each(FORMS)('%s: its SDK sends all of them as they are, strict and loose', async (form) => {
    for (const variant of ['loose', 'strict'] as const) {
      const array = fetched({ form, variant, tools });
      expect(await sdks.send(form, array)).toEqual(array);
    }
  });

  test.for(['openai', 'anthropic'] as const)(
    '%s: its converter finds nothing to change in a strict schema',
    (target, { skip }) => {
      if (tools.length === 0) skip(reason);
      const strict = projectTools(tools, target).filter((tool) => tool.strict.fidelity.kind !== 'unsupported');
      expect(strict.length).toBeGreaterThan(tools.length * 0.95);
      for (const { name, strict: parameters } of strict) {
        expect([name, STRICT_CONVERTERS[target](parameters.schema)]).toEqual([name, parameters.schema]);
      }
    },
  );
});
