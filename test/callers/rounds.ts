/** Many callers at once over one door, all with the same ids and the same progress token: does each get its own, and only that? */
import type { Door } from './door.js';
import { type Era, HttpCaller, type Message, type Outcome } from './http-caller.js';

export interface RoundsOptions {
  readonly door: Door;
  readonly names: readonly string[];
  readonly rounds: number;
  /** Mounts, each called in turn. */
  readonly mounts: readonly string[];
  /** What the callers declare; without elicitation none is asked anything. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether a log message tells by its stream whose it is: over stdio it belongs to nobody, and reaches nobody. */
  readonly hearsLogs: boolean;
  readonly longestWaitMs: number;
  readonly seed: number;
  readonly tell?: (round: number) => void;
}

export interface Figures {
  calls: number;
  answers: number;
  progress: number;
  logs: number;
  questions: number;
  /** What reached somebody that was another's, in words; empty is what is wanted. */
  readonly crossed: string[];
  /** What should have come and did not, or was refused. */
  readonly missing: string[];
}

/** One call in so many asks its caller something. */
const ASKS_EVERY = 4;
/** Enough to see what is wrong. */
const TOLD = 20;

export async function runRounds(options: RoundsOptions): Promise<Figures> {
  const figures: Figures = { calls: 0, answers: 0, progress: 0, logs: 0, questions: 0, crossed: [], missing: [] };
  const random = randomFrom(options.seed);
  const callers = options.names.map((name, index) =>
    makeCaller(options, name, index % 2 === 0 ? 'handshake' : 'modern'),
  );
  const mayBeAsked = options.capabilities.elicitation !== undefined;
  try {
    await Promise.all(callers.map((caller) => caller.open()));
    for (let round = 0; round < options.rounds && !isHopeless(figures); round++) {
      const calls = callers.map((caller, index) => ({
        caller,
        mount: options.mounts[(round + index) % options.mounts.length] ?? '',
        asks: mayBeAsked && random() < 1 / ASKS_EVERY,
        waitMs: Math.floor(random() * (options.longestWaitMs + 1)),
      }));
      await Promise.all(calls.map((call) => callOnce({ ...call, hearsLogs: options.hearsLogs }, figures)));
      options.tell?.(round + 1);
    }
    for (const caller of callers) checkOthers(caller.name, caller.outside, 'outside of any call', figures);
    return figures;
  } finally {
    await Promise.all(callers.map((caller) => caller.close()));
  }
}

function makeCaller({ door, capabilities }: RoundsOptions, name: string, era: Era): HttpCaller {
  return new HttpCaller({ url: door.url, era, name, token: door.token(name), capabilities });
}

function isHopeless({ crossed, missing }: Figures): boolean {
  return crossed.length + missing.length >= TOLD;
}

interface OneCall {
  readonly caller: HttpCaller;
  readonly mount: string;
  readonly asks: boolean;
  readonly waitMs: number;
  readonly hearsLogs: boolean;
}

async function callOnce({ caller, mount, asks, waitMs, hearsLogs }: OneCall, figures: Figures): Promise<void> {
  figures.calls++;
  const where = `${caller.name} (${caller.era}) at ${mount}`;
  const outcome = await caller
    .call(`${mount}__whoami`, { name: caller.name, asks, waitMs })
    .catch((error: unknown) => error);
  if (outcome instanceof Error) {
    figures.missing.push(`${where}: ${outcome.message}`);
    return;
  }
  checkOutcome(caller.name, outcome as Outcome, { where, asks, hearsLogs }, figures);
}

/** Holds one call's end against who made it, and counts. */
export function checkOutcome(
  name: string,
  outcome: Outcome,
  { where, asks, hearsLogs }: { where: string; asks: boolean; hearsLogs: boolean },
  figures: Figures,
): void {
  const { answer, heard, asked } = outcome;
  const structured = answer.result?.structuredContent as
    | { name?: string; answers?: { form?: { content?: { name?: string } } } }
    | undefined;
  const whose = asks ? structured?.answers?.form?.content?.name : structured?.name;
  if (whose === name) figures.answers++;
  else if (whose === undefined) figures.missing.push(`${where}: ${JSON.stringify(answer).slice(0, 300)}`);
  else figures.crossed.push(`${where} was given the answer of ${whose}`);
  checkOthers(name, heard, where, figures);
  for (const { params } of asked) {
    if (params?.message === name) figures.questions++;
    else figures.crossed.push(`${where} was asked ${JSON.stringify(params?.message)}`);
  }
  if (asks && asked.length !== 1) figures.missing.push(`${where} was asked ${asked.length} times`);
  const progress = heard.filter(({ method }) => method === 'notifications/progress');
  const logs = heard.filter(({ method }) => method === 'notifications/message');
  figures.progress += progress.length;
  figures.logs += logs.length;
  // A call that asks is run again by a modern server, and says some of it again.
  if (!asks && progress.length !== 2) figures.missing.push(`${where} heard progress ${progress.length} times`);
  if (!asks && hearsLogs && logs.length !== 1) figures.missing.push(`${where} heard ${logs.length} log messages`);
}

/** Everything that names somebody must name this caller. */
function checkOthers(name: string, heard: readonly Message[], where: string, { crossed }: Figures): void {
  for (const message of heard) {
    const data = message.params?.data as { name?: string } | undefined;
    const whose = message.method === 'notifications/progress' ? message.params?.message : data?.name;
    if (whose !== undefined && whose !== name) crossed.push(`${where} heard ${message.method} of ${String(whose)}`);
    const token = message.params?.progressToken;
    if (token !== undefined && token !== 'same') crossed.push(`${where} heard progress of the token ${String(token)}`);
  }
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
