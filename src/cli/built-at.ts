/** Written by tools/build.mjs. */
declare const __BUILT_AT__: string | undefined;

/** When doorward was made: the time of its commit, RFC 3339; undefined where the sources run as they are. */
export const BUILT_AT: string | undefined = typeof __BUILT_AT__ === 'undefined' ? undefined : __BUILT_AT__ || undefined;
