import type { CancelSignal, Principal } from '../../base/index.js';
import type { Environment } from '../../config/index.js';
import type { Project } from '../../runtime/node/index.js';
import type { GitTree } from './git-tree.js';
import type { LiveServer } from './live-server.js';

/** Whoever validates is at the author's own machine, and is shown and granted all that the tools ask for. */
export const AUTHOR: Principal = { id: 'local:validate', kind: 'local' };

/** One thing that is not as it should be: one line. */
export interface Fault {
  /** The check that found it, as `--json` and the line name it. */
  readonly check: string;
  /** What is wrong, and where: a file, a tool, an address. */
  readonly message: string;
  readonly hint?: string;
}

/** What a check found, before it is known which check that was. */
export type Finding = Omit<Fault, 'check'>;

/** What is checked. */
export interface Subject {
  readonly project: Project;
  /** What git knows of the project; undefined where it is in no repository, or has no commit. */
  readonly git: GitTree | undefined;
  /** The project's servers, started when they are first asked for; none where it has no implementation. */
  live(): Promise<readonly LiveServer[]>;
  readonly environment: Environment;
  readonly signal: CancelSignal;
  /** Whether tools that change something are called as well. */
  readonly callsWrites: boolean;
}

/** A check that could not be made, and why: no fault, and not to be taken for a pass. */
export class Skipped {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

export interface Check {
  readonly name: string;
  /** What it is about, for whoever waits. */
  readonly about: string;
  run(subject: Subject): readonly Finding[] | Skipped | Promise<readonly Finding[] | Skipped>;
}
