import { isObject, type Json } from '../spec.js';

const KEYWORDS = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

/** A value in block style, a member a line; lists of plain values stand in brackets. */
export function blockLines(value: Json, indent: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => itemLines(item, indent));
  if (!isObject(value)) return [`${indent}${inlineText(value)}`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = `${indent}${keyText(name)}:`;
    const isBlock = isObject(inner) ? Object.keys(inner).length > 0 : isListOfObjects(inner);
    return isBlock ? [key, ...blockLines(inner, `${indent}  `)] : [`${key} ${inlineText(inner)}`];
  });
}

function itemLines(item: Json, indent: string): readonly string[] {
  const lines = blockLines(item, `${indent}  `);
  return lines.map((line, at) => (at === 0 ? `${indent}- ${line.slice(indent.length + 2)}` : line));
}

function isListOfObjects(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** A value in one line. What is JSON is YAML, but for two separators that YAML takes for line breaks. */
export function inlineText(value: Json): string {
  if (typeof value === 'string') return isPlain(value) ? value : quotedText(value);
  if (Array.isArray(value)) return `[${value.map(quotedOrInline).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, inner]) => `${keyText(name)}: ${quotedOrInline(inner)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return JSON.stringify(value);
}

function quotedOrInline(value: Json): string {
  return typeof value === 'string' ? quotedText(value) : inlineText(value);
}

function keyText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !KEYWORDS.test(name) ? name : quotedText(name);
}

function isPlain(text: string): boolean {
  return /^[A-Za-z_./][A-Za-z0-9_./@-]*$/.test(text) && !KEYWORDS.test(text) && !/^[.\d_-]+$|^\.(inf|nan)$/i.test(text);
}

function quotedText(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
