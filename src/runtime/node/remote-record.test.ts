import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  isRemoteNamed,
  type RemoteRecord,
  readRemote,
  remoteLoginCommand,
  remotePath,
  remoteText,
  shownUrl,
} from './remote-record.js';

const RECORD: RemoteRecord = {
  url: 'https://r.example/mcp',
  changedAtMs: 1,
  session: { id: 's', principal: 'p', hasTokens: true },
};

function written(text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-remote-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'r.json');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test.each<{ why: string; record: RemoteRecord }>([
  { why: 'somebody is signed in', record: RECORD },
  { why: 'nobody is', record: { url: 'http://127.0.0.1:1/mcp?a=b', changedAtMs: 2 } },
])('what is written is read: $why', ({ record }) => {
  expect(readRemote(written(remoteText(record)))).toEqual({ kind: 'record', record });
});

test.each([
  { why: 'no JSON', text: '{"url":"secret', reason: /holds no JSON$/ },
  { why: 'no object', text: 'null', reason: /holds no remote$/ },
  { why: 'another form', text: '{"doorward":"remote 9","url":"https://x","changedAtMs":1}', reason: /no remote$/ },
  { why: 'no url', text: remoteText({ ...RECORD, url: 1 as never }), reason: /no remote$/ },
  { why: 'a url that is none', text: remoteText({ ...RECORD, url: 'https://' }), reason: /no remote$/ },
  { why: 'another scheme', text: remoteText({ ...RECORD, url: 'file:///etc' }), reason: /no remote$/ },
  { why: 'no time', text: remoteText({ ...RECORD, changedAtMs: 'x' as never }), reason: /no remote$/ },
  { why: 'a session that is none', text: remoteText({ ...RECORD, session: 1 as never }), reason: /no remote$/ },
  { why: 'half a session', text: remoteText({ ...RECORD, session: { id: 's' } as never }), reason: /no remote$/ },
  {
    why: 'a null session',
    text: '{"doorward":"remote 1","url":"https://x","changedAtMs":1,"session":null}',
    reason: /no/,
  },
])('$why is worth nothing, and its text is not repeated', ({ text, reason }) => {
  const found = readRemote(written(text));
  expect(found).toMatchObject({ kind: 'unusable', reason: expect.stringMatching(reason) });
  expect(JSON.stringify(found)).not.toContain('secret');
});

test('what others can write is worth nothing', () => {
  const found = readRemote(written(remoteText(RECORD), 0o666));
  expect(found).toMatchObject({ kind: 'unusable', reason: expect.stringContaining('others than us') });
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(['unusable', 'record']).toContain(readRemote(written(text)).kind);
    }),
    { numRuns: 50 },
  );
});

test('where there is no file there is no remote', () => {
  expect(readRemote('/nowhere/at/all.json')).toEqual({ kind: 'none' });
  expect(readRemote('/dev/null/at/all.json')).toEqual({ kind: 'none' });
  expect(isRemoteNamed({ environment: { HOME: '/dev/null' } })).toBe(false);
});

test('each program has its own, wherever its name would lead', () => {
  const environment = { XDG_CONFIG_HOME: '/c' };
  expect(remotePath(environment, 'doorward')).toBe('/c/doorward/remotes/doorward.json');
  expect(remotePath(environment, '@scope/../name')).toBe('/c/doorward/remotes/%40scope%2F..%2Fname.json');
  expect(remotePath({}, 'doorward')).toBeUndefined();
  expect(isRemoteNamed({ environment })).toBe(false);
  expect(isRemoteNamed({ environment: {}, program: 'x' })).toBe(false);
});

test.each([
  { url: 'https://r.example/mcp', program: 'doorward', command: 'doorward login https://r.example/mcp' },
  { url: undefined, program: 'doorward', command: 'doorward login URL' },
  { url: 'https://r.example/mcp?key=s', program: 'x', command: "doorward login 'https://r.example/mcp?…' --program x" },
  { url: 'https://r.example', program: "a'b", command: "doorward login https://r.example/ --program 'a'\\''b'" },
])('$command', ({ url, program, command }) => expect(remoteLoginCommand(url, program)).toBe(command));

test('a query may be a secret', () =>
  expect(shownUrl('https://r.example/mcp?key=s#x')).toBe('https://r.example/mcp?…'));
