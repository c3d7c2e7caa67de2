import fc from 'fast-check';
import { expect, test } from 'vitest';
import { installLink, readInstallLink } from './links.js';
import type { JsonObject } from './spec.js';
import { CLIENTS, findClient } from './table/index.js';

const stdio = { command: 'npx', args: ['-y', 'doorward', 'stdio'] };

test.each([
  {
    id: 'cursor',
    value: { url: 'https://h.example/mcp' },
    url: 'cursor://anysphere.cursor-deeplink/mcp/install?name=doorward&config=eyJ1cmwiOiJodHRwczovL2guZXhhbXBsZS9tY3AifQ%3D%3D',
  },
  {
    id: 'lmstudio',
    value: { url: 'https://h.example/mcp' },
    url: 'lmstudio://add_mcp?name=doorward&config=eyJ1cmwiOiJodHRwczovL2guZXhhbXBsZS9tY3AifQ%3D%3D',
  },
  {
    id: 'vscode',
    value: { type: 'http', url: 'https://h.example/mcp' },
    url: 'vscode:mcp/install?%7B%22name%22%3A%22doorward%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fh.example%2Fmcp%22%7D',
  },
  {
    id: 'goose',
    value: { cmd: 'npx', args: ['-y', 'doorward'] },
    url: 'goose://extension?cmd=npx&arg=-y&arg=doorward&id=doorward&name=doorward&description=doorward',
  },
])('$id has its own kind of link', ({ id, value, url }) => {
  expect(installLink(findClient(id)!, { name: 'doorward', value })).toEqual({ client: id, url });
});

test('others have none, and Goose none for what a link of its cannot say', () => {
  expect(installLink(findClient('zed')!, { name: 'x', value: stdio })).toBeUndefined();
  expect(installLink(findClient('goose')!, { name: 'x', value: { uri: 'https://h.example' } })).toBeUndefined();
  const withEnv = { cmd: 'x', args: [], envs: { A: '1' } };
  expect(installLink(findClient('goose')!, { name: 'x', value: withEnv })).toBeUndefined();
});

const word = fc.string({ unit: 'grapheme' });
const entries = fc.oneof(
  fc.record({ command: word, args: fc.array(word), env: fc.dictionary(word, word) }),
  fc.record({ type: fc.constant('http'), url: fc.webUrl(), headers: fc.dictionary(word, word) }),
);

test.each(CLIENTS.filter(({ link, id }) => link !== undefined && id !== 'goose'))(
  'what a link of $id says can be read back',
  (client) => {
    fc.assert(
      fc.property(word, entries, (name, entry) => {
        const value = JSON.parse(JSON.stringify(entry)) as JsonObject;
        const { url } = installLink(client, { name, value })!;
        expect(URL.canParse(url)).toBe(true);
        expect(readInstallLink(client.link!, url)).toEqual({ name, value });
      }),
    );
  },
);

test('what a link of Goose says can be read back', () => {
  fc.assert(
    fc.property(word, word, fc.array(word), (name, cmd, args) => {
      const { url } = installLink(findClient('goose')!, { name, value: { cmd, args } })!;
      expect(readInstallLink('goose', url)).toEqual({ name, value: { cmd, args } });
    }),
  );
});

test.each(['cursor://x?config=%', 'cursor://x?name=a&config=!!', 'vscode:mcp/install?%7B'])(
  'a damaged link is none: %s',
  (url) => expect(readInstallLink(url.startsWith('cursor') ? 'cursor' : 'vscode', url)).toBeUndefined(),
);
