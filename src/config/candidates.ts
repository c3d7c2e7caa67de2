import type { Environment } from './expand.js';

/** How a configuration file came to be looked at. Only what is lying in the current folder needs trust. */
export type CandidateSource = 'flag' | 'variable' | 'folder' | 'user';

/** A place where a configuration may be, in the order of looking. */
export interface Candidate {
  readonly source: CandidateSource;
  readonly path: string;
  /** Whether it was asked for by name, so that its absence is an error. */
  readonly isNamed: boolean;
}

const FILE_NAMES = ['doorward.json', 'doorward.jsonc'];

/**
 * Where to look for the configuration: the one named by `--config`, else by DOORWARD_CONFIG, else the current folder,
 * then the user's. The first one found is the configuration; nothing is merged.
 */
export function candidatesOf(options: {
  readonly environment: Environment;
  /** The value of `--config`. */
  readonly flag?: string | undefined;
}): readonly Candidate[] {
  const { environment, flag } = options;
  if (flag !== undefined) return [{ source: 'flag', path: flag, isNamed: true }];
  const { DOORWARD_CONFIG: named } = environment;
  if (named) return [{ source: 'variable', path: named, isNamed: true }];
  const folder = FILE_NAMES.map((name): Candidate => ({ source: 'folder', path: name, isNamed: false }));
  const home = userFolder(environment, 'XDG_CONFIG_HOME', '.config');
  if (home === undefined) return folder;
  const user = FILE_NAMES.map((name): Candidate => ({ source: 'user', path: `${home}/${name}`, isNamed: false }));
  return [...folder, ...user];
}

/**
 * doorward's folder under one of the XDG base directories. A relative base is ignored, as the XDG specification asks.
 *
 * @returns undefined where the environment names neither the base nor a home
 */
export function userFolder(environment: Environment, variable: string, below: string): string | undefined {
  const base = environment[variable];
  if (base && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(base)) return `${base}/doorward`;
  const home = environment.HOME || environment.USERPROFILE;
  return home ? `${home}/${below}/doorward` : undefined;
}
