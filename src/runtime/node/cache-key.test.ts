import { expect, test } from 'vitest';
import { type CacheSubject, cacheKeyOf } from './cache-key.js';

const STDIO = {
  kind: 'stdio',
  command: 'server',
  args: ['-y', 'x'],
  env: new Map([
    ['TOKEN', 'secret'],
    ['REGION', 'eu'],
  ]),
  cwd: '/work',
} as const satisfies CacheSubject;

const HTTP = {
  kind: 'http',
  url: 'https://h.example/mcp',
  headers: new Map([['Authorization', 'Bearer 1']]),
} as const satisfies CacheSubject;

test('a key is a file name that tells nothing', () => {
  expect(cacheKeyOf(STDIO)).toMatch(/^[0-9a-f]{64}$/);
});

test.each<{ why: string; one: CacheSubject; other: CacheSubject }>([
  { why: 'the command', one: STDIO, other: { ...STDIO, command: 'other' } },
  { why: 'an argument', one: STDIO, other: { ...STDIO, args: ['-y', 'z'] } },
  { why: 'where one argument ends', one: { ...STDIO, args: ['a', 'b'] }, other: { ...STDIO, args: ['a,b'] } },
  { why: 'the folder', one: STDIO, other: { ...STDIO, cwd: '/home' } },
  { why: 'the value of a variable', one: STDIO, other: { ...STDIO, env: new Map(STDIO.env).set('TOKEN', 'other') } },
  { why: 'the name of a variable', one: STDIO, other: { ...STDIO, env: new Map([['TOKEN', 'secret']]) } },
  {
    why: 'whose value it is',
    one: STDIO,
    other: { ...STDIO, env: new Map([['TOKEN', 'eu'], ['REGION', 'secret']]) }, // biome-ignore format: one line
  },
  { why: 'the address', one: HTTP, other: { ...HTTP, url: 'https://h.example/other' } },
  { why: 'the name of a header', one: HTTP, other: { ...HTTP, headers: new Map([['X-Key', 'Bearer 1']]) } },
  { why: 'the account', one: { ...HTTP, credential: 'a' }, other: { ...HTTP, credential: 'b' } },
  { why: 'having an account', one: HTTP, other: { ...HTTP, credential: '' } },
])('another key for another upstream: $why', ({ one, other }) => {
  expect(cacheKeyOf(other)).not.toBe(cacheKeyOf(one));
});

test.each<{ why: string; one: CacheSubject; other: CacheSubject }>([
  { why: 'the order of variables', one: STDIO, other: { ...STDIO, env: new Map([...STDIO.env].reverse()) } },
  { why: 'a renewed token', one: HTTP, other: { ...HTTP, headers: new Map([['Authorization', 'Bearer 2']]) } },
  { why: 'how a header is spelled', one: HTTP, other: { ...HTTP, headers: new Map([['authorization', '']]) } },
])('the same key whatever $why', ({ one, other }) => expect(cacheKeyOf(other)).toBe(cacheKeyOf(one)));
