const CHECKSUM_BYTES = 4;
/** Disks damage sectors: no sector is smaller than two of these. */
const CHECKED_EVERY_BYTES = 256;

/**
 * What a file holds: the code, a checksum of it, and the source it was made of. V8 refuses what another version or other
 * flags made, but of the source it compares the length only, and it runs damaged code or dies of it.
 */
export function encodeCode(code: Buffer, source: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeInt32LE(checksumOf(code));
  return Buffer.concat([code, checksum, source]);
}

/** @returns the code in such a file; undefined where it is damaged, or of another source */
export function decodeCode(bytes: Buffer, source: Uint8Array): Buffer | undefined {
  const end = bytes.length - source.length;
  if (end < CHECKSUM_BYTES || !bytes.subarray(end).equals(source)) return undefined;
  const code = bytes.subarray(0, end - CHECKSUM_BYTES);
  return bytes.readInt32LE(code.length) === checksumOf(code) ? code : undefined;
}

/** Of a word here and there: loading node:zlib for a true checksum costs a millisecond, which is what the cache is there to save. */
function checksumOf(code: Buffer): number {
  let sum = code.length;
  for (let at = 0; at + CHECKSUM_BYTES <= code.length; at += CHECKED_EVERY_BYTES) {
    sum = (Math.imul(sum, 31) + code.readInt32LE(at)) | 0;
  }
  return sum;
}
