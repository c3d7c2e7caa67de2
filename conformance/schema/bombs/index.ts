import type { Bomb } from './bomb.js';
import { SCHEMA_BOMBS } from './schema-bombs.js';
import { VALUE_BOMBS } from './value-bombs.js';

export type { Bomb } from './bomb.js';

/** Small inputs that cost an unguarded engine seconds, its stack or its memory. Each has an answer, and a price. */
export const BOMBS: readonly Bomb[] = [...SCHEMA_BOMBS, ...VALUE_BOMBS];
