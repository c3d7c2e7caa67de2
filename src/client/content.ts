import { decodeText, elementsOf, JsonScanner, spells } from '../base/index.js';

/** Content is looked through up to this size; what is larger passes unlooked, as everything passes in the end. */
const MAX_LOOK = 65_536;
const KNOWN_TYPES = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Kinds whose name alone says enough. */
const PLAIN_TYPES = ['"text"', '"resource_link"', '"resource"'];

const blockScanner = new JsonScanner();

/**
 * Whether a result's content is an array of blocks of plain kinds, told from what the scanner noted on its one pass.
 * False only means that `findOddContent` has to look.
 */
export function isPlainContent(scanner: JsonScanner, bytes: Uint8Array, content: number): boolean {
  const start = scanner.valueStart[content]!;
  const end = scanner.valueEnd[content]!;
  if (bytes[start] !== 0x5b) return false;
  if (scanner.blockCount > scanner.blockStart.length || scanner.typeCount > scanner.typeStart.length) return false;
  let blocks = 0;
  for (let i = 0; i < scanner.blockCount; i++) if (isWithin(scanner.blockStart[i]!, start, end)) blocks++;
  let plain = 0;
  for (let i = 0; i < scanner.typeCount; i++) {
    const at = scanner.typeStart[i]!;
    if (!isWithin(at, start, end)) continue;
    if (!PLAIN_TYPES.some((type) => spells(bytes, at, at + type.length, type))) return false;
    plain++;
  }
  // Where there is no block at all there may be something else. (What is no object among blocks is not noticed.)
  return blocks > 0 && plain === blocks;
}

function isWithin(at: number, start: number, end: number): boolean {
  return at > start && at < end;
}

/** What is odd about a result's content blocks. Only ever told, never acted on: an unknown block may be tomorrow's. */
export function findOddContent(bytes: Uint8Array, start: number, end: number): string[] {
  const odd: string[] = [];
  if (end - start > MAX_LOOK) return odd;
  if (bytes[start] !== 0x5b) return ['content is not an array'];
  let position = 0;
  for (const span of elementsOf(bytes, start)) {
    const reason = findOddBlock(bytes, span.start, span.end);
    if (reason !== undefined) odd.push(`content[${position}] ${reason}`);
    position++;
  }
  return odd;
}

function findOddBlock(bytes: Uint8Array, start: number, end: number): string | undefined {
  blockScanner.scan(bytes, start, end);
  if (blockScanner.root !== 'object') return 'is not an object';
  const type = memberOf('type', bytes);
  if (typeof type !== 'string') return 'has no type';
  if (!KNOWN_TYPES.has(type)) return `has the unknown type ${JSON.stringify(type.slice(0, 40))}`;
  if (type !== 'image' && type !== 'audio') return undefined;
  const data = memberOf('data', bytes);
  return typeof data === 'string' && BASE64.test(data) ? undefined : 'holds no good base64 in data';
}

function memberOf(name: string, bytes: Uint8Array): unknown {
  const at = blockScanner.find(name, bytes);
  if (at < 0) return undefined;
  return JSON.parse(decodeText(bytes, blockScanner.valueStart[at]!, blockScanner.valueEnd[at]!));
}
