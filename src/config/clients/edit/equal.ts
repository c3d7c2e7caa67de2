import { isObject, type Json } from '../spec.js';

/** Whether two values say the same, whatever the order of their members. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
    );
  }
  return one === other || Object.is(one, other); // NaN, which YAML and TOML have, is itself
}

/** The value at a path; undefined where there is none. */
export function valueAt(root: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  let value = root;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step];
    else if (isObject(value) && typeof step === 'string' && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** A copy with `value` at `path`; objects that lead to it are made where they are missing. `undefined` takes it out. */
export function withValueAt(root: Json, path: readonly (string | number)[], value: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value ?? null;
  if (Array.isArray(root) && typeof step === 'number') {
    const items = [...root];
    const inner = rest.length === 0 ? value : withValueAt(items[step] ?? {}, rest, value);
    if (inner === undefined) items.splice(step, 1);
    else items[step] = inner;
    return items;
  }
  const members = isObject(root) ? { ...root } : {};
  const name = String(step);
  const inner = rest.length === 0 ? value : withValueAt(members[name] ?? {}, rest, value);
  if (inner === undefined) delete members[name];
  else setOwn(members, name, inner);
  return members;
}

/** Assigning to `__proto__` would set the prototype, not a member. */
function setOwn(target: object, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
