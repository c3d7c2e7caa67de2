/** The real failures of other products that doorward must not repeat: test/data/cases.json, as it was handed over. */
import { readFileSync } from 'node:fs';
import type { UpstreamScript } from '../fixtures/open-door.js';
import { DISPOSITIONS } from './dispositions.js';

export interface Case {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: Readonly<Record<string, unknown>>;
}

const PATH = new URL('../data/cases.json', import.meta.url);

export const CASES: readonly Case[] = (JSON.parse(readFileSync(PATH, 'utf8')) as { cases: Case[] }).cases;

export function getCase(id: string): Case {
  const found = CASES.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`cases.json has no ${id}`);
  return found;
}

/** The title a test of this case has. */
export function titleOf(id: string): string {
  return `${id}: ${getCase(id).title}`;
}

/** The scripts of a case's upstreams. */
export function upstreamsOf(id: string): Readonly<Record<string, UpstreamScript>> {
  return getCase(id).input.upstreams as Readonly<Record<string, UpstreamScript>>;
}

/** The cases that the dispositions give to this file. */
export function casesRunIn(file: string): readonly Case[] {
  return CASES.filter(({ id }) => {
    const row = DISPOSITIONS[id];
    return row !== undefined && 'runs' in row && row.runs === file;
  });
}
