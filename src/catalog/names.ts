import { sha256 } from '@noble/hashes/sha2.js';
import { encodeText } from '../base/index.js';
import type { PrefixRule } from './types.js';

const MAX_LENGTH = 64;
const SHORT_HASH = 6;
const LONG_HASH = 20;
const SEPARATOR = '__';
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * The public name of a mounted tool: `<mount>__<tool>`, made of [A-Za-z0-9_-], at most 64 characters, the same in
 * every process. Where a part had to be changed or the parts could be read two ways, a hash of both keeps it distinct.
 * Names are never taken apart again: routes are looked up in a table.
 */
export function prefixedName(mount: string, tool: string): string {
  const plain = `${sanitise(mount)}${SEPARATOR}${sanitise(tool)}`;
  const isFaithful = plain === `${mount}${SEPARATOR}${tool}` && !isAmbiguous(mount, tool);
  return isFaithful && plain.length <= MAX_LENGTH ? plain : withHash(plain, mount, tool);
}

/** The public name of a tool without its mount; hashed like the prefixed one where it cannot stay as it is. */
export function bareName(mount: string, tool: string): string {
  const clean = sanitise(tool);
  return clean === tool && clean.length <= MAX_LENGTH && clean !== '' ? clean : withHash(clean, mount, tool);
}

/** What the prefixed names of a mount begin with, whatever its tools are called. */
export function namePrefix(mount: string): string {
  return `${sanitise(mount)}${SEPARATOR}`.slice(0, MAX_LENGTH - LONG_HASH - 1);
}

/** The names a tool may get under a rule, best first; the later ones are for when another tool holds the earlier. */
export function* nameCandidates(rule: PrefixRule, mount: string, tool: string): Generator<string, void> {
  if (rule !== 'always') yield bareName(mount, tool);
  if (rule !== 'never') yield prefixedName(mount, tool);
  yield withHash(plainName(rule, mount, tool), mount, tool);
  yield withHash(plainName(rule, mount, tool), mount, tool, LONG_HASH);
}

/** Whether a tool could go by this public name. */
export function isNameOf(name: string, rule: PrefixRule, mount: string, tool: string): boolean {
  for (const candidate of nameCandidates(rule, mount, tool)) if (candidate === name) return true;
  return false;
}

/**
 * A name for when all candidates are held, another in each round: upstreams may call a tool as they like, also by the
 * hashed name of somebody else's.
 */
export function furtherName(rule: PrefixRule, mount: string, tool: string, round: number): string {
  return withHash(plainName(rule, mount, tool), mount, `${tool}\0${round}`, LONG_HASH);
}

/** The candidates, then further names without end: one of them is nobody else's. */
export function* everyName(rule: PrefixRule, mount: string, tool: string): Generator<string, never> {
  yield* nameCandidates(rule, mount, tool);
  for (let round = 1; ; round++) yield furtherName(rule, mount, tool, round);
}

function plainName(rule: PrefixRule, mount: string, tool: string): string {
  return rule === 'never' ? sanitise(tool) : `${sanitise(mount)}${SEPARATOR}${sanitise(tool)}`;
}

function withHash(plain: string, mount: string, tool: string, length = SHORT_HASH): string {
  const kept = plain.slice(0, MAX_LENGTH - length - 1);
  return `${kept}_${hashOf(`${mount}\0${tool}`, length)}`;
}

/** `a` + `b__c` and `a__b` + `c` spell the same; so do parts that end or begin with the separator's own character. */
function isAmbiguous(mount: string, tool: string): boolean {
  return (
    mount === '' || mount.includes(SEPARATOR) || tool.includes(SEPARATOR) || mount.endsWith('_') || tool.startsWith('_')
  );
}

function sanitise(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/gu, '_');
}

/** The first characters of SHA-256 in base32 (RFC 4648, lower case), five bits each. */
function hashOf(text: string, length: number): string {
  const digest = sha256(encodeText(text));
  let bits = 0n;
  for (let i = 0; i < 16; i++) bits = (bits << 8n) | BigInt(digest[i]!);
  let hash = '';
  for (let i = 0; i < length; i++) hash += ALPHABET[Number((bits >> BigInt(123 - 5 * i)) & 31n)];
  return hash;
}
