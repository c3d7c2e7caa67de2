/** The names that doorward gives to members of `_meta`, as they stand in its sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Every name with a prefix of ours or of MCP, wherever it is written. */
function namesWritten(): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const found = sources.flatMap((file) => [
    ...readFileSync(join(SRC, file), 'utf8').matchAll(
      /["'](?<name>(?:doorward|[a-z.]*modelcontextprotocol)\/[^"'\s$]+)["']/g,
    ),
  ]);
  return [...new Set(found.map(({ groups }) => groups!.name!))].filter((name) => !name.startsWith('@')).sort();
}

// MCP 2026-07-28 and 2025-11-25 basic/index, _meta: labels with dots between, a slash, then a name.
const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const NAME = '[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?';
const KEY = new RegExp(`^${LABEL}(?:\\.${LABEL})*/(?:${NAME})?$`);

test('the names that we write are well formed, and none is made up under the prefix of MCP', () => {
  const names = namesWritten();
  expect(names.filter((name) => !KEY.test(name))).toEqual([]);
  expect(names.filter((name) => name.startsWith('io.'))).toEqual([
    'io.modelcontextprotocol/clientCapabilities',
    'io.modelcontextprotocol/clientInfo',
    'io.modelcontextprotocol/logLevel',
    'io.modelcontextprotocol/protocolVersion',
    'io.modelcontextprotocol/serverInfo',
    'io.modelcontextprotocol/subscriptionId',
    'io.modelcontextprotocol/tasks',
  ]);
  expect(names.filter((name) => !name.startsWith('io.'))).toEqual([
    'doorward/deprecated',
    'doorward/error',
    'doorward/fingerprint',
    'doorward/stale',
  ]);
});

test.each(['a', '/', 'a b/c', '-a/b', 'a-/b', '1a/b', 'a./b', 'a/-b', 'a/b-', 'a/b c'])('%j would be found', (name) => {
  expect(KEY.test(name)).toBe(false);
});
