import { describe, expect, test } from 'vitest';
import { findFormat } from './formats.js';

function matches(format: string, text: string): boolean {
  return findFormat(format)!.matches(text);
}

test.each(['time', 'hostname', 'ipv4', 'uuid', 'regex', 'uint64', '', 'constructor'])(
  '%s stays an annotation',
  (name) => {
    expect(findFormat(name)).toBeUndefined();
  },
);

describe('date', () => {
  test.each(['1963-06-19', '2020-01-31', '2021-02-28', '2020-02-29', '2000-02-29', '0000-12-31'])('%s', (text) => {
    expect(matches('date', text)).toBe(true);
  });
  test.each([
    '2021-02-29',
    '1900-02-29',
    '2020-13-01',
    '2020-00-10',
    '2020-04-31',
    '2020-01-00',
    '2020-01-32',
    '20200101',
    '2020-1-1',
    '2020-01-01T',
    ' 2020-01-01',
    '',
    '１９６３-06-19',
  ])('not %s', (text) => {
    expect(matches('date', text)).toBe(false);
  });
});

describe('date-time', () => {
  test.each([
    '1963-06-19T08:30:06.283185Z',
    '1963-06-19T08:30:06Z',
    '1963-06-19t08:30:06z',
    '1990-12-31T15:59:50.123-08:00',
    '1998-12-31T23:59:60Z',
    '1998-12-31T15:59:60.123-08:00',
    '1999-01-01T05:29:60+05:30',
    '2020-01-01T00:00:00+23:59',
  ])('%s', (text) => {
    expect(matches('date-time', text)).toBe(true);
  });
  test.each([
    '1998-12-31T23:59:61Z',
    '1998-12-31T23:58:60Z',
    '1998-12-31T22:59:60Z',
    '1998-12-31T23:59:60+01:00',
    '1990-02-31T15:59:59Z',
    '1990-12-31T15:59:59-24:00',
    '1990-12-31T15:59:59+00:60',
    '1963-06-19T08:30:06.28123+01:00Z',
    '06/19/1963 08:30:06 PST',
    '2013-350T01:01:01',
    '1963-06-19T08:30:06',
    '1963-06-19 08:30:06Z',
    '1963-06-19T24:00:00Z',
    '1963-06-19T08:60:00Z',
    '1963-06-19',
    '',
  ])('not %s', (text) => {
    expect(matches('date-time', text)).toBe(false);
  });
});

describe('email', () => {
  test.each([
    'joe.bloggs@example.com',
    'te~st@example.com',
    "o'hara+tag@sub.example.co",
    'a@b',
    '"joe bloggs"@example.com',
    '"a@b\\"c"@example.com',
    'joe@[127.0.0.1]',
    'joe@[IPv6:::1]',
    '1@2.3',
    `${'a'.repeat(64)}@example.com`,
  ])('%s', (text) => {
    expect(matches('email', text)).toBe(true);
  });
  test.each([
    '2962',
    '@example.com',
    'joe@',
    '"joe@example.com',
    '"a"b"@example.com',
    'joe@[127.0.0]',
    'joe@[::1]',
    'joe@[127.0.0.1',
    '.test@example.com',
    'test.@example.com',
    'te..st@example.com',
    'a b@example.com',
    'joe@ex ample.com',
    'joe@-example.com',
    'joe@example-.com',
    'joe@example..com',
    `${'a'.repeat(65)}@example.com`,
    `joe@${'a'.repeat(64)}.com`,
    `joe@${'a.'.repeat(130)}com`,
    '',
  ])('not %s', (text) => {
    expect(matches('email', text)).toBe(false);
  });
});

describe('uri', () => {
  test.each([
    'http://foo.bar/?baz=qux#quux',
    'http://[2001:db8::1]:80/a',
    'urn:oasis:names',
    'mailto:a@b.example',
    'tel:+1-816-555-1212',
    'http://a/%20',
    'x:',
  ])('%s', (text) => {
    expect(matches('uri', text)).toBe(true);
  });
  test.each([
    '//foo.bar/?baz=qux',
    '/abc',
    '\\\\WINDOWS\\share',
    'abc',
    'http:// shouldfail.com',
    ':// should fail',
    'bar,baz:foo',
    'http://a/%2',
    'http://a/<b>',
    'https://é',
    '1a:b',
    '',
  ])('not %s', (text) => {
    expect(matches('uri', text)).toBe(false);
  });
});

test('no text takes long', () => {
  const long = 'a.'.repeat(500_000);
  const started = performance.now();
  for (const name of ['email', 'uri', 'date', 'date-time']) {
    for (const text of [long, `${long}@${long}`, `a:${long} `]) matches(name, text);
  }
  expect(performance.now() - started).toBeLessThan(500);
});
