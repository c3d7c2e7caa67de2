/** What holds for any flat form and any answer to it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, joinPieces, sliceOf } from '../base/index.js';
import { type Elicitation, type ElicitationReply, readElicitation } from './eliciting.js';

function read(schema: string): Elicitation {
  return readElicitation(sliceOf(encodeText(`{"message":"?","requestedSchema":${schema}}`)), { upstream: 'u' });
}

function judge(schema: string, said: string): ElicitationReply {
  const elicitation = read(schema);
  if (elicitation.kind !== 'asked') throw elicitation.error;
  return elicitation.judge({ kind: 'result', json: sliceOf(encodeText(said)) });
}

/** A field of a flat form: its schema, values it takes, and values it does not. */
interface Field {
  readonly schema: Record<string, unknown>;
  readonly good: fc.Arbitrary<unknown>;
  readonly bad: fc.Arbitrary<unknown>;
}

const text = fc.string({ unit: 'binary', maxLength: 6 });
const notText = fc.constantFrom<unknown>(null, 0, true, [], {});
const choices = ['r', 'g', ''];

const fields = fc.oneof(
  fc.record({ min: fc.nat(3), more: fc.nat(4) }).map(({ min, more }): Field => {
    const good = fc.string({ unit: 'binary', minLength: min, maxLength: min + more });
    const tooLong = fc.string({ unit: 'binary', minLength: min + more + 1, maxLength: min + more + 3 });
    return { schema: { type: 'string', minLength: min, maxLength: min + more }, good, bad: fc.oneof(tooLong, notText) };
  }),
  fc.constant<Field>({
    schema: { type: 'string', enum: choices },
    good: fc.constantFrom(...choices),
    bad: fc.oneof(
      text.filter((one) => !choices.includes(one)),
      notText,
    ),
  }),
  fc.integer().map((min): Field => {
    const good = fc.integer({ min, max: min + 1_000 });
    const bad = fc.oneof(
      fc.integer({ min: min - 1_000, max: min - 1 }),
      fc.constantFrom<unknown>(0.5, null, '1', true),
    );
    return { schema: { type: 'integer', minimum: min }, good, bad };
  }),
  fc.constant<Field>({
    schema: { type: 'number', maximum: 10 },
    good: fc.double({ max: 10, noNaN: true, noDefaultInfinity: true }),
    bad: fc.constantFrom<unknown>(10.5, '1', false, null),
  }),
  fc.constant<Field>({
    schema: { type: 'boolean' },
    good: fc.boolean(),
    bad: fc.constantFrom<unknown>(0, 1, 'true', null, ''),
  }),
  fc.constant<Field>({
    schema: { type: 'array', items: { type: 'string', enum: choices }, maxItems: 2 },
    good: fc.array(fc.constantFrom(...choices), { maxLength: 2 }),
    bad: fc.oneof(fc.constantFrom<unknown>(['x'], 'r', null, ['r', 'r', 'r']), fc.tuple(notText)),
  }),
);

/** One field under a name, and what the answer and the form say of it. */
const entries = fc
  .tuple(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'a"b', '1')), fields)
  .chain(([name, field]) =>
    fc.record({
      name: fc.constant(name),
      field: fc.constant(field),
      default: fc.option(field.good, { nil: undefined }),
      given: fc.option(field.good, { nil: undefined }),
      bad: field.bad,
      isRequired: fc.boolean(),
    }),
  );
type Entry = typeof entries extends fc.Arbitrary<infer T> ? T : never;

const forms = fc.uniqueArray(entries, { selector: ({ name }) => name, maxLength: 6 });
const layouts = fc.record({
  indent: fc.constantFrom('', ' ', '\t'),
  isFirst: fc.boolean(),
  more: fc.dictionary(
    text.filter((name) => name !== 'action' && name !== 'content'),
    fc.jsonValue(),
    { maxKeys: 2 },
  ),
});

/** The text of an object; JSON.stringify would lose nothing but `__proto__`. */
function objectText(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(' , ')} }`;
}

function schemaOf(all: readonly Entry[]): string {
  const properties = all.map(({ name, field, default: value }): [string, unknown] => {
    return [name, value === undefined ? field.schema : { ...field.schema, default: value }];
  });
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return `{"type":"object","properties":${objectText(properties)},"required":${JSON.stringify(required)}}`;
}

function delivered(reply: ElicitationReply): string | undefined {
  return reply.kind === 'refused' ? undefined : decodeText(joinPieces(reply.pieces));
}

describe('any flat form', () => {
  test('a valid answer is delivered with all its own bytes, and the defaults behind them', () => {
    fc.assert(
      fc.property(forms, layouts, (all, { indent, isFirst, more }) => {
        // What is required is given, or has a default.
        const fit = all.map((one) => ({
          ...one,
          isRequired: one.isRequired && (one.given ?? one.default) !== undefined,
        }));
        const given = fit.filter((one) => one.given !== undefined).map((one) => [one.name, one.given] as const);
        const missing = fit.filter((one) => one.given === undefined && one.default !== undefined);
        const content = objectText(given);
        const rest = Object.entries(more).map(
          ([name, value]) => `${indent}${JSON.stringify(name)}:${JSON.stringify(value)}`,
        );
        const members = isFirst
          ? [`"content":${content}`, '"action":"accept"']
          : ['"action" :"accept"', `"content": ${content}`];
        const said = `{${[...members, ...rest].join(`${indent},`)}${indent}}`;
        const got = delivered(judge(schemaOf(fit), said));
        if (missing.length === 0) {
          expect(got).toBe(said);
          return;
        }
        const at = said.indexOf(content) + content.length - 1;
        expect(got?.slice(0, at)).toBe(said.slice(0, at));
        expect(got?.endsWith(said.slice(at))).toBe(true);
        const filled = (JSON.parse(got ?? '') as { content: Record<string, unknown> }).content;
        expect(Object.keys(filled).length).toBe(given.length + missing.length);
        for (const { name, default: value } of missing) {
          expect(Object.getOwnPropertyDescriptor(filled, name)?.value).toEqual(JSON.parse(JSON.stringify(value)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('an invalid answer is never delivered', () => {
    fc.assert(
      fc.property(
        forms.filter((all) => all.length > 0),
        fc.nat(),
        fc.boolean(),
        (all, pick, isMissing) => {
          const broken = all[pick % all.length]!;
          const fit = all.map((one) => {
            if (one !== broken)
              return { ...one, isRequired: one.isRequired && (one.given ?? one.default) !== undefined };
            return isMissing
              ? { ...one, isRequired: true, default: undefined, given: undefined }
              : { ...one, given: one.bad };
          });
          const given = fit.filter((one) => one.given !== undefined).map((one) => [one.name, one.given] as const);
          const reply = judge(schemaOf(fit), `{"action":"accept","content":${objectText(given)}}`);
          expect(reply.kind).toBe('refused');
          expect(reply).not.toHaveProperty('pieces');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('whatever is read or said, nothing is thrown', () => {
    const schema = fc.oneof(fc.json(), forms.map(schemaOf));
    const result = fc.oneof(
      fc.json(),
      fc.json().map((content) => `{"action":"accept","content":${content}}`),
    );
    fc.assert(
      fc.property(schema, result, (requested, said) => {
        const elicitation = read(requested);
        if (elicitation.kind === 'asked') elicitation.judge({ kind: 'result', json: sliceOf(encodeText(said)) });
      }),
      { numRuns: 300 },
    );
  });
});
