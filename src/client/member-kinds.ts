import { ExactNumber } from '../base/index.js';

/** Whether a value is what the wire's schema says of a member. */
export type Fits = (value: unknown) => boolean;

/** By the names of members. An absent member fits; what is not named here may be anything. */
export type MemberKinds = Readonly<Record<string, Fits>>;

export const isString: Fits = (value) => typeof value === 'string';
export const isBoolean: Fits = (value) => typeof value === 'boolean';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** What the wire's schema says of everything that is listed; a member of the wrong kind makes SDK clients drop the whole list. */
export const COMMON_KINDS: MemberKinds = {
  title: isString,
  description: isString,
  icons: (value) => Array.isArray(value) && value.every(isIcon),
  _meta: isObject,
};

function isIcon(value: unknown): boolean {
  if (!isObject(value) || typeof value.src !== 'string') return false;
  const { mimeType, sizes, theme } = value;
  if (mimeType !== undefined && typeof mimeType !== 'string') return false;
  if (theme !== undefined && theme !== 'light' && theme !== 'dark') return false;
  return sizes === undefined || (Array.isArray(sizes) && sizes.every(isString));
}

/** The members that are there and are not of their kind. */
export function misfitsOf(value: Readonly<Record<string, unknown>>, kinds: MemberKinds): string[] {
  return Object.keys(kinds).filter((member) => value[member] !== undefined && !kinds[member]!(value[member]));
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return 'a number';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
