import { type Place, SourceText } from './place.js';
import { configError, makeProblem } from './problem.js';

/**
 * The text of a configuration file. A byte order mark is dropped; any encoding but UTF-8 is named, not guessed through:
 * half-read text would lose servers without a word.
 *
 * @throws {DoorError} `CONFIG_INVALID` for UTF-16, UTF-32 and bytes that are no text
 */
export function decodeConfig(name: string, bytes: Uint8Array): string {
  const foreign = foreignEncodingOf(bytes);
  if (foreign) throw encodingError({ file: name, line: 1, column: 1 }, `the file is ${foreign}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Decoding stops before a character it cannot make out, and says where that is only by how far it came.
    const good = new TextDecoder().decode(bytes.subarray(0, goodLength(bytes)), { stream: true });
    throw encodingError(new SourceText(name, good).placeOf(good.length), 'the file is not UTF-8 here');
  }
}

function encodingError(place: Place, message: string) {
  return configError([makeProblem({ kind: 'encoding', path: [], message, place, hint: 'Save it as UTF-8.' })]);
}

function foreignEncodingOf(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'UTF-32LE' : 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'UTF-32BE';
  // Without a mark: JSON begins with an ASCII character, so a zero beside it gives the encoding away.
  if (bytes.length >= 2 && a !== 0 && b === 0) return c === 0 && d === 0 ? 'UTF-32LE' : 'UTF-16LE';
  if (bytes.length >= 2 && a === 0) return b === 0 ? 'UTF-32BE' : 'UTF-16BE';
  return undefined;
}

/** How many bytes begin a UTF-8 text: found by halves, since a decoder only says that some do not. */
function goodLength(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = (good + bad) >> 1;
    if (isUtf8Start(bytes.subarray(0, middle + 1))) good = middle + 1;
    else bad = middle;
  }
  return good;
}

/** `stream` lets the text end inside a character. */
function isUtf8Start(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
