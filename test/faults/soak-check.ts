/** Lays the journals of both sides beside each other and says where they do not agree with what was promised. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, CallEntry, SoakCaller } from './soak-caller.js';
import { HEALTHY } from './soak-plan.js';

export type MissKind =
  | 'lost'
  | 'wrong'
  | 'answered twice'
  | 'executed twice'
  | 'executed after cancel'
  | 'healthy failed';

export interface Miss {
  readonly kind: MissKind;
  /** The token of the call, or who noticed. */
  readonly about: string;
  readonly what: string;
}

interface Note {
  readonly atMs: number;
  readonly what: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly process: UpstreamProcess;
}

export interface UpstreamProcess {
  readonly name: string;
  readonly pid: number;
  readonly notes: Note[];
  /** Processes it started itself. */
  readonly grandchildren: readonly number[];
}

/** How long a line may lie in a pipe before the other side reads it, on a machine that is busy. */
const IN_PIPE_MS = 2_000;

export function readJournals(folder: string): UpstreamProcess[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => {
      const process: UpstreamProcess = {
        name: file.split('-')[0]!,
        pid: Number(file.split('-')[1]),
        notes: [],
        grandchildren: [],
      };
      const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean);
      for (const line of lines) {
        const [atMs, what, facts] = JSON.parse(line) as [number, string, Record<string, unknown>];
        process.notes.push({ atMs, what, facts, process });
      }
      const grandchildren = process.notes
        .filter(({ what }) => what === 'grandchild')
        .map(({ facts }) => Number(facts.pid));
      return { ...process, grandchildren };
    });
}

export class SoakCheck {
  readonly misses: Miss[] = [];
  /** How the faults that reached somebody ended, by fault: `TIMEOUT`, `result`, `cancelled`, ... and how often. */
  readonly outcomes = new Map<string, Map<string, number>>();
  /** From a crash to the answer of the call it happened in. */
  readonly crashAnsweredMs: number[] = [];
  /** What the upstreams did for each token, in order. */
  readonly #byToken = new Map<string, Note[]>();
  readonly #callers: readonly SoakCaller[];
  readonly #processes: readonly UpstreamProcess[];

  constructor(callers: readonly SoakCaller[], processes: readonly UpstreamProcess[]) {
    this.#callers = callers;
    this.#processes = processes;
    for (const { notes } of processes) {
      for (const note of notes) {
        const token = note.facts.token;
        if (typeof token !== 'string') continue;
        const known = this.#byToken.get(token);
        if (known === undefined) this.#byToken.set(token, [note]);
        else known.push(note);
      }
    }
  }

  run(): void {
    const known = new Set<string>();
    for (const caller of this.#callers) {
      for (const entry of caller.calls) {
        known.add(entry.token);
        this.#checkCall(entry, caller.options.declaresElicitation);
      }
      for (const { what, line } of caller.oddities) this.#miss('wrong', caller.options.name, `${what}: ${line}`);
      this.#checkLists(caller);
    }
    for (const token of this.#byToken.keys()) {
      if (!known.has(token)) this.#miss('wrong', token, 'an upstream worked on a call that nobody made');
    }
    for (const process of this.#processes) this.#checkProcess(process);
  }

  count(kind: MissKind): number {
    return this.misses.filter((miss) => miss.kind === kind).length;
  }

  #checkCall(entry: CallEntry, declares: boolean): void {
    const { token, answers, step } = entry;
    const notes = this.#byToken.get(token) ?? [];
    const begun = notes.filter(({ what }) => what === 'call');
    if (begun.length > 1) this.#miss('executed twice', token, `${begun.length} times at ${step.upstream}`);
    if (answers.length > 1)
      this.#miss('answered twice', token, answers.map(({ raw }) => raw.slice(0, 200)).join(' | '));
    const isGivenUp = entry.cancelTakenAtMs !== undefined || entry.vanishedAtMs !== undefined;
    const [answer] = answers;
    if (answer === undefined && !isGivenUp) this.#miss('lost', token, `${step.act} at ${step.upstream}: no answer`);
    if (isGivenUp) this.#checkGivenUp(entry, notes);
    if (answer !== undefined) this.#checkAnswer(entry, answer, notes, declares);
    if (step.fault !== undefined) this.#countOutcome(step.fault, outcomeOf(entry));
  }

  #checkGivenUp({ token, step, cancelTakenAtMs, vanishedAtMs, answers }: CallEntry, notes: readonly Note[]): void {
    const begun = notes.find(({ what }) => what === 'call');
    const last = answers.at(-1);
    if (cancelTakenAtMs !== undefined && last !== undefined && last.atMs > cancelTakenAtMs) {
      this.#miss('wrong', token, 'was answered after its cancellation was taken up');
    }
    if (begun === undefined || step.upstream === 'hostile') return;
    const goneAtMs = cancelTakenAtMs ?? vanishedAtMs!;
    if (begun.atMs > goneAtMs + IN_PIPE_MS) {
      this.#miss('executed after cancel', token, `${Math.round(begun.atMs - goneAtMs)} ms after it was given up`);
    }
    const isTold = notes.some(({ what }) => what === 'cancelled' || what === 'answer');
    // The upstream a caller had to itself ends with it, and need not be told of each call.
    const hasEnded = begun.process.notes.some(({ what }) => what === 'end');
    if (!isTold && !hasEnded) this.#miss('wrong', token, `${step.upstream} was not told that the call was given up`);
  }

  #checkAnswer(entry: CallEntry, answer: Answer, notes: readonly Note[], declares: boolean): void {
    const { token, step } = entry;
    const { message } = answer;
    const isBegun = notes.some(({ what }) => what === 'call');
    if (message.result !== undefined) {
      const fault = isBegun ? wrongIn(entry, answer, declares) : 'answered though no upstream worked on it';
      if (fault !== undefined) this.#miss('wrong', token, `${step.act} at ${step.upstream}: ${fault}`);
      const told = entry.progressAtMs.length;
      if (told !== (step.hasProgress ? 1 : 0)) this.#miss('wrong', token, `${told} progress notifications`);
      return;
    }
    if (step.act === 'error' && message.error?.code === -32011) {
      if (message.error.message !== token)
        this.#miss('wrong', token, `the error of another call: ${message.error.message}`);
      return;
    }
    const { code = 'none', outcome } = (message.error?.data ?? {}) as { code?: string; outcome?: string };
    if (outcome !== 'unknown' && isBegun)
      this.#miss('wrong', token, `${code} says nothing of its outcome, yet it was begun`);
    if (step.isInvalid && code === 'INVALID_ARGUMENTS') return;
    const crash = notes.find(({ what }) => what === 'crash');
    if (crash !== undefined && code === 'UPSTREAM_LOST') this.crashAnsweredMs.push(answer.atMs - crash.atMs);
    if (step.upstream !== 'hostile') {
      this.#miss('healthy failed', token, `${step.act} at ${step.upstream}: ${code}: ${message.error?.message}`);
    } else if (!(ALLOWED[step.act] ?? DOWN).includes(code)) {
      this.#miss('wrong', token, `${step.act} at hostile: ${code}: ${message.error?.message}`);
    } else if (code === 'UPSTREAM_LOST' && notes.some(({ what }) => what === 'answer')) {
      const answeredMs = notes.find(({ what }) => what === 'answer')!.atMs - entry.sentAtMs;
      this.#miss(
        'lost',
        token,
        `${step.act} at hostile: answered after ${Math.round(answeredMs)} ms, and the answer was dropped`,
      );
    }
  }

  #checkLists({ lists, options }: SoakCaller): void {
    for (const { names, ageMs, tookMs } of lists) {
      // By the waiting rule the first list may be without an upstream that is slow to start.
      if (options.declaresElicitation && ageMs < 5_000) continue;
      const missing = HEALTHY.filter((name) => !names.includes(`${name}__work`) || !names.includes(`${name}__typed`));
      if (missing.length > 0) {
        this.#miss(
          'healthy failed',
          options.name,
          `tools/list without ${missing.join(', ')} (${Math.round(tookMs)} ms)`,
        );
      }
    }
  }

  /** An upstream process that may ask has one caller; one that may not ask, only such as cannot be asked. */
  #checkProcess({ name, pid, notes }: UpstreamProcess): void {
    const hello = notes.find(({ what }) => what === 'initialize')?.facts.capabilities ?? {};
    const shown = JSON.stringify(hello);
    const about = `${name} (pid ${pid})`;
    if (shown !== '{}' && shown !== '{"elicitation":{}}') this.#miss('wrong', about, `was shown ${shown}`);
    const tokens = notes.filter(({ what }) => what === 'call').map(({ facts }) => String(facts.token));
    const connections = new Set(tokens.map((token) => token.replace(/-\d+-/, ' connection ')));
    const declaring = this.#callers
      .filter(({ options }) => options.declaresElicitation)
      .map(({ options }) => options.name);
    if (shown === '{}') {
      const strangers = [...connections].filter((each) => declaring.includes(each.split(' ')[0]!));
      if (strangers.length > 0)
        this.#miss('wrong', about, `is shared, yet served ${strangers.join(', ')}, who can be asked`);
    } else if (connections.size > 1) {
      this.#miss('wrong', about, `could ask, yet served more than one caller: ${[...connections].join(', ')}`);
    }
    for (const { what, facts } of notes) {
      if (what === 'unasked') this.#miss('wrong', about, `was answered what it did not ask: ${JSON.stringify(facts)}`);
    }
  }

  #countOutcome(fault: string, outcome: string): void {
    const outcomes = this.outcomes.get(fault) ?? new Map<string, number>();
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    this.outcomes.set(fault, outcomes);
  }

  #miss(kind: MissKind, about: string, what: string): void {
    this.misses.push({ kind, about, what });
  }
}

/** What a call of the hostile upstream may be answered with because others brought it down. */
const DOWN = ['UPSTREAM_LOST', 'UPSTREAM_UNREACHABLE', 'TIMEOUT'];
const MALFORMED = [...DOWN, 'UPSTREAM_BROKE_PROTOCOL'];
const ALLOWED: Readonly<Record<string, readonly string[]>> = { cut: MALFORMED, truncate: MALFORMED };
const NEVER_A_RESULT = ['hang', 'cut', 'crash', 'truncate'];

/** What is wrong with a result, if anything. */
function wrongIn(entry: CallEntry, { message, raw }: Answer, declares: boolean): string | undefined {
  const { token, step, n, text } = entry;
  if (step.isInvalid) return 'arguments that break the schema were passed on';
  if (step.act === 'error' || NEVER_A_RESULT.includes(step.act)) return 'a result that nobody gave';
  // Time stands still only while a caller is asked.
  if (step.act === 'late' && !declares) return 'a result after the deadline';
  const content = message.result?.content as readonly { readonly text: string }[] | undefined;
  const said = step.act === 'ask' ? (declares ? (entry.said ?? 'nobody was asked') : 'cannot ask') : 'done';
  const right = `${step.upstream}:${token}:${said}:${text}`;
  if (content?.[0]?.text !== right)
    return `not its own answer: ${String(content?.[0]?.text).slice(0, 60)}, not ${right.slice(0, 60)}`;
  if (raw !== '' && !raw.includes(`"n":${n}`)) return `a number was changed: ${raw.slice(-120)}`;
  if (step.tool === 'typed' && !isOwn(message.result?.structuredContent, token))
    return 'structuredContent of another call';
  return undefined;
}

function isOwn(structured: unknown, token: string): boolean {
  return (structured as { token?: unknown } | undefined)?.token === token;
}

function outcomeOf({ answers, cancelTakenAtMs, vanishedAtMs }: CallEntry): string {
  const [answer] = answers;
  if (answer?.message.result !== undefined) return 'result';
  if (answer !== undefined) return String(answer.message.error?.data?.code ?? answer.message.error?.code);
  if (cancelTakenAtMs !== undefined) return 'cancelled';
  return vanishedAtMs !== undefined ? 'vanished' : 'lost';
}
