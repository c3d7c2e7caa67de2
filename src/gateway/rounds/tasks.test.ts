/** Tasks of upstreams (SEP-2663): whose they are, where they lead, and what is judged on the way. */
import { describe, expect, test } from 'vitest';
import { answer, ELICIT, OCTO, RoundsStage, resultOf, slice, textOf } from '../../../test/fixtures/rounds-stage.js';
import type { Caller, JsonSlice } from '../../base/index.js';
import { encodeText, sliceOf } from '../../base/index.js';
import { TASKS_EXTENSION } from '../../protocol/index.js';
import { compileSchema } from '../../schema/index.js';
import type { RelayedAnswer, TaskMethod } from '../types.js';
import { keyOfSecret } from './sealing.js';
import { type TaskPlace, Tasks, type TaskTarget } from './tasks.js';

const KEY = keyOfSecret('shared');
const TASK = { taskId: '786512e2-9e0d', status: 'working', createdAt: '2026-07-28T10:30:00Z', ttlMs: 60000 };
const WHERE = { upstream: 'up', tool: 'tool' };
const EXTENSION = { extensions: JSON.stringify({ [TASKS_EXTENSION]: {} }) };

class Stage {
  readonly stage = new RoundsStage();
  readonly tasks: Tasks;
  readonly sent: { readonly method: TaskMethod; readonly params: string }[] = [];
  readonly places: TaskPlace[] = [];

  constructor(key = KEY) {
    this.tasks = new Tasks({ key, clock: this.stage.clock, events: this.stage.events });
  }

  caller(id = 'ann', more: object = { elicitation: '{}' }): Caller {
    return this.stage.modern(id, { ...EXTENSION, ...more });
  }

  /** The id under which a caller knows the upstream's task. */
  async idOf(caller = this.caller()): Promise<string> {
    const given = answer({ resultType: 'task', ...TASK });
    return resultOf(await this.tasks.wrapResult(given, { caller, ...WHERE })).taskId as string;
  }

  run(
    method: TaskMethod,
    params: object | string,
    answers: Partial<Record<TaskMethod, object>>,
    more: Partial<TaskTarget> & { readonly caller?: Caller } = {},
  ): Promise<RelayedAnswer> {
    const { caller = this.caller(), ...target } = more;
    const text: JsonSlice = typeof params === 'string' ? sliceOf(encodeText(params)) : slice(params);
    return this.tasks.run({ caller, method, params: text }, (place) => {
      this.places.push(place);
      const send = async (asked: TaskMethod, own: JsonSlice): Promise<RelayedAnswer> => {
        this.sent.push({ method: asked, params: textOf(own) });
        const said = answers[asked] ?? { resultType: 'complete' };
        return answer(said, 'code' in said ? 'error' : 'result');
      };
      return { formats: 'warn', schemas: 'warn', send, ...target };
    });
  }
}

const shown = (given: RelayedAnswer) => JSON.parse(textOf(given.json)) as Record<string, unknown>;

describe('a task made of a call', () => {
  test('has an id that its caller alone can use, everything else as the upstream wrote it', async () => {
    const { tasks, ...stage } = new Stage();
    const text = '{ "taskId" : "a\\u0062", "resultType":"task","big":12345678901234567890, "ttlMs":1.0}';
    const given = { ...answer({}), json: sliceOf(encodeText(text)) };
    const caller = stage.stage.modern('ann', EXTENSION);
    const wrapped = textOf((await tasks.wrapResult(given, { caller, ...WHERE })).json);
    const [, id] = /"taskId" : "([\w-]+)"/.exec(wrapped)!;
    expect(wrapped).toBe(text.replace('"a\\u0062"', JSON.stringify(id)));
    expect(await tasks.open(id!, 'ann')).toEqual({ ...WHERE, taskId: 'ab' });
    await expect(tasks.open(id!, 'bob')).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });

  test.each([
    { why: 'another result', result: { resultType: 'complete', taskId: 'x' } },
    { why: 'a result of no type', result: { content: [], taskId: 'x' } },
  ])('$why is left alone', async ({ result }) => {
    const { tasks, stage } = new Stage();
    const given = answer(result);
    expect(await tasks.wrapResult(given, { caller: stage.modern('ann', {}), ...WHERE })).toBe(given);
  });

  test.each([
    { why: 'for one who did not declare tasks', can: {}, task: TASK },
    { why: 'for one who declared another extension', can: { extensions: '{"x.test/y":{}}' }, task: TASK },
    { why: 'without an id', can: EXTENSION, task: { status: 'working' } },
    { why: 'with an id that is no string', can: EXTENSION, task: { taskId: 7 } },
  ])('$why is the mistake of the upstream', async ({ can, task }) => {
    const { tasks, stage } = new Stage();
    const wrapped = tasks.wrapResult(answer({ resultType: 'task', ...task }), {
      caller: stage.modern('ann', can),
      ...WHERE,
    });
    await expect(wrapped).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  });
});

describe('a request about a task', () => {
  test.each(['tasks/get', 'tasks/cancel'] as const)(
    '%s goes under its own id, as often as wanted, from any process',
    async (method) => {
      const id = await new Stage().idOf();
      const other = new Stage();
      for (let time = 0; time < 3; time++) {
        await other.run(method, `{"_meta":{"a":1.0},"taskId":"${id}"}`, {
          'tasks/get': { resultType: 'complete', ...TASK },
        });
      }
      expect(other.places).toEqual(Array(3).fill({ ...WHERE, taskId: TASK.taskId }));
      expect(other.sent).toEqual(Array(3).fill({ method, params: `{"_meta":{"a":1.0},"taskId":"${TASK.taskId}"}` }));
    },
  );

  test('is answered under the id that the caller knows', async () => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    const given = await stage.run(
      'tasks/get',
      { taskId },
      { 'tasks/get': { resultType: 'complete', ...TASK, more: [1] } },
    );
    expect(shown(given)).toEqual({ resultType: 'complete', ...TASK, taskId, more: [1] });
    const error = { code: -32602, message: 'Task not found' };
    expect(shown(await stage.run('tasks/get', { taskId }, { 'tasks/get': error }))).toEqual(error);
  });

  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'] as const)(
    '%s of whom it does not belong to, or of none',
    async (method) => {
      const stage = new Stage();
      const own = await stage.idOf();
      const sealedElsewhere = await new Stage(keyOfSecret('other')).idOf();
      const caller = stage.caller('bob');
      const errors = [];
      for (const [taskId, who] of [
        [own, caller],
        [sealedElsewhere, stage.caller()],
        [TASK.taskId, stage.caller()],
        [7, stage.caller()],
      ] as const) {
        const run = stage.run(method, { taskId, inputResponses: {} }, {}, { caller: who });
        errors.push(await run.catch((thrown: Error) => `${(thrown as { code?: string }).code} ${thrown.message}`));
      }
      expect(new Set(errors).size).toBe(1);
      expect(errors[0]).toMatch(/^STATE_INVALID /);
      expect(stage.sent).toEqual([]);
    },
  );

  test('needs the extension declared', async () => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    await expect(stage.run('tasks/get', { taskId }, {}, { caller: stage.stage.modern() })).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
      data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    });
  });

  test('an answer about another task is none', async () => {
    const stage = new Stage();
    const run = stage.run('tasks/get', { taskId: await stage.idOf() }, { 'tasks/get': { ...TASK, taskId: 'other' } });
    await expect(run).rejects.toMatchObject({ code: 'UPSTREAM_BROKE_PROTOCOL' });
  });
});

describe('what a task came to', () => {
  const output = compileSchema({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
  const judge = output.ok ? output.judge : undefined;

  test.each([
    { why: 'keeps to the outputSchema', result: { structuredContent: { n: 1 } }, issues: 0 },
    { why: 'breaks it', result: { structuredContent: { n: 'x' } }, issues: 1 },
    { why: 'is an error', result: { isError: true, structuredContent: {} }, issues: 0 },
    { why: 'has nothing to be judged', result: { content: [] }, issues: 0 },
  ])('$why: delivered as it is, told where it does not', async ({ result, issues }) => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    const task = { resultType: 'complete', ...TASK, status: 'completed', result };
    const given = await stage.run('tasks/get', { taskId }, { 'tasks/get': task }, { output: judge });
    expect(shown(given).result).toEqual(result);
    expect(stage.stage.named('output.violation')).toHaveLength(issues);
  });
});

describe('what a task wants to know', () => {
  const asking = (requests: object) => ({
    resultType: 'complete',
    ...TASK,
    status: 'input_required',
    inputRequests: requests,
  });

  test('is shown to its caller, where the caller declared it', async () => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    const answers = { 'tasks/get': asking({ k: ELICIT }) };
    expect(shown(await stage.run('tasks/get', { taskId }, answers)).inputRequests).toEqual({ k: ELICIT });
    const caller = stage.caller('ann', {});
    await expect(stage.run('tasks/get', { taskId }, answers, { caller })).rejects.toMatchObject({
      code: 'UPSTREAM_BROKE_PROTOCOL',
    });
  });

  test('is answered by what it asks at that moment; nothing else goes along', async () => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    const inputResponses = { k: OCTO, old: { action: 'accept', content: {} } };
    const answers = { 'tasks/get': asking({ k: ELICIT, later: ELICIT }) };
    expect(shown(await stage.run('tasks/update', { taskId, inputResponses }, answers))).toEqual({
      resultType: 'complete',
    });
    expect(stage.sent.map(({ method, params }) => [method, JSON.parse(params) as object])).toEqual([
      ['tasks/get', { taskId: TASK.taskId }],
      ['tasks/update', { taskId: TASK.taskId, inputResponses: { k: OCTO } }],
    ]);
  });

  test.each([
    { why: 'what the form does not allow', inputResponses: { k: { action: 'accept', content: {} } } },
    { why: 'no answers', inputResponses: null },
    { why: 'none at all', inputResponses: undefined },
  ])('$why goes nowhere', async ({ inputResponses }) => {
    const stage = new Stage();
    const taskId = await stage.idOf();
    const run = stage.run('tasks/update', { taskId, inputResponses }, { 'tasks/get': asking({ k: ELICIT }) });
    await expect(run).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect(stage.sent.map(({ method }) => method)).not.toContain('tasks/update');
  });

  test('an upstream that does not know the task says so', async () => {
    const stage = new Stage();
    const error = { code: -32602, message: 'Task not found' };
    const taskId = await stage.idOf();
    expect(shown(await stage.run('tasks/update', { taskId, inputResponses: {} }, { 'tasks/get': error }))).toEqual(
      error,
    );
    expect(stage.sent).toHaveLength(1);
  });
});
