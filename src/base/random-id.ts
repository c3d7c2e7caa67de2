const DEFAULT_BYTES = 16;

/** A name that cannot be guessed nor made twice: random bytes, 128 bits of them unless more are wanted, as hex. */
export function randomId(bytes = DEFAULT_BYTES): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
