import { isUtf8 } from 'node:buffer';
import { joinPieces, LINE_FEED } from '../../base/index.js';
import type { CachedCatalog } from '../../catalog/index.js';
import { beginningOf } from './beginning-of.js';

/** Files past this are neither written nor read. */
export const MAX_CATALOG_BYTES = 16 * 1024 * 1024;

const FORMAT = 'catalog 1';
/** A header is parsed at each start, so its texts are bounded; the bound below leaves room for their escapes. */
const MAX_TEXT_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 256 * 1024;

type HeaderValues = Readonly<Record<string, unknown>>;

/**
 * The bytes of a catalog's file: a line of JSON about the upstream, then one line a tool, as it was mounted. Reading what
 * stands in the first line costs nothing for the others, and no definition is parsed and written anew.
 *
 * @throws {Error} when a definition is not on one line, or all are too long: such a file could not be read back
 */
export function encodeCatalog(key: string, catalog: CachedCatalog): Uint8Array {
  const { savedAtMs, revision, serverName, instructions, fingerprint, tools } = catalog;
  const header = {
    doorward: FORMAT,
    key,
    savedAtMs,
    revision,
    serverName: beginningOf(serverName, MAX_TEXT_BYTES),
    instructions: beginningOf(instructions, MAX_TEXT_BYTES),
    ...(fingerprint !== undefined && { fingerprint }),
    tools: tools.length,
  };
  const broken = tools.findIndex((definition) => definition.includes('\n'));
  if (broken >= 0) throw new Error(`definition ${broken + 1} of ${tools.length} holds a line feed`);
  const bytes = joinPieces([JSON.stringify(header), '\n', ...tools.flatMap((definition) => [definition, '\n'])]);
  if (bytes.length <= MAX_CATALOG_BYTES) return bytes;
  throw new Error(`${bytes.length} bytes of tools are more than the ${MAX_CATALOG_BYTES} that are kept`);
}

/** Reads such a file. @returns undefined where it is none, or not of this key, or damaged; never throws */
export function decodeCatalog(key: string, bytes: Buffer): CachedCatalog | undefined {
  const lineEnds = lineEndsOf(bytes);
  const [headerEnd] = lineEnds;
  if (headerEnd === undefined || headerEnd > MAX_HEADER_BYTES || !isUtf8(bytes)) return undefined;
  const values = parseObject(bytes.toString('utf8', 0, headerEnd));
  // A file that was cut, or has bytes behind its last line, is not the one that was written.
  const isWhole = lineEnds.at(-1) === bytes.length - 1 && values?.tools === lineEnds.length - 1;
  if (values === undefined || !isWhole || values.doorward !== FORMAT || values.key !== key) return undefined;
  const { savedAtMs, revision, serverName, instructions, fingerprint } = values;
  if (typeof savedAtMs !== 'number' || typeof revision !== 'string') return undefined;
  if (typeof serverName !== 'string' || typeof instructions !== 'string') return undefined;
  let tools: readonly string[] | undefined;
  return {
    savedAtMs,
    revision,
    serverName,
    instructions,
    ...(typeof fingerprint === 'string' && { fingerprint }),
    get tools() {
      tools ??= lineEnds.slice(1).map((end, i) => bytes.toString('utf8', lineEnds[i]! + 1, end));
      return tools;
    },
  };
}

function lineEndsOf(bytes: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) ends.push(at);
  return ends;
}

function parseObject(text: string): HeaderValues | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as HeaderValues) : undefined;
  } catch {
    return undefined;
  }
}
