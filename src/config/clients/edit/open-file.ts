import { decodeConfig } from '../../decode.js';
import { configError, makeProblem } from '../../problem.js';
import type { FileFormat } from '../spec.js';
import type { EditableText } from './editable-text.js';
import { JsoncFile } from './jsonc-file.js';
import { TomlFile } from './toml-file.js';
import { YamlFile } from './yaml-file.js';

/** A client's file, open for changes. */
export interface OpenFile extends EditableText {
  /** What is to be written: with the byte order mark that the file had. */
  bytes(): Uint8Array;
}

const MARK = [0xef, 0xbb, 0xbf];
const MAX_BYTES = 16 * 1024 * 1024;

export interface FileToOpen {
  readonly format: FileFormat;
  /** What messages call it. */
  readonly name: string;
  /** Absent where there is no file yet. */
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Opens a file for changes.
 *
 * @throws {DoorError} `CONFIG_INVALID` with file, line and column where it cannot be read; nothing of it is guessed
 */
export function openFile({ format, name, bytes = new Uint8Array() }: FileToOpen): OpenFile {
  const hasMark = MARK.every((byte, at) => bytes[at] === byte);
  if (bytes.length > MAX_BYTES) throw tooLarge(name, bytes.length);
  const text = decodeConfig(name, bytes);
  const file = open(format, name, text);
  return {
    get text() {
      return file.text;
    },
    get value() {
      return file.value;
    },
    set: (path, value) => file.set(path, value),
    remove: (path) => file.remove(path),
    bytes: () => new TextEncoder().encode(`${hasMark ? '\ufeff' : ''}${file.text}`),
  };
}

function tooLarge(file: string, length: number) {
  const message = `the file has ${length} bytes, more than the ${MAX_BYTES} allowed`;
  return configError([makeProblem({ kind: 'syntax', path: [], message, place: { file, line: 1, column: 1 } })]);
}

function open(format: FileFormat, name: string, text: string): EditableText {
  switch (format) {
    case 'jsonc':
      return new JsoncFile(name, text);
    case 'toml':
      return new TomlFile(name, text);
    case 'yaml':
      return new YamlFile(name, text);
  }
}
