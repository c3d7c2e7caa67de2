/** Written by build.mjs. */
declare const __BUILT_AT__: string | undefined;

/** When this was built, RFC 3339: the time of its commit. Empty where that is not known. */
export const BUILT_AT: string = typeof __BUILT_AT__ === 'undefined' ? '' : __BUILT_AT__;
