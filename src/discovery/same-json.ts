/**
 * Whether two values are the same JSON. What is the same object is not looked into: a server that hands out the schemas
 * of its contract again costs next to nothing here.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  const members = left as Readonly<Record<string, unknown>>;
  const others = right as Readonly<Record<string, unknown>>;
  return names.every((name) => Object.hasOwn(others, name) && isSameJson(members[name], others[name]));
}
