import { ExactNumber, mayHoldExactNumber } from './exact-number.js';

/**
 * Writes a value as JSON.stringify does, but each `ExactNumber` as the number it is, digit for digit.
 *
 * @param indent spaces a level; absent for one line
 */
export function stringifyJson(value: unknown, indent?: number): string {
  if (!mayHoldExactNumber(value)) return JSON.stringify(value, undefined, indent) ?? 'null';
  return writeJson(value, { step: ' '.repeat(indent ?? 0), margin: '' }) ?? 'null';
}

interface Layout {
  readonly step: string;
  readonly margin: string;
}

/** @returns undefined for what JSON cannot say, as JSON.stringify does */
function writeJson(value: unknown, { step, margin }: Layout): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
  const inner = { step, margin: margin + step };
  const isArray = Array.isArray(value);
  const parts: string[] = [];
  for (const key of Object.keys(value)) {
    const part = writeJson((value as Record<string, unknown>)[key], inner);
    if (isArray) parts.push(part ?? 'null');
    else if (part !== undefined) parts.push(`${JSON.stringify(key)}:${step === '' ? '' : ' '}${part}`);
  }
  const [open, close] = isArray ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  if (step === '') return `${open}${parts.join(',')}${close}`;
  return `${open}\n${inner.margin}${parts.join(`,\n${inner.margin}`)}\n${margin}${close}`;
}
