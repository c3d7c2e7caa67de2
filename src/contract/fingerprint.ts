import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { listedDefinition } from './listed.js';
import type { Contract } from './types.js';

type Printed = Pick<Contract, 'server' | 'tools' | 'resources' | 'prompts'>;

/** One text for the same things in any order, digested. */
export function fingerprintOf({ server, tools, resources, prompts }: Printed): string {
  const facts = {
    server: server.name,
    tools: sorted(tools.map((tool) => ({ ...listedDefinition(tool), aliases: [...tool.aliases].sort() }))),
    resources: sorted(resources),
    prompts: sorted(prompts),
  };
  return bytesToHex(sha256(utf8ToBytes(canonicalText(facts))));
}

function sorted<Member extends { readonly name: string }>(members: readonly Member[]): readonly Member[] {
  return [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** JSON with the members of each object in the order of their names. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
