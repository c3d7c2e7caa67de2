/**
 * Cases about what an upstream asks of the caller (area d): requests and answers come from cases.json as they stand, an
 * upstream asks them in the middle of a call and gives back, as the call's result, every line it was answered with.
 */
import { describe, expect, type TestContext, test } from 'vitest';
import type { DoorClient, Message, Received } from '../fixtures/door-client.js';
import { eventsOf, waitForEvents } from '../fixtures/events.js';
import {
  anyTool,
  namesOf,
  type OpenDoor,
  openDoor,
  type TestFolder,
  textOf,
  type UpstreamScript,
  until,
  upstreamWith,
} from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';
import { runCommand } from '../fixtures/run-command.js';
import { getCase, titleOf } from './cases.js';
import { ASKED, FAILURES, WARNINGS } from './words.js';

const REPORT = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":$ANSWERS}]}}';

/** One tool a list of lines: `t0` asks the first of them, and gives back what it was answered. */
function asking(...questions: readonly (readonly string[])[]): UpstreamScript {
  const list = upstreamWith(questions.map((_, at) => anyTool(`t${at}`))).rules[0];
  return { rules: [list, ...questions.map((ask, at) => ({ on: 'tools/call', tool: `t${at}`, ask, emit: [REPORT] }))] };
}

const question = (id: string, method: string, params?: object): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params === undefined ? '' : `,"params":${JSON.stringify(params)}`}}`;

/** What the upstream was answered, line by line, in the order it asked. */
function answersIn(call: Received): readonly (Message & { readonly raw: string })[] {
  const lines = textOf(call)?.split('\n');
  if (lines === undefined) throw new Error(`the call was not answered by the upstream: ${call.raw}`);
  return lines.map((raw) => ({ ...(JSON.parse(raw) as Message), raw }));
}

/** The capabilities that the upstream was shown, as they were written; undefined where a name is not among them. */
function shownTo(folder: TestFolder, name?: string, upstream = 'u'): string | undefined {
  const path = name === undefined ? [] : [name];
  return rawMember(folder.received(upstream, 'initialize').at(-1) ?? '', 'params', 'capabilities', ...path);
}

const FORM = {
  message: '?',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
};
const URL = { mode: 'url', message: '?', url: 'https://x.test/', elicitationId: 'l1' };
const PARAMS: Readonly<Record<string, object | undefined>> = {
  'elicitation/create': FORM,
  'sampling/createMessage': { messages: [{ role: 'user', content: { type: 'text', text: 'q' } }], maxTokens: 10 },
  'roots/list': undefined,
};

describe.concurrent('who is asked', () => {
  const { client_capabilities, client_answers, upstream_sends_during_call } = getCase('d01').input as {
    readonly client_capabilities: object;
    readonly client_answers: Readonly<Record<string, object>>;
    readonly upstream_sends_during_call: readonly string[];
  };
  const answerOf = ({ method }: Message) => client_answers[method?.split('/')[0] ?? ''];

  test(titleOf('d01'), async (test) => {
    const ids = ['0', '"e1"', '12345678901234567890'];
    const lines = upstream_sends_during_call.map((method, at) => question(ids[at] ?? '9', method, PARAMS[method]));
    const script = asking(lines);
    // Both use the same ids: what comes back must be told apart per hop.
    const { door } = await openDoor(test, { upstreams: { u: script, v: script }, capabilities: client_capabilities });
    door.answerRequests(answerOf);
    const calls = await Promise.all([door.call('u__t0'), door.call('v__t0')]);
    for (const call of calls) {
      const answers = answersIn(call);
      expect(answers.map(({ raw }) => rawMember(raw, 'id'))).toEqual(ids);
      expect(answers.map(({ result }) => result)).toEqual(
        upstream_sends_during_call.map((method) => answerOf({ method })),
      );
    }
    const asked = door.requests();
    expect(asked.map(({ message }) => message?.method).sort()).toEqual(
      [...upstream_sends_during_call, ...upstream_sends_during_call].sort(),
    );
    expect(new Set(asked.map(({ message }) => message?.id)).size).toBe(asked.length);
    for (const { raw, message } of asked) {
      const params = PARAMS[message?.method ?? ''];
      expect(rawMember(raw, 'params')).toBe(params === undefined ? undefined : JSON.stringify(params));
    }
    expect(eventsOf(door)).toEqual([]);
  });

  test(`${titleOf('d01')} (a progress token, which is that server's alone)`, async (test) => {
    const params = { _meta: { 'x.test/kept': 1, progressToken: 1 }, ...FORM };
    const { door } = await openDoor(test, {
      upstreams: { u: asking([question('1', 'elicitation/create', params)]) },
      capabilities: client_capabilities,
    });
    door.answerRequests(answerOf);
    expect(answersIn(await door.call('u__t0'))[0]?.result).toEqual(client_answers.elicitation);
    expect(door.requests()[0]?.message?.params).toEqual({ _meta: { 'x.test/kept': 1 }, ...FORM });
  });

  test(titleOf('d02'), async (test) => {
    const { downstream } = getCase('d02').input as {
      readonly downstream: readonly (string | { readonly capabilities: object })[];
    };
    const saw = getCase('d02').expect.upstream_saw_capability as readonly boolean[];
    const { code } = getCase('d02').expect.if_asked_anyway as { readonly code: number };
    const u = asking([question('"e1"', 'elicitation/create', FORM)]);
    for (const [at, row] of downstream.entries()) {
      const { call, folder } = typeof row === 'string' ? await callWithoutCaller(test, u) : await callAs(test, u, row);
      expect(shownTo(folder, 'elicitation') !== undefined, JSON.stringify(row)).toBe(saw[at]);
      expect(shownTo(folder, 'sampling')).toBeUndefined();
      expect(shownTo(folder, 'roots')).toBeUndefined();
      const [answer] = answersIn(call);
      if (saw[at]) expect(answer?.result).toEqual({ action: 'decline' });
      else expect(answer?.error?.code).toBe(code);
    }
  });

  async function callAs(test: TestContext, u: UpstreamScript, row: { readonly capabilities: object }) {
    const { door, folder } = await openDoor(test, { upstreams: { u }, ...row });
    door.answerRequests(() => ({ action: 'decline' }));
    return { call: await door.call('u__t0'), folder };
  }

  /** `doorward call`: there is a connection, but nobody behind it who could be asked. */
  async function callWithoutCaller(test: TestContext, u: UpstreamScript) {
    const argv = (config: string) => ['call', 'u.t0', '--json', '--config', config];
    const { stdout, folder } = await runCommand(test, { upstreams: { u } }, argv);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    return { call: { raw: stdout, message: { result }, atMs: 0 }, folder };
  }

  test.for(
    (getCase('d03').input.downstream as readonly { readonly elicitation: object }[]).map(
      (row, at) => [row, at] as const,
    ),
  )(`${titleOf('d03')} (%j)`, async ([row, at], test) => {
    const modes = (getCase('d03').expect.mirrored_upstream as readonly string[])[at]?.split('+') ?? [];
    const u = asking([question('"f"', 'elicitation/create', FORM), question('"u"', 'elicitation/create', URL)]);
    const { door, folder } = await openDoor(test, { upstreams: { u }, capabilities: row });
    door.answerRequests(() => ({ action: 'accept' }));
    const [form, url] = answersIn(await door.call('u__t0'));
    expect(shownTo(folder)).toBe(JSON.stringify(row));
    for (const [mode, answer] of [
      ['form', form],
      ['url', url],
    ] as const) {
      if (modes.includes(mode)) expect(answer?.result, mode).toEqual({ action: 'accept' });
      else expect(answer?.error?.code, mode).toBe(ASKED.undeclaredMode.wire);
    }
    const asked = door.requests().map(({ message }) => (message?.params?.mode === 'url' ? 'url' : 'form'));
    expect(asked).toEqual(modes);
  });

  test.for([{}, { roots: {} }])(`${titleOf('d18')} (%j)`, async (capabilities, test) => {
    const [list] = upstreamWith([anyTool('a')]).rules;
    const u = {
      rules: [
        { on: 'notifications/initialized', ask: [question('"r1"', 'roots/list')] },
        { ...list, waits_for_answers: true },
      ],
    };
    const { door, folder } = await openDoor(test, { upstreams: { u }, capabilities });
    // A list is answered without an upstream that takes long; the call is what waits for it.
    await door.call('u__a');
    expect(namesOf(await door.request('tools/list'))).toEqual(['u__a']);
    const answers = folder.received('u').filter((line) => rawMember(line, 'id') === '"r1"');
    expect(answers).toHaveLength(1);
    const sentAt = (line: string) => folder.records('u').find((record) => record.line === line)?.t ?? 0;
    const [initialized = ''] = folder.received('u', 'notifications/initialized');
    expect(sentAt(answers[0] ?? '') - sentAt(initialized)).toBeLessThan(5_500);
    const code = Number(rawMember(answers[0] ?? '', 'error', 'code'));
    if ('roots' in capabilities) {
      expect(shownTo(folder, 'roots')).toBe('{}');
      expect(code).toBe(-32603);
      expect(answers[0]).toContain(FAILURES.timeout);
    } else {
      expect(shownTo(folder, 'roots')).toBeUndefined();
      expect(code).toBe(-32601);
    }
  });
});

describe.concurrent('a question that nobody waits for any more', () => {
  const [list] = upstreamWith([anyTool('t0')]).rules;
  const asked = question('"e1"', 'elicitation/create', FORM);
  const taken =
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e1","reason":"never mind"}}';
  const done = REPORT.replace('$ANSWERS', '"done"');

  /** The caller is told under the id that it knows, and an answer that comes all the same goes nowhere. */
  async function expectRetracted({ door, folder }: OpenDoor): Promise<void> {
    const told = await door.waitFor(({ message }) => message?.method === 'notifications/cancelled');
    const [request] = door.requests();
    expect(rawMember(told.raw, 'params', 'requestId')).toBe(rawMember(request?.raw ?? '', 'id'));
    door.send(JSON.stringify({ jsonrpc: '2.0', id: request?.message?.id, result: { action: 'accept', content: {} } }));
    await door.request('ping');
    expect(folder.received('u').filter((line) => rawMember(line, 'id') === '"e1"')).toEqual([]);
    expect(eventsOf(door).filter(({ name }) => name === ASKED.invalidAnswer.event)).toEqual([]);
  }

  test('is taken back where the server cancels it', async (test) => {
    const u = {
      rules: [list, { on: 'tools/call', emit: [asked, { line: taken, after_ms: 200 }, { line: done, after_ms: 100 }] }],
    };
    const opened = await openDoor(test, { upstreams: { u }, capabilities: { elicitation: {} } });
    expect(textOf(await opened.door.call('u__t0'))).toBe('done');
    await expectRetracted(opened);
  });

  test('is taken back where the caller gives up its call, and the server need not wait', async (test) => {
    const u = { rules: [list, { on: 'tools/call', ask: [asked], emit: [] }] };
    const { door, folder } = await openDoor(test, { upstreams: { u }, capabilities: { elicitation: {} } });
    door.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"u__t0"}}');
    const request = await door.waitFor(({ message }) => message?.method === 'elicitation/create');
    door.notify('notifications/cancelled', { requestId: 7 });
    const told = await door.waitFor(({ message }) => message?.method === 'notifications/cancelled');
    expect(told.message?.params?.requestId).toEqual(request.message?.id);
    await until(() => folder.received('u').some((line) => rawMember(line, 'id') === '"e1"'), 'an answer upstream');
    const [answer] = folder.received('u').filter((line) => rawMember(line, 'id') === '"e1"');
    expect(rawMember(answer ?? '', 'error', 'data', 'code')).toBe('"UPSTREAM_LOST"');
    expect(door.answersTo(7)).toEqual([]);
  });

  test('is taken back where the server ends', async (test) => {
    const u = { rules: [list, { on: 'tools/call', emit: [asked, { line: '', after_ms: 200 }], then_exit: 1 }] };
    const opened = await openDoor(test, { upstreams: { u }, capabilities: { elicitation: {} } });
    expect((await opened.door.call('u__t0')).message?.error?.data?.code).toBe('UPSTREAM_LOST');
    await expectRetracted(opened);
  });
});

interface ToServer {
  readonly error?: number;
  readonly path?: string;
}

/** A caller who can be shown forms, an upstream that asks by the line of the case, and what came of each answer. */
async function putAnswers(
  test: TestContext,
  id: string,
  said: readonly object[],
  config: object = {},
): Promise<OpenDoor & { readonly answers: readonly ReturnType<typeof answersIn>[number][] }> {
  const line = getCase(id).input.elicit_line as string;
  const opened = await openDoor(test, {
    upstreams: { u: asking([line]) },
    capabilities: { elicitation: {} },
    config: { ...config },
  });
  const answers = [];
  for (const one of said) {
    opened.door.answerRequests(() => one);
    answers.push(...answersIn(await opened.door.call('u__t0')));
  }
  for (const { raw } of opened.door.requests()) expect(rawMember(raw, 'params')).toBe(rawMember(line, 'params'));
  expect(opened.door.requests()).toHaveLength(said.length);
  return { ...opened, answers };
}

const answersOf = (id: string) => getCase(id).input.answers as readonly object[];

/** The server got an error in place of an answer, and somebody was told, but nobody what was said. */
async function expectRefused(
  door: DoorClient,
  answer: Message & { readonly raw: string },
  row: ToServer,
): Promise<void> {
  expect(answer.error).toMatchObject({ code: row.error, data: { code: ASKED.invalidAnswer.code } });
  expect(answer.raw).not.toContain('"result"');
  const issues = answer.error?.data?.issues as readonly { readonly pointer: string }[];
  if (row.path !== undefined) expect(issues.map(({ pointer }) => pointer)).toContain(row.path);
  await waitForEvents(door, ASKED.invalidAnswer.event);
}

describe.concurrent('what was answered', () => {
  test(titleOf('d05'), async (test) => {
    const { door, answers } = await putAnswers(test, 'd05', answersOf('d05'));
    expect(answers.map(({ result }) => result?.action)).toEqual(getCase('d05').expect.relayed_to_server);
    // Whatever came along with it: only an accepted form has content (MCP client/elicitation, Response Actions).
    expect(answers.map(({ raw }) => rawMember(raw, 'result'))).toEqual(
      answersOf('d05').map((one) => JSON.stringify({ action: (one as { readonly action: string }).action })),
    );
    expect(eventsOf(door)).toMatchObject([{ name: 'server.warning', warning: 'elicitation-content' }]);
  });

  test(titleOf('d06'), async (test) => {
    const wanted = getCase('d06').expect.relayed_content_json;
    const own = '{"confirm":false,"retries":12345678901234567890,"free":"\\u0041"}';
    const { door, answers } = await putAnswers(test, 'd06', answersOf('d06'));
    expect(answers.map(({ raw }) => rawMember(raw, 'result', 'content'))).toEqual([wanted, wanted]);
    door.answerRequests(({ id }) => {
      // Sent as it is written here: what the user said wins, digits and spelling included.
      door.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"accept","content":${own}}}`);
      return undefined;
    });
    const [answer] = answersIn(await door.call('u__t0'));
    const missing = '"dry":false,"note":"","color":"g","tags":["a"]';
    expect(rawMember(answer?.raw ?? '', 'result', 'content')).toBe(`${own.slice(0, -1)},${missing}}`);
    expect(eventsOf(door)).toEqual([]);
  });

  test.for(['d07', 'd08'].map((id) => [titleOf(id), id] as const))('%s', async ([, id], test) => {
    const rows = getCase(id).expect.to_server as readonly (ToServer | 'relayed')[];
    const { door, answers, folder } = await putAnswers(test, id, answersOf(id));
    for (const [at, row] of rows.entries()) {
      const answer = answers[at]!;
      if (row === 'relayed') expect(rawMember(answer.raw, 'result')).toBe(JSON.stringify(answersOf(id)[at]));
      else await expectRefused(door, answer, row);
    }
    const refused = rows.filter((row) => row !== 'relayed').length;
    expect(eventsOf(door, ASKED.invalidAnswer.event)).toHaveLength(refused);
    expect(folder.received('u').filter((line) => rawMember(line, 'result') !== undefined)).toHaveLength(
      rows.length - refused,
    );
  });

  test(`${titleOf('d07')} (the format)`, async (test) => {
    // The format that is wrong in the fourth answer is told, and no more than told.
    const { door } = await putAnswers(test, 'd07', answersOf('d07').slice(3, 4));
    const { event = '', warning } = WARNINGS['a wrong format'] ?? {};
    const told = await waitForEvents(door, event);
    expect(told).toMatchObject([{ upstream: 'u', warning }]);
    expect(JSON.stringify(told)).not.toContain('not-mail');
  });

  test(`${titleOf('d07')} (formats that are asserted)`, async (test) => {
    const config = { validation: { elicitationFormats: 'assert' } };
    const { door, answers } = await putAnswers(test, 'd07', answersOf('d07').slice(3), config);
    await expectRefused(door, answers[0]!, { error: ASKED.invalidAnswer.wire, path: '/mail' });
    expect(answers[1]?.result).toEqual(answersOf('d07')[4]);
    expect(door.stderr).not.toContain('not-mail');
  });

  test(titleOf('d12'), async (test) => {
    const good = { action: 'accept', content: { a: { b: 'x' }, l: [{}] } };
    const bad = { action: 'accept', content: { a: { b: 1 } } };
    const { door, answers } = await putAnswers(test, 'd12', [good, bad]);
    expect(rawMember(answers[0]?.raw ?? '', 'result')).toBe(JSON.stringify(good));
    await expectRefused(door, answers[1]!, { error: ASKED.invalidAnswer.wire, path: '/a/b' });
    const { event = '', warning } = WARNINGS['passed to the client with one warning'] ?? {};
    const told = eventsOf(door, event).filter((one) => one.warning === warning);
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(2);
  });
});
