import { expect, test } from 'vitest';
import type { ClientEntry } from './entry.js';
import { readText } from './reference.js';
import { literalSecretsIn, placeName } from './secret.js';

type Facts = { args?: readonly string[]; env?: Record<string, string>; url?: string; headers?: Record<string, string> };

function connectionOf({ args = [], env = {}, url, headers = {} }: Facts): ClientEntry['connection'] {
  const text = (value: string) => readText(value, 'braces');
  const map = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
  return url === undefined
    ? { kind: 'stdio', command: ['npx'], args: args.map(text), env: map(env) }
    : { kind: 'remote', transport: 'http', url: text(url), headers: map(headers) };
}

test.each<{ why: string; facts: Facts; places: readonly string[] }>([
  { why: 'a variable named like one', facts: { env: { API_KEY: 'abc' } }, places: ['env.API_KEY'] },
  { why: 'a password', facts: { env: { PGPASSWORD: 'x y' } }, places: ['env.PGPASSWORD'] },
  { why: 'a reference is none', facts: { env: { API_KEY: '${API_KEY}' } }, places: [] },
  { why: 'a number of tokens is none', facts: { env: { MAX_TOKENS: '4096', USE_TOKEN: 'true' } }, places: [] },
  { why: 'a plain variable', facts: { env: { LOG_LEVEL: 'debug', PATH: '/usr/bin:/bin' } }, places: [] },
  { why: 'a token by its beginning', facts: { env: { X: 'ghp_0123456789abcdef' } }, places: ['env.X'] },
  { why: 'a password in an address', facts: { env: { DB: 'postgres://u:p@h/d' } }, places: ['env.DB'] },
  { why: 'a long random text', facts: { env: { X: 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4' } }, places: ['env.X'] },
  { why: 'an argument after its flag', facts: { args: ['--api-key', 'abc'] }, places: ['args[1]'] },
  { why: 'an argument with its flag', facts: { args: ['--token=abc'] }, places: ['args[0]'] },
  { why: 'a flag after a flag', facts: { args: ['--token', '--verbose'] }, places: [] },
  { why: 'ordinary arguments', facts: { args: ['-y', '@scope/server-filesystem@1.2.3', '.'] }, places: [] },
  {
    why: 'an Authorization header',
    facts: { url: 'https://h.example/mcp', headers: { Authorization: 'Bearer abc' } },
    places: ['headers.Authorization'],
  },
  {
    why: 'a header of another name with a scheme in it',
    facts: { url: 'https://h.example/mcp', headers: { 'X-Forward': 'Basic dTpw' } },
    places: ['headers["X-Forward"]'],
  },
  { why: 'a harmless header', facts: { url: 'https://h.example', headers: { 'X-Team': 'blue' } }, places: [] },
  { why: 'a token in the address', facts: { url: 'https://h.example/mcp?api_key=abc' }, places: ['url'] },
  { why: 'an address with a user', facts: { url: 'https://u:p@h.example/mcp' }, places: ['url'] },
])('$why', ({ facts, places }) => {
  expect(literalSecretsIn(connectionOf(facts)).map(placeName)).toEqual(places);
});
