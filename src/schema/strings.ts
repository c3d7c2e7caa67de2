import { findFormat } from './formats.js';

/** Whether a keyword's verdict depends on what is inside a string, rather than on its being one. */
export function readsStrings(keyword: string, value: unknown, readsFormats: boolean): boolean {
  switch (keyword) {
    case 'pattern':
    case 'maxLength':
      return true;
    case 'minLength':
      return value !== 0;
    case 'uniqueItems':
      return value === true;
    case 'format':
      return readsFormats && findFormat(value as string) !== undefined;
    case 'enum':
    case 'const':
      return holdsString(value);
    default:
      return false;
  }
}

/** No string equals a value without any string in it, whatever it says. */
function holdsString(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsString);
}
