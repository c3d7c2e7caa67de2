import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** What of a workflow names something outside it. */
export interface Workflow {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  /** Patterns that its events are filtered by, without those that take paths away (`!`), and what its first step looks for. */
  readonly watched: readonly string[];
  /** Actions and workflows of others: `owner/name@reference`. */
  readonly used: readonly string[];
  /** Files and folders that its steps work with. */
  readonly named: readonly string[];
}

/** A workflow that cannot be read. */
export interface BrokenWorkflow {
  readonly path: string;
  readonly why: string;
}

const FOLDER = /^\.github\/workflows\/[^/]+\.ya?ml$/;

/** The workflows among a repository's files, GitHub's folder being the root's. */
export function readWorkflows(folder: string, files: readonly string[]): readonly (Workflow | BrokenWorkflow)[] {
  return files.filter((path) => FOLDER.test(path)).map((path) => readWorkflow(folder, path));
}

function readWorkflow(folder: string, path: string): Workflow | BrokenWorkflow {
  try {
    const text = readFileSync(join(folder, path), 'utf8');
    return workflowOf(path, text);
  } catch (thrown) {
    const [why = ''] = (thrown as Error).message.split('\n');
    return { path, why };
  }
}

type Node = Readonly<Record<string, unknown>>;

/** @throws where it is no YAML */
export function workflowOf(path: string, text: string): Workflow {
  const root = objectOf(parse(text, { maxAliasCount: 100 }));
  const events = Object.values(objectOf(root.on)).map(objectOf);
  const jobs = Object.values(objectOf(root.jobs)).map(objectOf);
  const steps = jobs.flatMap((job) => listOf(job.steps).map(objectOf));
  const { WATCHED_PATHS: listed } = objectOf(root.env);
  const own = isText(listed) ? listed.split('\n').filter((line) => line !== '') : [];
  const watched = [...own, ...events.flatMap(({ paths }) => listOf(paths).filter(isText))];
  return {
    path,
    text,
    watched: watched.filter((pattern) => !pattern.startsWith('!')),
    used: [...jobs, ...steps].flatMap(({ uses }) => (isText(uses) ? [uses] : [])),
    named: [...new Set([...jobs, ...steps].flatMap(namesOf))],
  };
}

function objectOf(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Inputs of actions that are paths of the repository. */
const PATH_INPUTS = ['working-directory', 'node-version-file', 'cache-dependency-path', 'package-manager-file'];

function namesOf({ uses, run, with: inputs, 'working-directory': folder }: Node): readonly string[] {
  const given = PATH_INPUTS.map((name) => objectOf(inputs)[name]);
  const local = isText(uses) && uses.startsWith('./') ? [uses] : [];
  const plain = [folder, ...given].filter(isText).flatMap((value) => value.split('\n'));
  const all = [...local, ...plain, ...(isText(run) ? pathsIn(run) : [])];
  return all.map((name) => name.trim().replace(/^\.\//, '')).filter((name) => name !== '' && !/[$*]/.test(name));
}

/** A word of a script that is a path: by its ending, and because no address, variable or call is around it. */
const PATH_WORD =
  /(?<![\w$@:/.~%{}-])((?:\.\/)?[\w.-]+(?:\/[\w.@-]+)*\.(?:[mc]?js|ts|json|sh|ya?ml|toml|md))(?![\w/:(-]|\.\w)/g;
/** What stands before a file that the script itself writes. */
const WRITES = /(?:>{1,2}|\s-o|\s--output|\btee)\s*["']?$/;

function pathsIn(script: string): readonly string[] {
  const written = new Set<string>();
  const found: string[] = [];
  for (const match of script.matchAll(PATH_WORD)) {
    const [path] = match;
    if (WRITES.test(script.slice(0, match.index))) written.add(path);
    found.push(path);
  }
  return found.filter((path) => !written.has(path));
}
