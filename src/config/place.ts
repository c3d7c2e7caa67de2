/** A spot in a file, as editors count: the first line and the first column are 1. */
export interface Place {
  /** The file's name as it was handed in. */
  readonly file: string;
  readonly line: number;
  /** In UTF-16 units, as editors count columns. */
  readonly column: number;
}

export type Path = readonly (string | number)[];

/** Text with its name, able to say which line an offset is on. */
export class SourceText {
  readonly name: string;
  readonly text: string;
  #lineStarts: readonly number[] | undefined;

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  placeOf(offset: number): Place {
    this.#lineStarts ??= lineStartsOf(this.text);
    const line = lastAtMost(this.#lineStarts, offset);
    return { file: this.name, line: line + 1, column: offset - this.#lineStarts[line]! + 1 };
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const endsLine = code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10);
    if (endsLine) starts.push(i + 1);
  }
  return starts;
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** RFC 6901: `/mcpServers/files/args/0`. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The same for people: `mcpServers.files.args[0]`, `mcpServers["my.server"]`. */
export function fieldOf(path: Path): string {
  return path.map(stepText).join('').replace(/^\./, '');
}

function stepText(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${quoted(step)}]`;
}

/** A name from a file in quotes, so that no control character or line of it reaches a terminal as it is. */
export function quoted(name: string): string {
  const text = name.length > 80 ? `${name.slice(0, 79)}…` : name;
  // JSON.stringify leaves these be, and a terminal obeys some of them: C1 controls, line separators, marks that turn text around.
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `doorward.json:4:7` */
export function placeText(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}
