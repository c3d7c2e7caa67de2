import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Target } from './types.js';

interface NameRule {
  readonly first: RegExp;
  /** Any character that may not stand there. */
  readonly foreign: RegExp;
  readonly maxLength: number;
}

/** What functions may be called. Gemini's pages name 63, 64 and 128 as its bound: the least is right by all of them. */
const RULES: Readonly<Record<Target, NameRule>> = {
  openai: { first: /^[A-Za-z0-9_-]/, foreign: /[^A-Za-z0-9_-]/g, maxLength: 64 },
  anthropic: { first: /^[A-Za-z0-9_-]/, foreign: /[^A-Za-z0-9_-]/g, maxLength: 64 },
  gemini: { first: /^[A-Za-z_]/, foreign: /[^A-Za-z0-9_.-]/g, maxLength: 63 },
};

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const HASH_CHARACTERS = 6;

/**
 * Names that a target takes, for tools in whatever order: a name that is good stays, any other is put right and marked by
 * a hash of itself, so that it is the same on every server.
 *
 * @param names unique
 * @returns the target's name by the tool's own; unique
 */
export function namesFor(target: Target, names: readonly string[]): ReadonlyMap<string, string> {
  const rule = RULES[target];
  const given = new Map<string, string>();
  const taken = new Set<string>();
  const changed: string[] = [];
  for (const name of names) {
    if (!isGood(name, rule)) changed.push(name);
    else {
      given.set(name, name);
      taken.add(name);
    }
  }
  for (const name of changed.sort()) {
    let characters = HASH_CHARACTERS;
    while (taken.has(mended(name, rule, characters))) characters++;
    const as = mended(name, rule, characters);
    given.set(name, as);
    taken.add(as);
  }
  return given;
}

function isGood(name: string, { first, foreign, maxLength }: NameRule): boolean {
  return first.test(name) && name.length <= maxLength && name.search(foreign) < 0;
}

function mended(name: string, { first, foreign, maxLength }: NameRule, characters: number): string {
  const digest = sha256(utf8ToBytes(name));
  const hash = Array.from({ length: characters }, (_, at) => BASE32[digest[at % digest.length]! % 32]).join('');
  const clean = name.replace(foreign, '_');
  const begun = first.test(clean) ? clean : `_${clean}`;
  return `${begun.slice(0, maxLength - characters - 1)}_${hash}`;
}
