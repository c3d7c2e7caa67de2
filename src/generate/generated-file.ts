import { encodeText } from '../base/index.js';

/** A file as it should be. Who asked for it writes it, prints it, or compares it with what is there. */
export interface GeneratedFile {
  /** Relative to the author's package.json, with `/` on every system. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** JSON as npm and most editors lay it out: two spaces, and a line break at the end. */
export function jsonFile(path: string, value: unknown): GeneratedFile {
  return textFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

export function textFile(path: string, text: string): GeneratedFile {
  return { path, bytes: encodeText(text) };
}

/** A path of a project's settings as git writes it: `./docs/` is `docs`. */
export function gitPath(path: string): string {
  return path.replace(/^\.\//, '').replace(/\/+$/, '');
}
