import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RemotePresence } from './remote-presence.js';
import { type RemoteRecord, realmOf, remotePath, remoteText } from './remote-record.js';
import { tokenPath } from './token-path.js';

const URL_OF_IT = 'https://r.example/mcp';
const OPEN = { id: 's1', principal: 'p1', hasTokens: false };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'doorward-presence-'));
  readonly environment = { XDG_CONFIG_HOME: this.folder, XDG_STATE_HOME: this.folder };

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  keep(record: Partial<RemoteRecord> | string): void {
    const text = typeof record === 'string' ? record : remoteText({ url: URL_OF_IT, changedAtMs: 7, ...record });
    this.#write(remotePath(this.environment, 'doorward')!, text);
  }

  keepTokens(): string {
    const path = tokenPath(this.environment, URL_OF_IT, realmOf('doorward'))!;
    this.#write(path, '{}');
    return path;
  }

  forget(): void {
    rmSync(remotePath(this.environment, 'doorward')!);
  }

  presence(more: { readonly url?: string; readonly fingerprint?: string } = {}): RemotePresence {
    return new RemotePresence({ environment: this.environment, program: 'doorward', ...more });
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    // Another file each time, as an atomic write makes it.
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode: 0o600 });
  }
}

test('without a file there is none', () => {
  const presence = new Place().presence();
  expect(presence.now).toEqual({ kind: 'none' });
  expect(presence.url).toBeUndefined();
  expect(presence.login).toBe('Run: doorward login URL');
});

test('without a place for files there is none either', () => {
  expect(new RemotePresence({ environment: {}, program: 'doorward' }).now).toEqual({ kind: 'none' });
});

test('somebody is signed in: another login is another session, another account another catalog', () => {
  const place = new Place();
  place.keep({ session: OPEN });
  const presence = place.presence({ fingerprint: 'f' });
  const first = presence.now;
  expect(first).toEqual({ kind: 'here', session: 's1', cacheKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(presence).toMatchObject({ url: URL_OF_IT, login: `Run: doorward login ${URL_OF_IT}`, fingerprint: 'f' });
  place.keep({ session: { ...OPEN, id: 's2' } });
  expect(presence.now).toEqual({ ...first, session: 's2' });
  place.keep({ session: { ...OPEN, id: 's2', principal: 'p2' } });
  expect(presence.now).not.toEqual({ ...first, session: 's2' });
});

test('nobody is signed in any more', () => {
  const place = new Place();
  place.keep({});
  expect(place.presence().now).toEqual({
    kind: 'signed-out',
    reason: `nobody is signed in at ${URL_OF_IT}`,
    sinceMs: 7,
  });
});

test('a session whose tokens are gone is over', () => {
  const place = new Place();
  place.keep({ session: { ...OPEN, hasTokens: true } });
  const presence = place.presence();
  expect(presence.now).toMatchObject({ kind: 'signed-out', reason: `the tokens for ${URL_OF_IT} are gone` });
  const path = place.keepTokens();
  expect(presence.now).toMatchObject({ kind: 'here', session: 's1' });
  rmSync(path);
  expect(presence.now).toMatchObject({ kind: 'signed-out' });
});

test('a file that cannot be read says so', () => {
  const place = new Place();
  place.keep('{');
  const { now, login } = place.presence();
  expect(now).toMatchObject({
    kind: 'signed-out',
    reason: expect.stringMatching(/^the login cannot be read: .*no JSON$/),
  });
  expect(login).toBe('Run: doorward login URL');
});

test('a program that is made for one remote has it, whatever was named else', () => {
  const place = new Place();
  const own = 'https://own.example/mcp';
  expect(place.presence({ url: own }).now).toMatchObject({ kind: 'here', session: 'nobody' });
  place.keep({ session: OPEN });
  expect(place.presence({ url: own })).toMatchObject({ now: { session: 'nobody' }, url: own });
  expect(place.presence({ url: URL_OF_IT }).now).toMatchObject({ session: 's1' });
  place.keep({});
  expect(place.presence({ url: URL_OF_IT }).now).toMatchObject({ kind: 'signed-out' });
});

test('whoever follows it hears of changes within a second, and of nothing else', () => {
  const place = new Place();
  const presence = place.presence();
  const told: unknown[] = [];
  const stop = presence.onChange(() => told.push(presence.now.kind));
  const stopToo = presence.onChange(() => {});
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([]);
  place.keep({ session: OPEN });
  expect(presence.now.kind, 'not looked at before its time').toBe('none');
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['here']);
  // Written anew, and the same.
  place.keep({ session: OPEN });
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['here']);
  place.forget();
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['here', 'none']);
  stop();
  expect(vi.getTimerCount()).toBe(1);
  stopToo();
  expect(vi.getTimerCount()).toBe(0);
  expect(presence.now.kind).toBe('none');
});
