import { expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { dialectOf, findDialect } from './dialect.js';

test.each([
  { why: 'absent means the default', $schema: undefined, dialect: '2020-12' },
  { why: 'as published', $schema: 'https://json-schema.org/draft/2020-12/schema', dialect: '2020-12' },
  { why: 'http', $schema: 'http://json-schema.org/draft/2019-09/schema', dialect: '2019-09' },
  { why: 'an empty fragment', $schema: 'http://json-schema.org/draft-07/schema#', dialect: 'draft-07' },
  { why: 'no fragment', $schema: 'http://json-schema.org/draft-06/schema', dialect: 'draft-06' },
  { why: 'https with an empty fragment', $schema: 'https://json-schema.org/draft-04/schema#', dialect: 'draft-04' },
])('$why', ({ $schema, dialect }) => {
  expect(dialectOf($schema)).toBe(dialect);
});

test.each([
  'https://schemas.example/private/v3#',
  'json-schema.org/draft-07/schema',
  'ftp://json-schema.org/draft-07/schema',
  'http://json-schema.org/draft-07/schema#a',
  'http://json-schema.org/draft-03/schema',
  'http://json-schema.org/schema',
  'http://json-schema.org/draft-07/schema##',
  ' http://json-schema.org/draft-07/schema',
  '',
  'constructor',
  7,
  null,
  {},
])('no dialect: %j', ($schema) => {
  const thrown = catchError(() => dialectOf($schema, '/a/$schema'));
  expect(thrown).toMatchObject({ code: 'UNSUPPORTED_DIALECT', data: { dialect: $schema, schemaPath: '/a/$schema' } });
  expect(thrown.message).toContain(JSON.stringify($schema));
  expect(thrown.hint).toContain('2020-12');
});

test('finding misses without an error', () => {
  expect(findDialect('https://schemas.example/private')).toBeUndefined();
});

function catchError(task: () => unknown): DoorError {
  try {
    task();
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
