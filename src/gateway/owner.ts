import type { Principal } from '../base/index.js';

/** Whoever runs this process: sees and may call all there is. Stands for callers where none is named. */
export const OWNER: Principal = Object.freeze({ id: 'local', kind: 'local' });
