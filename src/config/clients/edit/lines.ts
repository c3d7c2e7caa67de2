/** The line ending of a text: that of its first line. */
export function lineEndingOf(text: string): '\n' | '\r\n' {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}

/** What a line begins with before anything else stands on it. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

/** Whether nothing but white space stands before `offset` on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

/** Where the line ends that `offset` is on, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** One level of indentation, as the text has it; two spaces where it has none. */
export function indentUnitOf(text: string): string {
  return /^([ ]{1,8}|\t)(?=[^\s/*#])/m.exec(text)?.[1] ?? '  ';
}

export function splice(text: string, start: number, end: number, insert: string): string {
  return text.slice(0, start) + insert + text.slice(end);
}
