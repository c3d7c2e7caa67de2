import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallSignal } from '../../base/index.js';
import { fetchPublisher } from './fetch-publisher.js';
import type { World } from './world.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doorward-fetch-publisher-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Fetches an archive, of whose bytes the pin is. */
async function fetched(archive: Uint8Array): Promise<void> {
  const server = createServer((_, response) => void response.end(archive)).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`;
  const pin = { version: '1.0.0', url, sha256: createHash('sha256').update(archive).digest('hex') };
  const quiet = { say: () => {}, show: () => {} };
  const world = {
    ...quiet,
    pin,
    publisher: 'out/publisher',
    pauseMs: 1,
    environment: process.env,
    signal: new CallSignal(),
  };
  try {
    await fetchPublisher(folder, world as unknown as World);
  } finally {
    server.close();
  }
}

function archiveOf(put: (path: string) => void): Uint8Array {
  const source = join(folder, 'source');
  mkdirSync(source);
  put(join(source, 'mcp-publisher'));
  execFileSync('tar', ['-czf', join(folder, 'archive'), '-C', source, 'mcp-publisher']);
  return readFileSync(join(folder, 'archive'));
}

test('what is a program comes out as one', async () => {
  await fetched(archiveOf((path) => writeFileSync(path, '#!/bin/sh\n')));
  expect(statSync(join(folder, 'out/publisher')).mode & 0o777).toBe(0o755);
});

test.each<{ what: string; put: (path: string) => void }>([
  { what: 'a link', put: (path) => symlinkSync(join(folder, 'precious'), path) },
  { what: 'a folder', put: (path) => void mkdirSync(path) },
])('what is $what is refused, and nothing that it leads to is touched', async ({ put }) => {
  writeFileSync(join(folder, 'precious'), '', { mode: 0o600 });
  await expect(fetched(archiveOf(put))).rejects.toThrow('tar cannot take mcp-publisher out of');
  expect(statSync(join(folder, 'precious')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(folder, 'out/publisher'))).toBe(false);
});
