/** The matrix in short: the harness itself without doorward, then the two ways on which everything has to be bridged. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { requireBuild } from '../../test/fixtures/open-door.js';

const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));

interface Column {
  readonly pair: Readonly<Record<string, unknown>>;
  readonly cells: Readonly<Record<string, { readonly kind: string; readonly why?: string }>>;
}

async function runMatrix(...args: readonly string[]): Promise<readonly Column[]> {
  const child = spawn(process.execPath, [MAIN, '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(said) as readonly Column[];
}

const failures = (columns: readonly Column[]) =>
  columns.flatMap(({ pair, cells }) =>
    Object.entries(cells).flatMap(([id, { kind, why }]) => (kind === 'no' ? [{ id, why, pair }] : [])),
  );

test('every feature is seen without doorward: what a cell says is about doorward, not about the harness', async () => {
  const columns = await runMatrix('--direct');
  expect(columns).toHaveLength(4);
  expect(failures(columns)).toEqual([]);
}, 60_000);

test.each(['modern http -> handshake stdio', 'handshake stdio -> modern http'])(
  '%s: every feature passes',
  async (way) => {
    requireBuild();
    const columns = await runMatrix('--pair', way, '--no-sdks');
    expect(columns).toHaveLength(1);
    expect(failures(columns)).toEqual([]);
  },
  60_000,
);

test('what parses and writes again fails where it must: the cells are looked at', async () => {
  const middle = fileURLToPath(new URL('../../bench/parse-stringify.mjs', import.meta.url));
  const columns = await runMatrix('--direct', '--no-sdks', '--through', middle, '--pair', 'handshake stdio');
  const failed = failures(columns).map(({ id }) => id);
  expect(failed).toEqual(expect.arrayContaining(['numbers', 'unknown']));
  expect(failed).not.toContain('call');
}, 60_000);
