import type { Principal } from '../../base/index.js';

/** Stands for everybody who may see private tools, where a list is laid out for all. */
export const isLocalPrincipal: Principal = Object.freeze({ id: 'local', kind: 'local' });
