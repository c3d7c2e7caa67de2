import { Buffer, isUtf8 } from 'node:buffer';
import { useNativeBytes } from '../../base/index.js';

/** Lends the rooms below what Node does natively. Whoever opens a stream of bytes calls it; once is enough. */
export function lendNativeBytes(): void {
  useNativeBytes({ isUtf8, allocate: (length) => Buffer.allocUnsafeSlow(length) });
}
