import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LogStream } from './log-stream.js';

const LINE = `${'x'.repeat(1_023)}\n`;
const BOUND = 256 * 1024;

let server: Server | undefined;
let folder: string | undefined;
afterEach(() => {
  server?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
  server = folder = undefined;
});

/** A pipe whose reading end is not read until it is resumed. */
async function pipe(): Promise<{ readonly stream: Socket; readonly reader: Socket; readonly read: () => string }> {
  folder = mkdtempSync(join(tmpdir(), 'doorward-log-'));
  const path = join(folder, 'pipe');
  const opened = createServer({ pauseOnConnect: true });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => opened.once('connection', resolve));
  const stream = connect(path);
  const reader = await accepted;
  let text = '';
  reader.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  // A listener for data would have it read at once.
  reader.pause();
  return { stream, reader, read: () => text };
}

async function within(holds: () => boolean, timeoutMs = 5_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test.each([
  { format: 'text', note: (lines: number) => `doorward: ${lines} lines were dropped here: stderr was not read` },
  {
    format: 'json',
    note: (lines: number) => ({ time: expect.any(String), level: 'warn', event: 'log.dropped', lines }),
  },
] as const)('a pipe that is not read: bounded, and one line says what is missing ($format)', async (row) => {
  const { stream, reader, read } = await pipe();
  const log = new LogStream(stream, row.format);
  for (let i = 0; i < 10_000; i++) {
    log.write(LINE);
    if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream.writableLength).toBeGreaterThan(BOUND - LINE.length);
  expect(stream.writableLength).toBeLessThanOrEqual(BOUND);

  reader.resume();
  await within(() => read().includes('dropped'));
  log.write('and on\n');
  await within(() => read().endsWith('and on\n'));
  const lines = read().split('\n').slice(0, -1);
  const kept = lines.filter((line) => line === LINE.slice(0, -1)).length;
  expect(lines).toHaveLength(kept + 2);
  const note = lines.at(-2)!;
  expect(row.format === 'json' ? JSON.parse(note) : note).toEqual(row.note(10_000 - kept));
  stream.destroy();
});

test('each gap is told, and one line is one line', async () => {
  const { stream, reader, read } = await pipe();
  const log = new LogStream(stream, 'text');
  for (let gap = 1; gap <= 2; gap++) {
    // What the kernel takes at once and what waits: the next line is the one too many.
    while (!stream.writableNeedDrain || stream.writableLength + LINE.length <= BOUND) log.write(LINE);
    log.write(LINE);
    reader.resume();
    await within(() => read().split('doorward: 1 line was dropped here').length === gap + 1);
    reader.pause();
    await new Promise((resolve) => setImmediate(resolve));
  }
  stream.destroy();
});

test('a line longer than the bound is written where nothing waits', async () => {
  const { stream, reader, read } = await pipe();
  new LogStream(stream, 'text').write(`${'y'.repeat(2 * BOUND)}\n`);
  reader.resume();
  await within(() => read().length === 2 * BOUND + 1);
  stream.destroy();
});

test('a reader that is gone costs nothing', async () => {
  const { stream, reader } = await pipe();
  stream.on('error', () => {});
  const log = new LogStream(stream, 'text');
  reader.destroy();
  await within(() => stream.destroyed);
  for (let i = 0; i < 1_000; i++) log.write(LINE);
  expect(stream.writableLength).toBeLessThanOrEqual(BOUND);
});
