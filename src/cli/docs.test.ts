import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { configJsonSchema, overridableFields, readConfig } from '../config/index.js';
import { EXIT_CODES } from './command-table.js';

// docs/config.md is written by hand, and held to the published schema: every field, with its unit, default and choices.
const DOC = readFileSync(fileURLToPath(new URL('../../docs/config.md', import.meta.url)), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly 'x-unit'?: string;
}

interface Row {
  readonly type: string;
  readonly fallback: string;
  readonly unit: string;
}

/** The rows of the table under a heading, by the field they name. */
function rowsUnder(heading: string): ReadonlyMap<string, Row> {
  const [, rest = ''] = DOC.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((line) => {
      const [field = '', type = '', fallback = '', unit = ''] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return [field.replaceAll('`', ''), { type, fallback: fallback.replaceAll('`', ''), unit }];
    }),
  );
}

/** Every field that has a value of its own, by its path. */
function fieldsOf(schema: Schema, above = ''): readonly (readonly [path: string, schema: Schema])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = above + name;
    return field.properties ? fieldsOf(field, `${path}.`) : [[path, field] as const];
  });
}

const schema = configJsonSchema() as Schema;

describe.each([
  { heading: 'The file', fields: fieldsOf(schema) },
  { heading: 'A server', fields: fieldsOf(schema.definitions!.server!) },
])('docs/config.md: $heading', ({ heading, fields }) => {
  const rows = rowsUnder(heading);

  test('has a row for every field, and none for others', () => {
    expect([...rows.keys()].toSorted()).toEqual(fields.map(([path]) => path).toSorted());
  });

  test.each(fields)('%s', (path, field) => {
    const { type, fallback, unit } = rows.get(path)!;
    expect(unit).toBe(field['x-unit'] ?? '');
    const wanted = field.default === undefined ? '' : field.default;
    expect(fallback).toBe(typeof wanted === 'string' ? wanted : JSON.stringify(wanted));
    if (field.enum) expect(type).toBe(field.enum.map((choice) => `\`${choice}\``).join(', '));
  });
});

test('every variable that the text names is read', () => {
  const others = ['DOORWARD_CONFIG', 'DOORWARD_LOG_LEVEL', 'DOORWARD_LOG_FORMAT', 'DOORWARD_TOKENS'];
  const known = [...overridableFields().keys(), ...others];
  const named = DOC.match(/DOORWARD_[A-Z_]*[A-Z]/g) ?? [];
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

const HTTP_DOC = readFileSync(fileURLToPath(new URL('../../docs/http.md', import.meta.url)), 'utf8');

test.each([
  ['docs/config.md', DOC],
  ['docs/http.md', HTTP_DOC],
])('%s: every example is a configuration without a problem', (name, text) => {
  const examples = [...text.matchAll(/```jsonc\n(.*?)```/gs)].map(([, example = '']) => example);
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples) {
    const file = { name, bytes: new TextEncoder().encode(example) };
    const environment = { SEARCH_TOKEN: 't', ADA_TOKEN_SHA256: 'f'.repeat(64) };
    expect(readConfig({ file, environment }).problems).toEqual([]);
  }
});

test('docs/command-line.md lists the exit codes that the help does', () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/command-line.md', import.meta.url)), 'utf8');
  const rows = [...text.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(EXIT_CODES);
});
