/** JSON text laid out for reading. Only white space changes: every number and string stays as it was written. */
export function indentJson(text: string, margin = ''): string {
  let out = '';
  let depth = 0;
  let at = 0;
  const newLine = (): string => `\n${margin}${'  '.repeat(depth)}`;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
    if (character === '{' || character === '[') {
      const close = endOfEmpty(text, at);
      if (close > 0) {
        out += character + text[close - 1];
        at = close;
        continue;
      }
      depth += 1;
      out += character + newLine();
    } else if (character === '}' || character === ']') {
      depth -= 1;
      out += newLine() + character;
    } else if (character === ',') {
      out += character + newLine();
    } else if (character === ':') {
      out += ': ';
    } else if (!isSpace(character)) {
      out += character;
    }
  }
  return out;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** The index behind the closing bracket of an object or array without members; 0 where there are some. */
function endOfEmpty(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text[at]!)) at += 1;
  return text[at] === '}' || text[at] === ']' ? at + 1 : 0;
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
