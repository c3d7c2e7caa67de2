import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { listedDefinition } from './listed.js';
import type { Contract } from './types.js';

type Printed = Pick<Contract, 'server' | 'tools' | 'resources' | 'prompts'>;

/** Adds the fingerprint to a contract or a slice, taken when it is first asked for, and freezes it: many never ask. */
export function withFingerprint<Parts extends object>(
  parts: Parts,
  printed: Printed,
): Readonly<Parts> & { readonly fingerprint: string } {
  let taken: string | undefined;
  return Object.freeze({
    ...parts,
    get fingerprint(): string {
      taken ??= fingerprintOf(printed);
      return taken;
    },
  });
}

/** One text for the same things in any order, digested. */
function fingerprintOf({ server, tools, resources, prompts }: Printed): string {
  const facts = {
    server: server.name,
    tools: sorted(tools.map((tool) => ({ ...listedDefinition(tool), aliases: [...tool.aliases].sort() }))),
    resources: sorted(resources.map(shown)),
    prompts: sorted(prompts.map(shown)),
  };
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(facts, inOrder))));
}

interface Placed {
  readonly name: string;
  readonly availability?: unknown;
  readonly locality?: unknown;
}

/** Where something is served is told to nobody. */
function shown({ availability: _, locality: __, ...rest }: Placed): { readonly name: string } {
  return rest;
}

function sorted<Member extends { readonly name: string }>(members: readonly Member[]): readonly Member[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Writes the members of each object in the order of their names; so does a schema that lists some of them. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const ordered = Object.fromEntries(entries) as Record<string, unknown>;
  const { required, properties } = ordered;
  if (Array.isArray(required) && typeof properties === 'object') ordered.required = [...required].sort();
  return ordered;
}
