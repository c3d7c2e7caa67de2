import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from '../base/index.js';
import type { Exclusion, ListedTool } from '../catalog/index.js';
import { readParamHeaders } from '../protocol/index.js';
import { stripHeaderKeywords } from './header-keywords.js';
import { readDefinition } from './tool-definition.js';

type Json = Record<string, unknown>;

interface Read {
  readonly tool: ListedTool | undefined;
  readonly exclusion: Exclusion | undefined;
  readonly warnings: readonly string[];
}

function read(text: string, hasHeaders = false): Read {
  const warnings: string[] = [];
  const result = readDefinition(encodeText(text), {
    upstream: 'up',
    uncompilableOutput: 'exclude',
    era: 'modern',
    hasHeaders,
    position: 1,
    warn: ({ warning }) => void warnings.push(warning),
  });
  const isTool = result.kind === 'tool';
  return { tool: isTool ? result.tool : undefined, exclusion: isTool ? undefined : result.exclusion, warnings };
}

describe('parameters that are repeated in headers', () => {
  const b22 =
    '{"type":"object","properties":{"owner":{"type":"string","x-mcp-header":"owner"},"n":{"type":"integer","x-mcp-header":"N"},"dry":{"type":"boolean","x-mcp-header":"Dry"},"greet":{"type":"string","x-mcp-header":"Greet"}}}';

  test.each([true, false])('are read from the inputSchema, which stays as it is (case b22): %s', (hasHeaders) => {
    const { tool, warnings } = read(`{"name":"issue_write","inputSchema":${b22}}`, hasHeaders);
    expect(tool?.paramHeaders.map(({ header }) => header)).toEqual([
      'Mcp-Param-owner',
      'Mcp-Param-N',
      'Mcp-Param-Dry',
      'Mcp-Param-Greet',
    ]);
    expect(tool?.definition).toContain(b22);
    expect(warnings).toEqual([]);
  });

  const bad =
    '{"type":"object","properties":{"a":{"x-mcp-header":"","type":"string"},"ok":{"type":"string","x-mcp-header":"Ok"},"l":{"type":"array","prefixItems":[{},{"type":"string","x-mcp-header":"L"}]},"x-mcp-header":{"type":"string"}}}';

  test('a bad one costs the tool where they are sent', () => {
    const { exclusion } = read(`{"name":"a","inputSchema":${bad}}`, true);
    expect(exclusion).toMatchObject({
      tool: 'a',
      code: 'SCHEMA_INVALID',
      which: 'inputSchema',
      schemaPath: '/properties/a',
      reason: expect.stringContaining('x-mcp-header'),
    });
  });

  test('elsewhere it is left out, with one warning, and nothing else changes', () => {
    const { tool, warnings } = read(`{"name":"a", "inputSchema" : ${bad}}`);
    expect(tool?.definition).toBe(
      '{"name":"a", "inputSchema" : {"type":"object","properties":{"a":{"type":"string"},"ok":{"type":"string","x-mcp-header":"Ok"},"l":{"type":"array","prefixItems":[{},{"type":"string"}]},"x-mcp-header":{"type":"string"}}}}',
    );
    expect(tool?.paramHeaders).toEqual([{ header: 'Mcp-Param-Ok', path: ['ok'] }]);
    expect(warnings).toEqual(['header-annotation']);
  });

  test('a schema that cannot be compiled is told of first', () => {
    const text =
      '{"name":"a","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""},"b":5}}}';
    for (const hasHeaders of [true, false]) {
      expect(read(text, hasHeaders).exclusion?.schemaPath).toBe('/properties/b');
    }
  });

  test('whatever is annotated, what is left has no flaw, and says the same otherwise', () => {
    const annotation = fc.constantFrom('A', 'a', 'B', '', 'C D', 5, null, { type: 'string' });
    const schemaOf = (depth: number): fc.Arbitrary<object> => {
      const inner = depth === 0 ? fc.constant({}) : schemaOf(depth - 1);
      const names = fc.constantFrom('p', 'q/r', 'x-mcp-header', 's~t');
      return fc.record(
        {
          'x-mcp-header': annotation,
          type: fc.constantFrom('string', 'integer', 'object'),
          properties: fc.dictionary(names, inner, { maxKeys: 3 }),
          items: inner,
          anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
          $defs: fc.dictionary(names, inner, { maxKeys: 2 }),
          default: fc.constant({ 'x-mcp-header': '' }),
        },
        { requiredKeys: [] },
      );
    };
    fc.assert(
      fc.property(schemaOf(2), (any) => {
        const inputSchema = { ...any, type: 'object' };
        const { headers, flaws } = readParamHeaders(inputSchema);
        const stripped = stripHeaderKeywords(encodeText(JSON.stringify({ name: 'a', inputSchema })), flaws);
        const left = (JSON.parse(decodeText(stripped)) as { inputSchema: unknown }).inputSchema;
        expect(readParamHeaders(left)).toEqual({ headers, flaws: [] });
        const wanted = structuredClone(inputSchema);
        for (const { schemaPath } of flaws) {
          let at: Json = wanted as Json;
          for (const name of schemaPath.split('/').slice(1)) {
            at = at[name.replaceAll('~1', '/').replaceAll('~0', '~')] as Json;
          }
          delete at['x-mcp-header'];
        }
        expect(left).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });
});
