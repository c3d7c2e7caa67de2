import type { generateCheck as Generate } from './engine.js';

/** Stands in for the engine where a bundle is made for a platform that forbids code generation: it declines every schema. */
export const generateCheck: typeof Generate = () => undefined;
