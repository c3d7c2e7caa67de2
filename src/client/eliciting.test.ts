import { describe, expect, test } from 'vitest';
import { getCase } from '../../test/cases/cases.js';
import type { CallerAnswer } from '../base/index.js';
import { decodeText, type ErrorCode, encodeText, joinPieces, sliceOf } from '../base/index.js';
import { type Elicitation, type ElicitationOptions, type ElicitationReply, readElicitation } from './eliciting.js';

const OPTIONS: ElicitationOptions = { upstream: 'u' };

/** Text in the middle of a larger buffer, as it comes off the wire. */
function inside(text: string): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
  const bytes = encodeText(`{"x":${text}}`);
  return { bytes, start: 5, end: bytes.length - 1 };
}

const read = (params: string, options: Partial<ElicitationOptions> = {}): Elicitation =>
  readElicitation(inside(params), { ...OPTIONS, ...options });

/** A form whose schema is `schema`, a JSON text. */
const formOf = (schema: string, options?: Partial<ElicitationOptions>) =>
  asked(read(`{"message":"?","requestedSchema":${schema}}`, options));

function asked(elicitation: Elicitation): Extract<Elicitation, { kind: 'asked' }> {
  if (elicitation.kind !== 'asked') throw elicitation.error;
  return elicitation;
}

const answer = (json: string, kind: CallerAnswer['kind'] = 'result'): CallerAnswer => ({ kind, json: inside(json) });

/** The text that the server gets; undefined where the answer was refused. */
function delivered(reply: ElicitationReply): string | undefined {
  return reply.kind === 'refused' ? undefined : decodeText(joinPieces(reply.pieces));
}

function pointersOf(reply: ElicitationReply): readonly string[] {
  if (reply.kind !== 'refused') throw new Error(`delivered: ${delivered(reply)}`);
  expect(reply.error).toMatchObject({ code: 'INVALID_ANSWER', data: { upstream: 'u', issues: reply.issues } });
  return reply.issues.map(({ pointer }) => pointer);
}

const NAMED = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}';
const INSIDE_512 = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`;

describe('the request', () => {
  test.each([
    { why: 'a form', params: `{"message":"?","requestedSchema":${NAMED}}` },
    { why: 'a form that says so', params: `{"mode":"form","requestedSchema":${NAMED}}` },
    { why: 'mode spelled with an escape', params: `{"mode":"\\u0066orm","requestedSchema":${NAMED}}` },
    { why: 'a name twice further inside', params: `{"_meta":{"a":1,"a":2},"requestedSchema":${NAMED}}` },
    { why: 'a URL, which needs no schema', params: '{"mode":"url","url":"https://x.test","elicitationId":"1"}' },
    { why: 'a form to who declared nothing in particular', params: `{"requestedSchema":${NAMED}}`, capability: '{}' },
    {
      why: 'a form to who declared something else of forms',
      params: `{"requestedSchema":${NAMED}}`,
      capability: '{"applyDefaults":true}',
    },
    { why: 'a form declared', params: `{"requestedSchema":${NAMED}}`, capability: '{"form":{},"url":{}}' },
    { why: 'a URL declared', params: '{"mode":"url","url":"https://x.test"}', capability: '{"url":{}}' },
  ])('is shown to the caller: $why', ({ params, capability }) => {
    expect(asked(read(params, capability === undefined ? {} : { capability })).warnings).toEqual([]);
  });

  test.each([
    { why: 'no params', params: undefined, message: 'params are not an object' },
    { why: 'params that are no object', params: '[]', message: 'params are not an object' },
    { why: 'no schema', params: '{"message":"?"}', message: 'params.requestedSchema is missing' },
    { why: 'null for a schema', params: '{"requestedSchema":null}', message: 'requestedSchema is not an object' },
    { why: 'true for a schema', params: '{"requestedSchema":true}', message: 'requestedSchema is not an object' },
    { why: 'a text for a schema', params: '{"requestedSchema":"{}"}', message: 'requestedSchema is not an object' },
    { why: 'a list for a schema', params: '{"requestedSchema":[{}]}', message: 'requestedSchema is not an object' },
    { why: 'an unknown mode', params: `{"mode":"sms","requestedSchema":${NAMED}}`, message: 'params.mode' },
    { why: 'a mode that is no text', params: `{"mode":null,"requestedSchema":${NAMED}}`, message: 'params.mode' },
    {
      why: 'two schemas',
      params: `{"requestedSchema":{"type":"object"},"requestedSchema":${NAMED}}`,
      message: 'params hold "requestedSchema" twice',
    },
    {
      why: 'two modes, one spelled with an escape',
      params: `{"mode":"url","\\u006dode":"form","requestedSchema":${NAMED}}`,
      message: 'params hold "mode" twice',
    },
    { why: 'a URL nobody declared', params: '{"mode":"url"}', capability: '{}', message: 'in url mode' },
    { why: 'a URL to who takes forms', params: '{"mode":"url"}', capability: '{"form":{}}', message: 'in url mode' },
    {
      why: 'a form to who takes URLs',
      params: `{"requestedSchema":${NAMED}}`,
      capability: '{"url":{}}',
      message: 'in form mode',
    },
  ])('is refused: $why', ({ params, capability, message }) => {
    const options = { ...OPTIONS, ...(capability !== undefined && { capability }) };
    const elicitation = readElicitation(params === undefined ? undefined : inside(params), options);
    if (elicitation.kind !== 'refused') throw new Error('it is shown to the caller');
    expect(elicitation.error).toMatchObject({ code: 'INVALID_ARGUMENTS', data: { upstream: 'u' } });
    expect(elicitation.error.message).toContain(message);
  });

  test.each<{ why: string; schema: string; code: ErrorCode; schemaPath: string }>([
    { why: 'a root of another type', schema: '{"type":"string"}', code: 'SCHEMA_INVALID', schemaPath: '/type' },
    {
      why: 'an unknown type',
      schema: '{"type":"object","properties":{"a":{"type":"text"}}}',
      code: 'SCHEMA_INVALID',
      schemaPath: '/properties/a/type',
    },
    {
      why: 'a reference to nowhere',
      schema: '{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}',
      code: 'UNRESOLVED_REF',
      schemaPath: '/properties/a/$ref',
    },
    {
      why: 'a reference to the network',
      schema: '{"$ref":"http://127.0.0.1:9/x"}',
      code: 'UNRESOLVED_REF',
      schemaPath: '/$ref',
    },
    {
      why: 'an unknown dialect',
      schema: '{"$schema":"https://x.test/dialect","type":"object"}',
      code: 'UNSUPPORTED_DIALECT',
      schemaPath: '/$schema',
    },
    { why: 'nesting past what is read', schema: INSIDE_512, code: 'SCHEMA_TOO_LARGE', schemaPath: '' },
    {
      why: 'too many bytes',
      schema: `{"type":"object","title":"${'x'.repeat(300_000)}"}`,
      code: 'SCHEMA_TOO_LARGE',
      schemaPath: '',
    },
  ])('is refused for a schema that nobody could judge by: $why', ({ schema, code, schemaPath }) => {
    const elicitation = read(`{"requestedSchema":${schema}}`);
    if (elicitation.kind !== 'refused') throw new Error('it is shown to the caller');
    expect(elicitation.error.code).toBe('INVALID_ARGUMENTS');
    expect(elicitation.error.data.reason).toMatchObject({ code, schemaPath });
  });
});

describe('an answer', () => {
  test.each<{ why: string; json: string; kind?: CallerAnswer['kind'] }>([
    { why: 'an error of the caller', json: '{"code":-32601,"message":"no"}', kind: 'error' },
    { why: 'declined', json: '{"action":"decline"}' },
    { why: 'cancelled', json: '{"_meta":{},"action":"cancel" }' },
    { why: 'accepted', json: '{ "action" : "accept" , "content":{"name":"x" } }' },
    { why: 'accepted, spelled otherwise', json: '{"content":{"n\\u0061me":"\\u0078"},"\\u0061ction":"\\u0061ccept"}' },
    { why: 'more than the form asks', json: '{"action":"accept","content":{"name":"x","big":12345678901234567890}}' },
    { why: 'members besides', json: '{"_meta":{"a":1,"a":2},"action":"accept","content":{"name":""},"more":1e400}' },
  ])('goes to the server byte for byte: $why', ({ json, kind = 'result' }) => {
    const reply = formOf(NAMED).judge(answer(json, kind));
    expect(reply).toMatchObject({ kind, warnings: [] });
    expect(delivered(reply)).toBe(json);
  });

  test.each([
    { why: 'no object', json: '"accept"' },
    { why: 'a list', json: '[{"action":"accept","content":{"name":"x"}}]' },
    { why: 'no action', json: '{"content":{"name":"x"}}' },
    { why: 'an unknown action', json: '{"action":"Accept","content":{"name":"x"}}' },
    { why: 'an action that is no text', json: '{"action":["accept"],"content":{"name":"x"}}' },
    { why: 'two actions', json: '{"action":"accept","content":{},"action":"decline"}' },
    { why: 'two contents', json: '{"action":"accept","content":{"name":1},"content":{"name":"x"}}' },
    { why: 'a name twice in the content', json: '{"action":"accept","content":{"name":1,"n\\u0061me":"x"}}' },
    { why: 'a name twice deep in the content', json: '{"action":"accept","content":{"name":"x","o":{"a":1,"a":2}}}' },
    { why: 'content that is null', json: '{"action":"accept","content":null}' },
    { why: 'content that is a text', json: '{"action":"accept","content":"{}"}' },
    { why: 'content that is a list', json: '{"action":"accept","content":[]}' },
    { why: 'a required member missing', json: '{"action":"accept","content":{}}' },
    { why: 'no content, where something is required', json: '{"action":"accept"}' },
    { why: 'nesting past what is judged', json: `{"action":"accept","content":{"name":"x","o":${INSIDE_512}}}` },
  ])('goes nowhere: $why', ({ json }) => {
    expect(pointersOf(formOf(NAMED).judge(answer(json)))).toEqual(['']);
  });

  test('without content stays without it where nothing is filled in', () => {
    const json = '{"action":"accept"}';
    expect(delivered(formOf('{"type":"object","properties":{"a":{"type":"string"}}}').judge(answer(json)))).toBe(json);
  });

  test('to a URL is not judged, but must be an answer', () => {
    const url = asked(read('{"mode":"url","url":"https://x.test","elicitationId":"1"}'));
    for (const json of ['{"action":"accept"}', '{"action":"accept","_meta":{"a":1,"a":2}}', '{"action":"cancel"}']) {
      expect(delivered(url.judge(answer(json)))).toBe(json);
    }
    for (const json of ['{}', 'null', '{"action":"later"}', '{"action":"accept","action":"decline"}']) {
      expect(pointersOf(url.judge(answer(json)))).toEqual(['']);
    }
  });

  test('never shows its values where it is refused', () => {
    const reply = formOf('{"type":"object","properties":{"pin":{"type":"integer"}}}').judge(
      answer('{"action":"accept","content":{"pin":"s3cret"}}'),
    );
    if (reply.kind !== 'refused') throw new Error('delivered');
    expect(JSON.stringify([reply.issues, reply.error.message, reply.error.data, reply.error.hint])).not.toContain(
      's3cret',
    );
    expect(reply.error.message).toBe('The answer was not accepted: $.pin: expected integer, got string');
  });

  test('is judged by its digits', () => {
    const form = formOf('{"type":"object","properties":{"id":{"type":"integer","maximum":12345678901234567890}}}');
    const json = (id: string) => `{"action":"accept","content":{"id":${id}}}`;
    expect(delivered(form.judge(answer(json('12345678901234567890'))))).toBe(json('12345678901234567890'));
    expect(pointersOf(form.judge(answer(json('12345678901234567891'))))).toEqual(['/id']);
  });

  test('is an object, whatever an old dialect lets pass beside a reference', () => {
    const form = formOf(
      '{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/t","definitions":{"t":{"type":"string"}}}',
    );
    expect(pointersOf(form.judge(answer('{"action":"accept","content":"x"}')))).toEqual(['']);
  });

  test('can be judged again, and by forms that were read since', () => {
    const first = formOf(NAMED);
    formOf('{"type":"object"}');
    expect(pointersOf(first.judge(answer('{"action":"accept"}')))).toEqual(['']);
    expect(delivered(first.judge(answer('{"action":"accept","content":{"name":"x"}}')))).toContain('x');
  });
});

describe('defaults', () => {
  const form = formOf(
    '{"type":"object","properties":{"a":{"type":"integer","default":12345678901234567890},"b":{"type":"string","default":""},"c":{"type":"boolean"}}}',
  );
  const filled = '"a":12345678901234567890,"b":""';

  test.each([
    { why: 'no content', from: '{"action":"accept"}', to: `{"content":{${filled}},"action":"accept"}` },
    {
      why: 'none, members besides',
      from: '{ "x":1e2, "action":"accept" }',
      to: `{"content":{${filled}}, "x":1e2, "action":"accept" }`,
    },
    { why: 'empty content', from: '{"action":"accept","content":{}}', to: `{"action":"accept","content":{${filled}}}` },
    {
      why: 'blank content',
      from: '{"content":{ \t} ,"action":"accept"}',
      to: `{"content":{ \t${filled}} ,"action":"accept"}`,
    },
    {
      why: 'content of another field',
      from: '{"action":"accept","content":{"c":true, "z":1.0 },"_meta":{"n":98765432109876543210}}',
      to: `{"action":"accept","content":{"c":true, "z":1.0 ,${filled}},"_meta":{"n":98765432109876543210}}`,
    },
    {
      why: 'one of them given',
      from: '{"action":"accept","content":{"a":7}}',
      to: '{"action":"accept","content":{"a":7,"b":""}}',
    },
    {
      why: 'one of them given, spelled otherwise',
      from: '{"action":"accept","content":{"\\u0061":7}}',
      to: '{"action":"accept","content":{"\\u0061":7,"b":""}}',
    },
    {
      why: 'all of them given',
      from: '{"action":"accept","content":{"b":"x","a":7}}',
      to: '{"action":"accept","content":{"b":"x","a":7}}',
    },
    { why: 'declined', from: '{"action":"decline","content":{}}', to: '{"action":"decline"}' },
  ])('are filled in, every other byte kept: $why', ({ from, to }) => {
    expect(delivered(form.judge(answer(from)))).toBe(to);
  });

  test('never win over what was sent, not even over null', () => {
    expect(pointersOf(form.judge(answer('{"action":"accept","content":{"a":null}}')))).toEqual(['/a']);
  });

  test('of odd names are members like any other', () => {
    const odd = formOf(
      '{"type":"object","properties":{"__proto__":{"type":"integer","default":1},"\\"\\n":{"type":"integer","default":2}}}',
    );
    expect(delivered(odd.judge(answer('{"action":"accept","content":{}}')))).toBe(
      '{"action":"accept","content":{"__proto__":1,"\\"\\n":2}}',
    );
  });

  test('stand on one line, however they were written', () => {
    const broken = formOf(
      '{"type":"object","properties":{"l":{"type":"array","items":{"type":"string","enum":["a"]},"default":[\r"a"\r]}}}',
    );
    expect(delivered(broken.judge(answer('{"action":"accept"}')))).toBe('{"content":{"l":["a"]},"action":"accept"}');
  });
});

describe('warnings', () => {
  test.each([
    {
      why: 'nesting',
      properties: '{"a":{"type":"object"},"b":{"type":"array","items":{"type":"object"}}}',
      says: '/properties/a/type',
    },
    {
      why: 'a keyword that forms do not show',
      properties: '{"a":{"type":"string","pattern":"^a"}}',
      says: '/properties/a',
    },
  ])('one for a form that callers may not be able to show: $why', ({ properties, says }) => {
    const form = formOf(`{"type":"object","properties":${properties}}`);
    expect(form.warnings).toMatchObject([{ warning: 'elicitation-form' }]);
    expect(form.warnings[0]?.message).toContain(says);
    expect(form.warnings[0]?.message).toMatch(/^u: /);
    expect(pointersOf(form.judge(answer('{"action":"accept","content":{"a":1}}')))).toEqual(['/a']);
  });

  test('a form without a root type is judged as an object, and warned of', () => {
    const form = formOf('{"properties":{"a":{"type":"string"}}}');
    expect(form.warnings).toMatchObject([
      { warning: 'elicitation-form', message: expect.stringContaining('at its root') },
    ]);
    expect(pointersOf(form.judge(answer('{"action":"accept","content":{"a":1}}')))).toEqual(['/a']);
  });

  test('a name twice in the form', () => {
    const form = formOf('{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"integer"}}}');
    expect(form.warnings).toMatchObject([{ warning: 'elicitation-names', message: expect.stringContaining('"a"') }]);
  });

  test.each([
    { format: 'email', wrong: 'nobody', right: 'a@b.test' },
    { format: 'uri', wrong: 'no uri', right: 'urn:x' },
    { format: 'date', wrong: '2026-02-30', right: '2026-02-28' },
    { format: 'date-time', wrong: 'yesterday', right: '2026-02-28T00:00:00Z' },
  ])('a wrong $format is a warning, or an issue where it is asserted', ({ format, wrong, right }) => {
    const schema = `{"type":"object","properties":{"f":{"type":"string","format":"${format}"}}}`;
    const json = (f: string) => `{"action":"accept","content":{"f":"${f}"}}`;
    const warned = formOf(schema).judge(answer(json(wrong)));
    expect(delivered(warned)).toBe(json(wrong));
    expect(warned).toMatchObject({
      warnings: [{ warning: 'elicitation-format', message: expect.stringContaining('$.f') }],
    });
    expect(JSON.stringify((warned as { warnings: unknown }).warnings)).not.toContain(wrong);
    expect(formOf(schema).judge(answer(json(right)))).toMatchObject({ warnings: [] });
    const strict = formOf(schema, { formats: 'assert' });
    expect(pointersOf(strict.judge(answer(json(wrong))))).toEqual(['/f']);
    expect(delivered(strict.judge(answer(json(right))))).toBe(json(right));
  });

  test('a default in a wrong format is warned of like an answer', () => {
    const form = formOf('{"type":"object","properties":{"f":{"type":"string","format":"email","default":"me"}}}');
    expect(form.judge(answer('{"action":"accept"}'))).toMatchObject({
      kind: 'result',
      warnings: [{ warning: 'elicitation-format' }],
    });
  });
});

interface Row {
  readonly error?: number;
  readonly path?: string;
}

describe.each(['d05', 'd06', 'd07', 'd08'])('case %s', (id) => {
  const { input, expect: wanted } = getCase(id);
  const { params } = JSON.parse(input.elicit_line as string) as { readonly params: object };
  const form = asked(read(JSON.stringify(params)));
  const rows = (wanted.to_server ?? wanted.relayed_to_server ?? []) as readonly (Row | string)[];
  const answers = input.answers as readonly object[];

  test.each(answers.map((said, at) => ({ said: JSON.stringify(said), row: rows[at] ?? 'relayed' })))(
    '$said',
    ({ said, row }) => {
      const reply = form.judge(answer(said));
      if (typeof row === 'object') {
        const pointers = pointersOf(reply);
        if (row.path !== undefined) expect(pointers).toContain(row.path);
      } else if (id === 'd05') expect(delivered(reply)).toBe(`{"action":"${row as string}"}`);
      else if (wanted.relayed_content_json === undefined) expect(delivered(reply)).toBe(said);
      else expect(delivered(reply)).toContain(`"content":${wanted.relayed_content_json}`);
    },
  );
});

test('the whole of an array is a slice as well', () => {
  const bytes = encodeText('{"action":"decline"}');
  expect(delivered(formOf(NAMED).judge({ kind: 'result', json: sliceOf(bytes) }))).toBe('{"action":"decline"}');
});
