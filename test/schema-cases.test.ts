/**
 * Cases of area a, b16, b17 and d06 to d08 and d12 by the judge's own room, as plain functions: what it makes of each
 * schema and value, without an upstream, a door or the wire. test/cases runs the same through the door.
 */
import { createServer } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { applyDefaults, type Compilation, checkFlatForm, compileSchema, type Judge } from '../src/schema/index.js';
import { CASES, type Case, getCase, titleOf } from './cases/cases.js';
import { EXCLUSION_CODES } from './cases/words.js';

interface Instance {
  readonly json: string;
  readonly verdict: 'valid' | 'invalid';
  readonly error_path?: string;
}

interface SchemaCase extends Case {
  readonly input: { readonly schema?: object; readonly schema_json?: string; readonly instances: readonly Instance[] };
  readonly expect: { readonly compile: string; readonly event?: string };
}

interface ToolsCase extends Case {
  readonly input: {
    readonly rounds?: number;
    readonly tools: readonly {
      readonly name: string;
      readonly inputSchema?: unknown;
      readonly outputSchema?: unknown;
    }[];
    readonly calls?: readonly {
      readonly tool: string;
      readonly arguments_json: string;
      readonly verdict: string;
      readonly error_path?: string;
    }[];
  };
  readonly expect: {
    readonly listed?: readonly string[];
    readonly excluded?: readonly { readonly name: string; readonly reason: string; readonly schema_path?: string }[];
  };
}

/** Cases of area a that are about something else than a schema and a value; test/cases runs them where they belong. */
const NOT_OF_THIS_ROOM: Readonly<Record<string, string>> = {
  a31: 'an error result is not judged: the client decides that',
  a33: 'an absent structuredContent is not judged: the client decides that',
};

/** The words of a case, and the code or answer that stands for them here. */
const COMPILES: Readonly<Record<string, string>> = { ok: 'ok', ...EXCLUSION_CODES };

const schemaCases = CASES.filter(({ kind }) => kind === 'schema') as unknown as readonly SchemaCase[];
const toolsCases = CASES.filter(
  ({ kind, id }) => kind === 'tools' && id.startsWith('a'),
) as unknown as readonly ToolsCase[];
const PERF = ['a28', 'a29', 'a41'];

test('every case of area a runs here, or says why not', () => {
  const run = [...schemaCases, ...toolsCases].map(({ id }) => id);
  const all = CASES.filter(({ id }) => id.startsWith('a')).map(({ id }) => id);
  expect(all.filter((id) => ![...run, ...PERF, ...Object.keys(NOT_OF_THIS_ROOM)].includes(id))).toEqual([]);
  expect([...run, ...PERF]).toEqual(expect.arrayContaining(['b16', 'b17']));
});

function answerOf(compilation: Compilation): string {
  return compilation.ok ? 'ok' : compilation.error.code;
}

function getJudge(compilation: Compilation): Judge {
  if (!compilation.ok) throw compilation.error;
  return compilation.judge;
}

function expectVerdict(judge: Judge, { json, verdict, error_path }: Instance): void {
  const given = judge.check(json);
  const what = `${json} by ${judge.digest.slice(0, 8)}`;
  expect(given.valid ? 'valid' : 'invalid', what).toBe(verdict);
  if (given.valid) return;
  expect(given.gaveUp, what).toBeUndefined();
  if (error_path !== undefined)
    expect(
      given.issues.map(({ pointer }) => pointer),
      what,
    ).toContain(error_path);
}

describe('kind schema', () => {
  test.each(schemaCases)('$id: $title', (one) => {
    const compilation = compileSchema(one.input.schema_json ?? one.input.schema);
    expect(answerOf(compilation)).toBe(COMPILES[one.expect.compile]);
    if (compilation.ok) for (const instance of one.input.instances) expectVerdict(compilation.judge, instance);
  });

  test('a06: the dialect that nobody knows is named', () => {
    const compilation = compileSchema((getCase('a06') as SchemaCase).input.schema);
    if (compilation.ok) expect.fail('it compiled');
    expect(compilation.error.data).toMatchObject({
      dialect: 'https://schemas.example/private/v3#',
      schemaPath: '/$schema',
    });
    expect(compilation.error.message).toContain('https://schemas.example/private/v3#');
  });

  test('a25: a pattern that is not enforced is warned about, with its path', () => {
    const compilation = compileSchema((getCase('a25') as SchemaCase).input.schema);
    if (!compilation.ok) throw compilation.error;
    const paths = compilation.warnings.map(({ schemaPath }) => schemaPath);
    expect(paths).toContain('/properties/h/pattern');
    // \x{00a1} is legal without the u flag, though it means something else there.
    expect(paths.every((path) => path === '/properties/h/pattern' || path === '/properties/k/pattern')).toBe(true);
  });

  test.each(['a12', 'a26', 'a27', 'a36'])('%s: nothing is warned about or printed', (id) => {
    const writes = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
    const compilation = compileSchema({
      ...(getCase(id) as SchemaCase).input.schema,
      description: 'so that it is not known yet',
    });
    if (compilation.ok) compilation.judge.check('{"n":-1}');
    const written = writes.map((write) => write.mock.calls.length);
    for (const write of writes) write.mockRestore();
    expect(written).toEqual([0, 0]);
    expect(compilation).toMatchObject({ ok: true, warnings: [] });
  });

  test('b17: 1e400 is a number, and is not taken for infinity or null', () => {
    const number = getJudge(compileSchema({ type: 'number', minimum: 0 }));
    expect(number.check('1e400')).toEqual({ valid: true });
    expect(getJudge(compileSchema('{"const":1e400}')).check('1e401').valid).toBe(false);
    expect(getJudge(compileSchema({ enum: [null, 'Infinity'] })).check('1e400').valid).toBe(false);
  });
});

describe('kind tools: which schemas are refused, and what the others judge', () => {
  const compileBoth = ({ inputSchema, outputSchema }: ToolsCase['input']['tools'][number]) => ({
    input: compileSchema(inputSchema),
    output: outputSchema === undefined ? undefined : compileSchema(outputSchema),
  });

  test.each(toolsCases.filter(({ id }) => id !== 'a16' && id !== 'a30'))('$id: $title', (one) => {
    for (let round = 0; round < (one.input.rounds ?? 1); round++) {
      const compiled = new Map(one.input.tools.map((tool) => [tool.name, compileBoth(tool)]));
      for (const name of one.expect.listed ?? []) {
        const { input, output } = compiled.get(name)!;
        expect([answerOf(input), output && answerOf(output)], name).toEqual(['ok', output && 'ok']);
      }
      for (const { name, reason, schema_path } of one.expect.excluded ?? []) {
        const { input } = compiled.get(name)!;
        expect(answerOf(input), name).toBe(COMPILES[reason]);
        if (schema_path !== undefined && !input.ok) expect(input.error.data.schemaPath).toBe(schema_path);
      }
      for (const { tool, arguments_json: json, verdict, error_path } of one.input.calls ?? []) {
        const instance = {
          json,
          verdict: verdict as Instance['verdict'],
          ...(error_path !== undefined && { error_path }),
        };
        expectVerdict(getJudge(compiled.get(tool)!.input), instance);
      }
    }
  });

  test(titleOf('a16'), () => {
    const { tools } = (getCase('a16') as ToolsCase).input;
    const { input, output } = compileBoth(tools[0]!);
    expect(answerOf(input)).toBe('ok');
    if (!output || output.ok) expect.fail('the outputSchema compiled');
    expect(output.error.code).toBe('UNRESOLVED_REF');
    expect(output.error.message).toContain('#/$defs/ScreenInstance');
    expect(output.error.data.schemaPath).toBe('/properties/screen/$ref');
  });

  test(titleOf('a30'), async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await new Promise<number>((done) => {
      server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
    });
    try {
      // The case names port 9, where nobody may listen; somebody has to, or nothing would be counted.
      const schema = JSON.stringify((getCase('a30') as ToolsCase).input.tools[0]!.inputSchema);
      const compilation = compileSchema(schema.replace('127.0.0.1:9', `127.0.0.1:${port}`));
      expect(answerOf(compilation)).toBe(COMPILES.UnresolvedRef);
      await new Promise((done) => setTimeout(done, 50));
      expect(connections).toBe(0);
    } finally {
      server.close();
    }
  });
});

describe('kind perf: the answer; conformance/schema and bench/schema see to the price', () => {
  test(titleOf('a28'), () => {
    const { schema, arguments_json } = getCase('a28').input as { schema: object; arguments_json: string };
    expect(getJudge(compileSchema(schema)).check(arguments_json)).toMatchObject({ valid: false, truncated: false });
  });

  const exponential = () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } };
    for (let at = 1; at <= 40; at++)
      $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] };
    return { $defs, properties: { x: { $ref: '#/$defs/d40' } } };
  };
  test.each([
    { name: 'itself twice', make: () => getCase('a29').input.schema },
    { name: 'exponential', make: exponential },
    { name: 'deep', make: () => `${'{"properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}` },
    { name: 'deep, as a value', make: () => JSON.parse(`${'{"properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}`) },
    { name: 'wide', make: () => ({ enum: Array.from({ length: 200_000 }, (_, at) => `value ${at}`) }) },
  ])(`${titleOf('a29')}: $name`, ({ make }) => {
    expect(answerOf(compileSchema(make()))).toBe(COMPILES.TooComplex);
  });

  test(titleOf('a41'), () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 20 }, (_, one) => [`p${one}`, { type: 'string' }])),
        },
      ]),
    );
    const list = () =>
      Array.from({ length: 15 }, (_, at) => ({
        type: 'object',
        title: `tool ${at}`,
        $defs,
        properties: { a: { $ref: '#/$defs/d59' } },
      }));
    const first = list().map((schema) => getJudge(compileSchema(schema)));
    const again = list().map((schema) => getJudge(compileSchema(structuredClone(schema))));
    // One judge for each distinct schema, however often it is listed.
    expect(again.every((judge, at) => judge === first[at])).toBe(true);
    expect(new Set(first).size).toBe(15);
  });
});

describe('elicitation: what is asked for, and what is answered', () => {
  interface ElicitCase extends Case {
    readonly input: { readonly elicit_line: string; readonly answers?: readonly { readonly content?: unknown }[] };
    readonly expect: {
      readonly relayed_content_json?: string;
      readonly to_server?: readonly ('relayed' | { readonly error: number; readonly path?: string })[];
    };
  }
  const readCase = (id: string) => {
    const { input, expect: wanted } = getCase(id) as unknown as ElicitCase;
    const { params } = JSON.parse(input.elicit_line) as { params: { requestedSchema: object } };
    return { schema: params.requestedSchema, answers: input.answers ?? [], wanted };
  };

  test(titleOf('d06'), () => {
    const { schema, answers, wanted } = readCase('d06');
    for (const { content } of answers)
      expect(applyDefaults(schema, content)).toEqual(JSON.parse(wanted.relayed_content_json!));
    const own = { confirm: false, retries: 3, note: null, tags: [], free: 'x', more: 1 };
    expect(applyDefaults(schema, own)).toEqual({ ...own, dry: false, color: 'g' });
    expect(checkFlatForm(schema)).toEqual([]);
    expect(getJudge(compileSchema(schema)).checkValue(applyDefaults(schema, {}))).toEqual({ valid: true });
  });

  test('d06: what was handed in stays as it is, and a default is never shared', () => {
    const { schema } = readCase('d06');
    const content = Object.freeze({});
    const [one, other] = [applyDefaults(schema, content), applyDefaults(schema, content)] as { tags: string[] }[];
    one!.tags.push('b');
    expect(other!.tags).toEqual(['a']);
    expect(applyDefaults(schema, content)).toMatchObject({ tags: ['a'] });
  });

  test('d06: names that every object inherits are not there until they are', () => {
    const schema = JSON.parse(
      '{"properties":{"constructor":{"default":1},"__proto__":{"default":2},"toString":{"default":3}}}',
    );
    const filled = applyDefaults(schema, {}) as object;
    expect(JSON.stringify(Object.entries(filled).sort())).toBe('[["__proto__",2],["constructor",1],["toString",3]]');
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype);
  });

  test.each(['d07', 'd08'])('%s: defaults, then the verdict', (id) => {
    const { schema, answers, wanted } = readCase(id);
    const judge = getJudge(compileSchema(schema));
    answers.forEach(({ content }, at) => {
      const verdict = judge.checkValue(applyDefaults(schema, content));
      const outcome = wanted.to_server![at]!;
      expect(verdict.valid, JSON.stringify(content)).toBe(outcome === 'relayed');
      if (verdict.valid || outcome === 'relayed' || outcome.path === undefined) return;
      expect(verdict.issues.map(({ pointer }) => pointer)).toContain(outcome.path);
    });
  });

  test('d07: a wrong email is a warning or invalid only where that was asked for', () => {
    const { schema } = readCase('d07');
    const content = { age: 20, mail: 'not-mail' };
    const reported = getJudge(compileSchema(schema, { formats: 'report' })).checkValue(content);
    expect(reported).toMatchObject({ valid: true, warnings: [{ pointer: '/mail' }] });
    const asserted = getJudge(compileSchema(schema, { formats: 'assert' })).checkValue(content);
    expect(asserted).toMatchObject({ valid: false, issues: [{ pointer: '/mail', keyword: 'format' }] });
  });

  test(titleOf('d12'), () => {
    const { schema } = readCase('d12');
    const paths = checkFlatForm(schema).map(({ schemaPath }) => schemaPath);
    expect(paths.some((path) => path.startsWith('/properties/a'))).toBe(true);
    expect(paths.some((path) => path.startsWith('/properties/l'))).toBe(true);
    // Outside the subset, and judged all the same.
    const judge = getJudge(compileSchema(schema));
    expect(judge.check('{"a":{"b":"x"},"l":[{}]}')).toEqual({ valid: true });
    expect(judge.check('{"a":{"b":1}}')).toMatchObject({ valid: false, issues: [{ pointer: '/a/b' }] });
  });

  test.each([
    { why: 'a reference', property: { $ref: '#/$defs/x' }, isFlat: false },
    { why: 'a union', property: { anyOf: [{ type: 'string' }, { type: 'number' }] }, isFlat: false },
    { why: 'an enum without titles', property: { type: 'string', enum: ['a', 'b'] }, isFlat: true },
    { why: 'an enum with names', property: { type: 'string', enum: ['a'], enumNames: ['A'] }, isFlat: true },
    { why: 'an enum with titles', property: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, isFlat: true },
    { why: 'a choice of several', property: { type: 'array', items: { type: 'string', enum: ['a'] } }, isFlat: true },
    {
      why: 'a choice of several with titles',
      property: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      isFlat: true,
    },
    { why: 'a list of anything', property: { type: 'array', items: { type: 'string' } }, isFlat: false },
    { why: 'an object', property: { type: 'object', properties: {} }, isFlat: false },
    {
      why: 'a bounded number',
      property: { type: 'number', minimum: 0, maximum: 1, default: 0.5, title: 'T' },
      isFlat: true,
    },
    { why: 'a string with a format', property: { type: 'string', format: 'date-time', minLength: 1 }, isFlat: true },
  ])('d12, and its like: $why', ({ property, isFlat }) => {
    const warnings = checkFlatForm({ type: 'object', properties: { p: property }, $defs: { x: {} } });
    expect(warnings.filter(({ schemaPath }) => schemaPath.startsWith('/properties/p')).length === 0).toBe(isFlat);
  });
});
