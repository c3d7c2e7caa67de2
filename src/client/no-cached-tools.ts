import type * as kept from './cached-tools.js';

/** Stands in for lists that are kept on disk, in bundles for Workers: they have none, and are given no cache. */
export const definitionsOf: typeof kept.definitionsOf = () => [];

export const readCachedTools: typeof kept.readCachedTools = () => [];
