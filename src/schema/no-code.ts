import type { generateCode as Generate } from './code.js';

/** Stands in for code generation where a bundle is made for a platform that forbids it: it declines every schema. */
export const generateCode: typeof Generate = () => undefined;
