import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The bench is plain JavaScript, so that node runs it as it stands; these are the few of its shapes used here.
interface Payload {
  readonly arguments: Buffer;
  readonly result: Buffer;
}
interface Caller {
  initialize(): Promise<unknown>;
  drive(options: { name: string; pool: readonly Payload[]; calls: number; inFlight: number }): Promise<{
    readonly latenciesMs: Float64Array;
  }>;
  close(): Promise<void>;
}
interface LoadModule {
  readonly Caller: new (argv: readonly string[]) => Caller;
}
interface PayloadsModule {
  makePool(kind: string, directory: string): readonly Payload[];
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'doorward-bench-test-'));
let load: LoadModule;
let payloads: PayloadsModule;

beforeAll(async () => {
  load = (await import(here('./load.mjs'))) as LoadModule;
  payloads = (await import(here('./payloads.mjs'))) as PayloadsModule;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A pipe that puts each answer of the upstream through `change`, a JavaScript expression over `line`. */
function meddler(change: string): readonly string[] {
  const script = `
    const up = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
    process.stdin.pipe(up.stdin);
    let held = '';
    up.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (held + text).split('\\n');
      held = lines.pop();
      for (const line of lines) process.stdout.write((line.includes('content') ? ${change} : line) + '\\n');
    });
    up.on('exit', () => process.exit(0));`;
  return [process.execPath, '-e', script];
}

async function driveThrough(middle: readonly string[], kind: string, calls: number): Promise<number> {
  const pool = payloads.makePool(kind, directory);
  const caller = new load.Caller([...middle, process.execPath, here('./upstream.mjs'), directory, kind]);
  try {
    await caller.initialize();
    const { latenciesMs } = await caller.drive({ name: 'text', pool, calls, inFlight: 8 });
    return latenciesMs.length;
  } finally {
    await caller.close();
  }
}

test.each(['tiny', 'text-1k', 'text-1m-both'])('believes a relay that changes nothing: %s', async (kind) => {
  const calls = kind === 'text-1m-both' ? 20 : 2000;
  await expect(driveThrough([process.execPath, here('./relay.mjs')], kind, calls)).resolves.toBe(calls);
});

test.each([
  { why: 'another id', change: `line.replace(/"id":(\\d+)/, (_, id) => '"id":' + (Number(id) + 1))` },
  { why: 'a byte more', change: `line.replace('"text"', ' "text"')` },
  { why: 'a byte changed', change: `line.replace('"type":"text"', '"type":"tent"')` },
  { why: 'an answer twice', change: `line + '\\n' + line` },
])('is not taken in by a middle that meddles: $why', async ({ change }) => {
  await expect(driveThrough(meddler(change), 'tiny', 500)).rejects.toThrow(/call/);
});
