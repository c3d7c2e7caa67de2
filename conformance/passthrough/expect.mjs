/** Throws when what a row is about did not happen at all; two runs that both saw nothing would else be equal. */
export function expect(holds, what) {
  if (!holds) throw new Error(`not seen: ${what}`);
}
