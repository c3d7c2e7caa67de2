/** What is done with an answer on its way back, where it is not given as it came: other eras, tasks, refusals, violations. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf, toolNamed } from '../../test/fixtures/memory-gateway.js';
import { modernScript } from '../../test/fixtures/modern-script.js';
import { RoundsStage, slice, textOf } from '../../test/fixtures/rounds-stage.js';
import { type CallEvent, DoorError, EventBus } from '../base/index.js';
import { resourceParams, TASKS_EXTENSION } from '../protocol/index.js';
import { handshakeAnswerOf, refusalAsResult } from './answers.js';
import { CallRecord } from './call-record.js';

const ME = { id: 'me', kind: 'local' } as const;
const shown = (answer: { readonly json: Parameters<typeof textOf>[0] }) => JSON.parse(textOf(answer.json));
const modernCaller = new RoundsStage().modern('me', { extensions: JSON.stringify({ [TASKS_EXTENSION]: {} }) });

describe('a task of an upstream', () => {
  const TASK = { taskId: 'own-id', status: 'working', createdAt: '2026-07-28T10:30:00Z', ttlMs: 60_000 };
  const open = () =>
    new MemoryGateway({
      a: {
        era: 'modern',
        scripts: [
          modernScript({
            tools: [toolNamed('x')],
            on: {
              'tools/call': () => ({ resultType: 'task', ...TASK }),
              'tasks/get': () => ({ resultType: 'complete', ...TASK }),
            },
          }),
        ],
      },
    });

  test('is asked about by the id that its caller was given, under the one that its server knows', async () => {
    const { gateway } = open();
    const options = { principal: modernCaller.principal, caller: modernCaller };
    const { taskId } = shown(await gateway.call(paramsOf('a__x'), options));
    expect(taskId).not.toBe('own-id');
    const answer = shown(await gateway.task('tasks/get', slice({ taskId }), options));
    expect(answer).toMatchObject({ taskId, status: 'working' });
    await gateway.close();
  });

  test('is nothing that a program of ours could ask about: it speaks as of old', async () => {
    const { gateway } = open();
    await expect(gateway.task('tasks/get', slice({ taskId: 'x' }), { principal: ME })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    await gateway.close();
  });
});

describe('a caller of the modern era who cannot be asked anything', () => {
  const caller = new RoundsStage().modern('me', {});
  const options = { principal: caller.principal, caller };

  test('reads at the log level of its request', async () => {
    const contents = [{ uri: 'a://b', text: 'here' }];
    const hello = { capabilities: { resources: {}, logging: {} }, serverInfo: { name: 'a', version: '1' } };
    const script = {
      on: {
        initialize: () => ({ protocolVersion: '2025-11-25', ...hello }),
        'logging/setLevel': () => ({}),
        'resources/list': () => ({ resources: [{ name: 'b', uri: 'a://b' }] }),
        'resources/templates/list': () => ({ resourceTemplates: [] }),
        'resources/read': () => ({ contents }),
      },
    };
    const memory = new MemoryGateway({ a: { scripts: [script] } });
    await memory.gateway.listOffers('resources');
    const read = (more: object) =>
      memory.gateway.relay('resources/read', resourceParams('a://b'), { ...options, ...more });
    expect(shown(await read({}))).toMatchObject({ contents });
    expect(memory.transport('a').received('logging/setLevel')).toEqual([]);
    expect(shown(await read({ logLevel: 'debug' }))).toMatchObject({ contents });
    expect(memory.transport('a').received('logging/setLevel')).toMatchObject([{ params: { level: 'debug' } }]);
    await memory.gateway.close();
  });
});

test('an answer that needs no change for the older era is the very same', () => {
  const plain = {
    kind: 'result',
    json: slice({ content: [] }),
    hasLineBreaks: false,
    isError: false,
    violations: [],
  } as const;
  const asking = { ...plain, isInputRequired: true } as const;
  expect(handshakeAnswerOf(plain, 'tools/call')).toBe(plain);
  expect(handshakeAnswerOf(asking, 'tools/call')).toBe(asking);
  const modern = { ...plain, json: slice({ resultType: 'complete', content: [] }) };
  expect(shown(handshakeAnswerOf(modern, 'tools/call'))).toEqual({ content: [] });
  const error = { ...plain, kind: 'error', json: slice({ code: -32602, message: 'Resource not found' }) } as const;
  expect(shown(handshakeAnswerOf(error, 'resources/read'))).toMatchObject({ message: 'Resource not found' });
});

describe('a refusal for models that see no protocol errors', () => {
  const issue = { path: '$.a', pointer: '/a', keyword: 'type', message: 'must be text' };
  test.each([
    {
      why: 'each issue on a line of its own, with its hint',
      refusal: new DoorError('INVALID_ARGUMENTS', 'No.', {
        data: { issues: [issue, { ...issue, hint: 'quote it' }] },
        hint: 'Correct it.',
      }),
      text: 'No.\n- $.a: must be text\n- $.a: must be text (quote it)\nCorrect it.',
    },
    { why: 'without issues and hint', refusal: new DoorError('INVALID_ARGUMENTS', 'No.'), text: 'No.' },
  ])('$why', ({ refusal, text }) => {
    expect(shown(refusalAsResult(refusal))).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
      _meta: { 'doorward/error': { code: 'INVALID_ARGUMENTS', ...refusal.data } },
    });
  });
});

test('an end that nobody listens for is told to nobody', () => {
  const events = new EventBus();
  const rejected: CallEvent[] = [];
  events.on('call.rejected', (event) => void rejected.push(event));
  const target = { upstream: 'a', tool: 'x', transport: 'proxied' } as const;
  const begin = () => CallRecord.begin(events, new RoundsStage().clock, target, paramsOf('a__x'), { principal: ME });
  begin()?.failed(new DoorError('TIMEOUT', 'too late'));
  expect(rejected).toEqual([]);
  begin()?.failed(new DoorError('INVALID_ARGUMENTS', 'no'));
  expect(rejected).toHaveLength(1);
});
