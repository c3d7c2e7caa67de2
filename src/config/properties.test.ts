import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { expandText } from './expand.js';
import { configJsonSchema } from './json-schema.js';
import { findNearest } from './nearest.js';
import { quoted } from './place.js';
import { readConfig } from './read-config.js';

const utf8 = new TextEncoder();

function readBytes(bytes: Uint8Array) {
  return readConfig({ file: { name: 'c', bytes }, environment: {} });
}

/** Text out of the pieces that configurations are made of, mostly broken. */
const jsoncSoup = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"mcpServers"',
      '"a"',
      '//',
      '/*',
      '*/',
      '\n',
      '1',
      'null',
      '${',
      '\\',
      ' ',
    ),
  )
  .map((pieces) => pieces.join(''));

test('any bytes are a configuration or a CONFIG_INVALID, nothing else', () => {
  const input = fc.oneof(
    fc.uint8Array(),
    jsoncSoup.map((text) => utf8.encode(text)),
    fc.json().map((text) => utf8.encode(text)),
  );
  fc.assert(
    fc.property(input, (bytes) => {
      try {
        readBytes(bytes);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(DoorError);
        expect((thrown as DoorError).code).toBe('CONFIG_INVALID');
      }
    }),
    { numRuns: 500 },
  );
});

test('every server in the file has one entry, whatever its id and its shape', () => {
  const servers = fc.dictionary(
    fc.string({ unit: 'binary' }).filter((id) => !/\p{Surrogate}/u.test(id)),
    fc.jsonValue(),
    { maxKeys: 8 },
  );
  fc.assert(
    fc.property(servers, (entries) => {
      const config = readBytes(utf8.encode(JSON.stringify({ mcpServers: entries })));
      expect(config.servers.map(({ id }) => id).toSorted()).toEqual(Object.keys(entries).toSorted());
    }),
    { numRuns: 300 },
  );
});

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());

/** The right shape nineteen times out of twenty, so that whole files are accepted often enough to tell. */
function mostly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: right }, { weight: 1, arbitrary: scalar });
}

function group(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return mostly(fc.record(fields, { requiredKeys: [] }));
}

const text = mostly(fc.string());
const texts = mostly(fc.array(text, { maxLength: 3 }));
const textMap = mostly(fc.dictionary(fc.constantFrom('A', 'B'), text));
const number = mostly(fc.integer({ min: 1, max: 100_000_000 }));

function choice(...choices: readonly string[]): fc.Arbitrary<unknown> {
  return mostly(fc.constantFrom(...choices));
}

const serverEntry = fc
  .tuple(
    fc.oneof(fc.record({ command: text }), fc.record({ command: text, url: text }), fc.constant({})),
    fc.record(
      {
        type: choice('stdio'),
        args: texts,
        env: textMap,
        cwd: text,
        enabled: mostly(fc.constant(true)),
        prefix: choice('always', 'never', 'conflict'),
        tools: group({ allow: texts, deny: texts }),
        startTimeoutMs: number,
        callTimeoutMs: number,
        isolation: choice('shared', 'caller'),
        loginShellPath: mostly(fc.boolean()),
        validation: group({ outputs: choice('warn', 'enforce') }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([target, options]) => ({ ...target, ...options }));

/** The right text, or once in a while one that does not look so. */
function shaped(right: string, wrong: string): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.constant(wrong) });
}

const token = fc.record({
  name: shaped('ada', 'two words'),
  sha256: shaped('0'.repeat(64), 'short'),
  scopes: texts,
});
const issuer = {
  issuer: shaped('https://as.test', 'as.test'),
  audience: text,
  jwksUri: shaped('https://as.test/keys', ''),
};
const auth = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  mostly(fc.record({ tokens: mostly(fc.array(token, { maxLength: 1 })), requiredScopes: texts })),
  mostly(fc.record(issuer)),
  group({ tokens: fc.constant([{ name: 'b', sha256: 'f'.repeat(64) }]), ...issuer }),
);
const http = group({
  host: shaped('127.0.0.1', 'a b'),
  port: mostly(fc.integer({ min: 0, max: 65_535 })),
  path: shaped('/mcp', 'mcp'),
  publicUrl: shaped('https://h.test', 'h.test'),
  allowedHosts: fc.array(shaped('h.test:80', ''), { maxLength: 1 }),
  auth,
});

const configuration = fc.record(
  {
    mcpServers: mostly(fc.dictionary(fc.constantFrom('a', '__proto__'), mostly(serverEntry), { maxKeys: 2 })),
    prefix: choice('always', 'never', 'conflict'),
    expose: choice('tools'),
    validation: group({ invalidArguments: choice('protocol-error', 'tool-error'), outputs: choice('warn', 'enforce') }),
    limits: group({ maxDepth: mostly(fc.integer({ min: 7, max: 20 })), pageSize: number, callTimeoutMs: number }),
    http: fc.option(http, { nil: undefined }),
    prefx: fc.oneof(fc.constant(undefined), fc.constant(undefined), scalar),
  },
  { requiredKeys: [] },
);

/** What the schema cannot say: empty commands, NUL, references, contradicting types. */
const BEYOND_THE_SCHEMA = /the command is empty|NUL|\$\{|but its type is|cannot name/;

test('the published schema and the check agree on every shape', () => {
  const isValid = new Ajv({ strict: false, allErrors: false }).compile(configJsonSchema());
  const verdictOf = (value: unknown): boolean => {
    try {
      const { problems } = readBytes(utf8.encode(JSON.stringify(value)));
      return !problems.some(({ severity, kind, message }) => {
        if (kind === 'unknown-field') return true;
        return severity === 'error' && !BEYOND_THE_SCHEMA.test(message);
      });
    } catch {
      return false;
    }
  };
  let accepted = 0;
  fc.assert(
    fc.property(configuration, (value) => {
      const written: unknown = JSON.parse(JSON.stringify(value));
      // A server that is switched off is not looked at: its fields may be anything.
      fc.pre(!JSON.stringify(written).includes('"enabled":false'));
      const verdict = verdictOf(written);
      if (verdict) accepted += 1;
      expect(verdict).toBe(isValid(written));
    }),
    { numRuns: 2500 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('expansion is one pass: text made of values and literals comes out as they are', () => {
  const literal = fc.string().map((text) => text.replaceAll('$', ''));
  const value = fc.string();
  fc.assert(
    fc.property(fc.array(fc.tuple(literal, value)), (parts) => {
      const environment = Object.fromEntries(parts.map(([, held], at) => [`V${at}`, held]));
      const written = parts.map(([text], at) => `${text}\${V${at}}$$`).join('');
      const { text, faults } = expandText(written, environment);
      expect(text).toBe(parts.map(([plain, held]) => `${plain}${held}$`).join(''));
      expect(faults.filter(({ kind }) => kind !== 'suspicious')).toEqual([]);
    }),
  );
});

test('text without a dollar is never touched', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('$')),
      (text) => {
        expect(expandText(text, {})).toEqual({ text, faults: [], variables: [] });
      },
    ),
  );
});

test('a reference that cannot be read is a fault, never silently kept or emptied', () => {
  fc.assert(
    fc.property(fc.string(), (body) => {
      const { text, faults, variables } = expandText(`\${${body}}`, {});
      const isKept = text.includes('${');
      if (isKept || variables.some((name) => !body.includes(`${name}:-`))) expect(faults.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});

test('a name is its own nearest, and nothing is nearest to a stranger', () => {
  const names = ['prefix', 'limits', 'mcpServers'];
  for (const name of names) expect(findNearest(name, names)).toBe(name);
  expect(findNearest('PREFIX', names)).toBe('prefix');
  expect(findNearest('', names)).toBeUndefined();
  expect(findNearest('zq', names)).toBeUndefined();
});

test('a quoted name holds nothing a terminal would obey', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(quoted(name)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/);
    }),
    { numRuns: 500 },
  );
});
