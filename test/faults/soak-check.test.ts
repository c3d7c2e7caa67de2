/** The judge of the soak is judged: every kind of miss is made up once, in journals that are right otherwise. */
import { describe, expect, test } from 'vitest';
import type { Answer, CallEntry, SoakCaller, Wire } from './soak-caller.js';
import { type MissKind, SoakCheck, type UpstreamProcess } from './soak-check.js';
import type { Step } from './soak-plan.js';

const STEP: Step = {
  kind: 'call',
  thinkMs: 0,
  upstream: 'one',
  tool: 'work',
  act: 'answer',
  afterMs: 0,
  textLength: 0,
  hasProgress: false,
  cancelAfterMs: undefined,
  isInvalid: false,
  reply: 'accept',
  fault: undefined,
};
const TOKEN = 'caller0-1-1';

const answerOf = (message: Wire, atMs = 20): Answer => ({ atMs, connection: 1, message, raw: JSON.stringify(message) });
const right = (token = TOKEN, said = 'done'): Answer =>
  answerOf({ id: 'x', result: { content: [{ text: `one:${token}:${said}:text` }], n: 7 } });
const failed = (code: string, outcome?: string): Answer =>
  answerOf({ id: 'x', error: { code: -32_603, message: 'm', data: { code, ...(outcome && { outcome }) } } });

const entry = (more: Partial<CallEntry> = {}, step: Partial<Step> = {}): CallEntry => ({
  caller: 'caller0',
  connection: 1,
  token: TOKEN,
  step: { ...STEP, ...step },
  n: '7',
  text: 'text',
  sentAtMs: 0,
  answers: [right()],
  progressAtMs: [],
  ...more,
});

type NoteText = readonly [atMs: number, what: string, facts?: Readonly<Record<string, unknown>>];
const CALL: NoteText = [10, 'call', { id: 1, token: TOKEN }];
const ANSWER: NoteText = [11, 'answer', { id: 1, token: TOKEN }];

function upstream(notes: readonly NoteText[], capabilities: object = {}): UpstreamProcess {
  const process: UpstreamProcess = { name: 'one', pid: 1, notes: [], grandchildren: [] };
  const all: readonly NoteText[] = [[0, 'initialize', { capabilities }], ...notes];
  for (const [atMs, what, facts = {}] of all) process.notes.push({ atMs, what, facts, process });
  return process;
}

interface Case {
  readonly why: string;
  readonly kind: MissKind | undefined;
  readonly calls?: readonly CallEntry[];
  readonly processes?: readonly UpstreamProcess[];
  readonly caller?: Partial<SoakCaller>;
}

const worked = [upstream([CALL, ANSWER])];
const cases: readonly Case[] = [
  { why: 'all is right', kind: undefined },
  { why: 'no answer', kind: 'lost', calls: [entry({ answers: [] })] },
  { why: 'two answers', kind: 'answered twice', calls: [entry({ answers: [right(), right()] })] },
  { why: 'the answer of another', kind: 'wrong', calls: [entry({ answers: [right('caller1-9-1')] })] },
  { why: 'a number was rounded', kind: 'wrong', calls: [entry({ n: '70000000000000000001' })] },
  { why: 'executed twice', kind: 'executed twice', processes: [upstream([CALL, CALL, ANSWER])] },
  { why: 'an answer that no upstream gave', kind: 'wrong', processes: [upstream([])] },
  {
    why: 'a call that nobody made',
    kind: 'wrong',
    processes: [upstream([CALL, ANSWER, [12, 'call', { id: 2, token: 'caller0-2-1' }]])],
  },
  {
    why: 'a healthy upstream failed',
    kind: 'healthy failed',
    calls: [entry({ answers: [failed('TIMEOUT', 'unknown')] })],
  },
  {
    why: 'refused as if never sent, though it was',
    kind: 'wrong',
    calls: [entry({ answers: [failed('INVALID_ARGUMENTS')] }, { isInvalid: true })],
  },
  { why: 'arguments that break the schema went through', kind: 'wrong', calls: [entry({}, { isInvalid: true })] },
  {
    why: 'answered after the cancellation was taken up',
    kind: 'wrong',
    calls: [entry({ cancelledAtMs: 12, cancelTakenAtMs: 15 })],
  },
  {
    why: 'sent long after it was cancelled',
    kind: 'executed after cancel',
    calls: [entry({ answers: [], cancelledAtMs: 12, cancelTakenAtMs: 15 })],
    processes: [upstream([[9_000, 'call', { id: 1, token: TOKEN }], ANSWER])],
  },
  {
    why: 'the upstream was not told of the cancellation',
    kind: 'wrong',
    calls: [entry({ answers: [], cancelledAtMs: 12, cancelTakenAtMs: 15 })],
    processes: [upstream([CALL])],
  },
  {
    why: 'the upstream was told',
    kind: undefined,
    calls: [entry({ answers: [], cancelledAtMs: 12, cancelTakenAtMs: 15 })],
    processes: [upstream([CALL, [16, 'cancelled', { id: 1, token: TOKEN }]])],
  },
  { why: 'shown what its caller lacks', kind: 'wrong', processes: [upstream([CALL, ANSWER], { sampling: {} })] },
  {
    why: 'two callers on a connection that may ask',
    kind: 'wrong',
    calls: [entry(), entry({ token: 'caller0-2-2', answers: [right('caller0-2-2')] })],
    processes: [
      upstream(
        [CALL, ANSWER, [12, 'call', { id: 2, token: 'caller0-2-2' }], [13, 'answer', { token: 'caller0-2-2' }]],
        {
          elicitation: {},
        },
      ),
    ],
  },
  { why: 'progress it did not ask for', kind: 'wrong', calls: [entry({ progressAtMs: [15] })] },
  { why: 'progress that was lost', kind: 'wrong', calls: [entry({}, { hasProgress: true })] },
  { why: 'progress it asked for', kind: undefined, calls: [entry({ progressAtMs: [15] }, { hasProgress: true })] },
  {
    why: 'told something that was not for it',
    kind: 'wrong',
    caller: { oddities: [{ caller: 'caller0', what: 'odd', line: '' }] },
  },
  {
    why: 'a list without a healthy upstream',
    kind: 'healthy failed',
    caller: { lists: [{ caller: 'caller0', tookMs: 1, ageMs: 9_000, names: ['one__work', 'one__typed'] }] },
  },
];

describe('the check of a soak', () => {
  test.each(cases)('$why: $kind', ({ kind, calls = [entry()], processes = worked, caller = {} }) => {
    const options = { name: 'caller0', declaresElicitation: false };
    const soaked = { calls, lists: [], oddities: [], options, ...caller } as unknown as SoakCaller;
    const check = new SoakCheck([soaked], processes);
    check.run();
    expect(check.misses.map((miss) => miss.kind)).toEqual(kind === undefined ? [] : [kind]);
  });
});
