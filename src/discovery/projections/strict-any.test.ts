import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import fc from 'fast-check';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, test } from 'vitest';
import { anyToolSchema, valueBy } from '../../../test/fixtures/any-tool-schema.js';
import { compileSchema, type Judge } from '../../schema/index.js';
import { toolsDocument } from '../agent-tools.js';
import { toToolArguments } from '../to-tool-arguments.js';
import { projectTools } from './project.js';
import { TARGETS, type Target } from './types.js';

type Schema = Record<string, unknown>;

function judgeOf(schema: unknown): Judge {
  const compilation = compileSchema(schema);
  fc.pre(compilation.ok);
  return (compilation as Extract<typeof compilation, { ok: true }>).judge;
}

function project(inputSchema: Schema, target: Target) {
  const tool = { name: 'tool', inputSchema };
  const [projected] = projectTools([tool], target);
  const surface = { server: { name: 'a/b', description: 'd', version: '1' }, tools: [tool], capabilities: {} };
  const document = toolsDocument({ ...surface, supportedVersions: [], path: '/mcp' }, target);
  const carriedOut = (args: Schema): unknown =>
    toToolArguments(document, { name: projected!.as, arguments: args }).arguments;
  return { strict: projected!.strict, carriedOut };
}

/** Values by a schema; the same each time a failure is shrunk. */
const choices = fc.array(fc.nat({ max: 59 }), { minLength: 40, maxLength: 40 });
function chooser(numbers: readonly number[]): (count: number) => number {
  let at = 0;
  return (count) => numbers[at++ % numbers.length]! % count;
}

const RUNS = { numRuns: 400 };

describe.each(TARGETS)('%s', (target) => {
  test('what fits the strict schema is taken by the tool, unless it was said that it may not be', () => {
    let held = 0;
    fc.assert(
      fc.property(anyToolSchema, fc.array(choices, { minLength: 4, maxLength: 4 }), (schema, seeds) => {
        const judge = judgeOf(schema);
        const { strict, carriedOut } = project(schema, target);
        if (strict.fidelity.kind === 'unsupported') return;
        if (strict.fidelity.kind === 'lossy' && strict.fidelity.losses.some(({ effect }) => effect === 'wider')) return;
        const strictJudge = judgeOf(strict.schema);
        for (const seed of seeds) {
          const value = valueBy(strict.schema, strict.schema, chooser(seed)) as Schema;
          if (!strictJudge.checkValue(value).valid) continue;
          held++;
          expect(judge.checkValue(carriedOut(value))).toEqual({ valid: true });
        }
      }),
      RUNS,
    );
    expect(held).toBeGreaterThan(100);
  });

  test('a lossless one can say whatever the tool takes', () => {
    let held = 0;
    fc.assert(
      fc.property(anyToolSchema, fc.array(choices, { minLength: 4, maxLength: 4 }), (schema, seeds) => {
        // A branch is judged by itself below, where these would lead elsewhere.
        fc.pre(!/"#"|"#\/properties/.test(JSON.stringify(schema)));
        const judge = judgeOf(schema);
        const { strict, carriedOut } = project(schema, target);
        if (strict.fidelity.kind !== 'lossless') return;
        const strictJudge = judgeOf(strict.schema);
        for (const seed of seeds) {
          const value = valueBy(schema, schema, chooser(seed)) as Schema;
          if (!judge.checkValue(value).valid) continue;
          held++;
          const said = target === 'openai' ? withNulls(value, schema, schema) : value;
          expect(strictJudge.checkValue(said)).toEqual({ valid: true });
          if (target === 'openai') expect(judge.checkValue(carriedOut(said as Schema))).toEqual({ valid: true });
        }
      }),
      { numRuns: 1_500 },
    );
    expect(held).toBeGreaterThan(20);
  });
});

/** As a model has to write it: members that are left out are null. Of branches, the first that fits is taken. */
function withNulls(value: unknown, schema: unknown, root: Schema): unknown {
  if (typeof schema !== 'object' || schema === null) return value;
  const node = schema as Schema;
  if (typeof node.$ref === 'string') return withNulls(value, at(root, node.$ref), root);
  const branches = [node.anyOf, node.oneOf, node.allOf].find(Array.isArray) as unknown[] | undefined;
  if (branches !== undefined) {
    const fitting = branches.find((branch) => {
      const compilation = compileSchema({ ...(branch as Schema), $defs: root.$defs });
      return compilation.ok && compilation.judge.checkValue(value).valid;
    });
    return withNulls(value, fitting, root);
  }
  if (Array.isArray(value)) return value.map((item) => withNulls(item, node.items, root));
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Schema;
  const properties = (node.properties ?? {}) as Schema;
  const said = Object.keys(properties).filter((name) => properties[name] !== false);
  return Object.fromEntries(
    [...new Set([...said, ...Object.keys(members)])].map((name) => [
      name,
      Object.hasOwn(members, name) ? withNulls(members[name], properties[name], root) : null,
    ]),
  );
}

function at(root: Schema, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((node, step) => (node as Schema | undefined)?.[step], root);
}

test.each([
  { vendor: 'openai', target: 'openai', convert: toStrictJsonSchema },
  { vendor: 'Anthropic', target: 'anthropic', convert: transformJSONSchema },
] as const)('the SDK of $vendor finds nothing to change in a strict schema', ({ target, convert }) => {
  fc.assert(
    fc.property(anyToolSchema, (schema) => {
      const { strict } = project(schema, target);
      if (strict.fidelity.kind === 'unsupported') return;
      expect((convert as (schema: unknown) => unknown)(strict.schema)).toEqual(strict.schema);
    }),
    RUNS,
  );
});
