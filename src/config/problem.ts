import { DoorError } from '../base/index.js';
import { fieldOf, type Path, type Place, placeText, pointerOf } from './place.js';

export type ProblemKind =
  | 'syntax'
  | 'encoding'
  | 'wrong-type'
  | 'wrong-value'
  | 'missing-field'
  | 'conflicting-fields'
  | 'unknown-field'
  | 'duplicate-key'
  | 'unset-variable'
  | 'bad-reference'
  | 'not-supported'
  | 'suspicious';

/** One thing that is wrong with a configuration, or looks as if it were. Holds no value of the file: it may be a secret. */
export interface Problem {
  /** `error`: the file, or the server it names, cannot be used. */
  readonly severity: 'error' | 'warning';
  readonly kind: ProblemKind;
  /** JSON pointer; empty for the file as a whole. */
  readonly path: string;
  /** The same for people: `mcpServers.files.args[0]`. */
  readonly field: string;
  readonly message: string;
  readonly hint?: string;
  readonly place?: Place;
  /** The one server it costs; absent where it costs the whole file. */
  readonly server?: string;
  /** The environment variable it is about. */
  readonly variable?: string;
  /** The flag it is about. */
  readonly flag?: string;
}

export interface ProblemFacts {
  readonly severity?: 'warning';
  readonly kind: ProblemKind;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly place?: Place | undefined;
  readonly server?: string | undefined;
  readonly variable?: string | undefined;
  readonly flag?: string | undefined;
}

export function makeProblem(facts: ProblemFacts): Problem {
  const { severity = 'error', kind, path, message, hint, place, server, variable, flag } = facts;
  return {
    severity,
    kind,
    path: pointerOf(path),
    field: fieldOf(path),
    message,
    ...(hint !== undefined && { hint }),
    ...(place !== undefined && { place }),
    ...(server !== undefined && { server }),
    ...(variable !== undefined && { variable }),
    ...(flag !== undefined && { flag }),
  };
}

/** `doorward.json:4:7: prefix: expected one of always, conflict, never` */
export function problemText(problem: Problem): string {
  return `${problemSubject(problem)}${problem.message}`;
}

/** What of a problem stands before its message: where it is, and what it is about. */
export function problemSubject({ place, field, flag, variable }: Problem): string {
  if (place) return `${placeText(place)}: ${field === '' ? '' : `${field}: `}`;
  // Whoever typed a flag or set a variable looks for it there, under that name.
  return field === '' ? '' : `${flag ?? variable ?? field}: `;
}

/** The error of a configuration, or of one server in it, that cannot be used. `data.problems` holds every reason. */
export function configError(problems: readonly Problem[]): DoorError {
  const first = problems.find((problem) => problem.severity === 'error') ?? problems[0]!;
  const others = problems.filter((problem) => problem.severity === 'error').length - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  return new DoorError('CONFIG_INVALID', `${problemText(first)}${more}`, {
    data: {
      path: first.path,
      ...(first.place && { file: first.place.file, line: first.place.line, column: first.place.column }),
      ...(first.variable !== undefined && { variable: first.variable }),
      problems,
    },
    ...(first.hint !== undefined && { hint: first.hint }),
  });
}
