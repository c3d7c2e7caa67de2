import type { DoorEvents, EventBus, EventName } from '../../base/index.js';
import { LogStream } from './log-stream.js';

export type LogLevel = 'error' | 'warn' | 'info';

export interface EventLogOptions {
  readonly format: 'text' | 'json';
  /** `warn` shows what needs a person's eye; `info` shows everything that happens. */
  readonly level: LogLevel;
  /** Takes the lines, each with its line feed. Default: stderr; lines are dropped there rather than pile up unread. */
  readonly stream?: { write(line: string): unknown };
}

const LEVELS = {
  'upstream.connected': 'info',
  'upstream.lost': 'error',
  'upstream.relisted': 'info',
  'mount.changed': 'info',
  'server.warning': 'warn',
  'tool.excluded': 'warn',
  'tool.changed': 'info',
  'call.completed': 'info',
  'call.rejected': 'warn',
  'output.violation': 'warn',
  'handler.failed': 'error',
  'elicitation.rejected': 'warn',
  'auth.required': 'warn',
  'door.warning': 'warn',
  'config.changed': 'info',
} as const satisfies Record<EventName, LogLevel>;

/** Requests go on as long as nobody has logged in: each is told, and would fill the log with one and the same line. */
const LOGIN_EVERY_MS = 600_000;

const RANK: Record<LogLevel, number> = { error: 0, warn: 1, info: 2 };

/** What an event says, in one line. No argument's value is in any event, so none can be in any line. */
const SENTENCES: { readonly [Name in EventName]: (event: DoorEvents[Name]) => string } = {
  'upstream.connected': (e) => `${e.upstream} is connected (${e.revision}, ${e.tools} tools)`,
  'upstream.lost': (e) => (isAbout(e.reason, e.upstream) ? e.reason : `${e.upstream}: ${e.reason}`),
  'upstream.relisted': (e) => `${e.upstream} listed its tools anew (${e.tools})`,
  'mount.changed': (e) =>
    `${e.upstream}: its ${e.tools} tools are ${e.change}${e.reason === undefined ? '' : `: ${e.reason}`}`,
  'server.warning': (e) => e.message,
  'tool.excluded': (e) => `${e.upstream}: ${e.tool} is left out: ${e.which}${e.schemaPath}: ${e.reason} (${e.code})`,
  'tool.changed': (e) => `${e.upstream}: ${e.tool} was ${e.change}`,
  'call.completed': (e) => `${e.upstream}: ${e.tool} ${e.outcome} in ${e.durationMs.toFixed(1)} ms`,
  'call.rejected': (e) => `${e.upstream === '' ? '' : `${e.upstream}: `}refused a call of ${e.tool}: ${issuesOf(e)}`,
  'output.violation': (e) => `${e.upstream}: the answer of ${e.tool} breaks its outputSchema: ${issuesOf(e)}`,
  'handler.failed': (e) => `${e.upstream}: the handler of ${e.name} failed: ${e.reason}`,
  'elicitation.rejected': (e) =>
    `${e.upstream}: an answer${e.tool === '' ? '' : ` to ${e.tool}`} was refused: ${issuesOf(e)}`,
  'auth.required': (e) => `${e.upstream} wants a login. ${e.hint}`,
  'door.warning': (e) => e.message,
  'config.changed': (e) => `${e.path} has changed`,
};

/** Writes a gateway's events to stderr, a line each. @returns a function that stops it */
export function logEvents(events: EventBus, options: EventLogOptions): () => void {
  const stream = options.stream ?? new LogStream(process.stderr, options.format);
  const stops: (() => void)[] = [];
  const isDue = loginPace();
  for (const name of Object.keys(LEVELS) as EventName[]) {
    const level = LEVELS[name];
    if (RANK[level] > RANK[options.level]) continue;
    stops.push(
      events.on(name, (event) => {
        if (name !== 'auth.required' || isDue(event as DoorEvents['auth.required'])) {
          stream.write(`${lineOf(name, level, event, options.format)}\n`);
        }
      }),
    );
  }
  return () => {
    for (const stop of stops) stop();
  };
}

/** @returns whether it is time to say again that an upstream wants a login; asking is saying it */
function loginPace(): (event: DoorEvents['auth.required']) => boolean {
  const saidAtMs = new Map<string, number>();
  return ({ upstream }) => {
    const nowMs = performance.now();
    const isDue = nowMs - (saidAtMs.get(upstream) ?? Number.NEGATIVE_INFINITY) >= LOGIN_EVERY_MS;
    if (isDue) saidAtMs.set(upstream, nowMs);
    return isDue;
  };
}

function isAbout(reason: string, upstream: string): boolean {
  return reason.startsWith(`${upstream}: `) || reason.startsWith(`${upstream} `);
}

/** What a terminal acts on and JSON lets stand: DEL and the C1 codes, line separators, overrides of the text's direction. */
const UNSEEN = '\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069';
const UNSEEN_ALONE = new RegExp(`[${UNSEEN}]`, 'g');
const UNSEEN_OR_CONTROL = new RegExp(`[\\u0000-\\u001f${UNSEEN}]+`, 'g');

/** One line of the log in JSON; what a terminal would act on is escaped. */
export function jsonLogLine(level: LogLevel, event: string, facts: object): string {
  const json = JSON.stringify({ time: new Date().toISOString(), level, event, ...facts });
  return json.replace(UNSEEN_ALONE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function lineOf(name: EventName, level: LogLevel, event: DoorEvents[EventName], format: 'text' | 'json'): string {
  if (format === 'json') {
    return jsonLogLine(level, name, event);
  }
  const sentence = (SENTENCES[name] as (event: DoorEvents[EventName]) => string)(event);
  // A server's words may hold line breaks and terminal codes: one event stays one line, and only text.
  return `doorward: ${sentence.replace(UNSEEN_OR_CONTROL, ' ')}`;
}

function issuesOf(event: {
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly code?: string;
}): string {
  const issues = event.issues ?? [];
  if (issues.length === 0) return event.code ?? '';
  return issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
}
