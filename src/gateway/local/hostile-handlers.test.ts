import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { paramsOf } from '../../../test/fixtures/memory-view.js';
import { DoorError, decodeText, EventBus, encodeText, type Principal } from '../../base/index.js';
import {
  type ContentBlock,
  defineContract,
  defineTool,
  type HandlerContext,
  implement,
  ToolError,
  withContent,
} from '../../contract/index.js';
import { resourceParams } from '../../protocol/index.js';
import { createGateway } from '../gateway.js';
import { localMount } from './local-mount.js';

const ME: Principal = { id: 'local:1', kind: 'local' };
const UNEXPECTED = 'failed unexpectedly; the log of its server says why';

const run = defineTool({
  name: 'run',
  description: 'Does what the test says.',
  kind: 'write',
  input: z.object({}),
  output: z.looseObject({}),
});

/** Any of the three kinds of handlers, doing what the test says. */
function open(handler: (input: unknown, context: HandlerContext) => unknown) {
  const contract = defineContract({
    server: { name: 'io.example/own', description: 'A server.', version: '1.0.0' },
    tools: [run],
    resources: [{ name: 'note', uri: 'own://note' }],
    prompts: [{ name: 'ask', arguments: [{ name: 'about', required: true }] }],
  });
  const implementation = implement(contract, {
    tools: { run: handler as never },
    resources: { note: handler as never },
    prompts: { ask: handler as never },
  });
  const events = new EventBus();
  const reasons: string[] = [];
  events.on('handler.failed', ({ reason }) => void reasons.push(reason));
  const gateway = createGateway({ mounts: [localMount(implementation, { events })], events });
  const answers = {
    tool: () => gateway.callTool({ mount: 'own', tool: 'run', arguments: encodeText('{}') }, { principal: ME }),
    resource: () => gateway.relay('resources/read', resourceParams('own://note'), { principal: ME }),
    prompt: (args = '{"about":"x"}') =>
      gateway.relay('prompts/get', paramsOf('prompt', `{"name":"ask","arguments":${args}}`), { principal: ME }),
  };
  const textOf = async (asked: ReturnType<(typeof answers)[keyof typeof answers]>): Promise<string> => {
    const { bytes, start, end } = (await asked).json;
    return decodeText(bytes, start, end);
  };
  return { gateway, answers, textOf, reasons };
}

const unheard: unknown[] = [];
const hear = (thrown: unknown): void => void unheard.push(thrown);
beforeAll(() => void process.on('unhandledRejection', hear));
afterAll(() => void process.off('unhandledRejection', hear));

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const THROWN: Readonly<Record<string, unknown>> = {
  null: null,
  undefined: undefined,
  'a string': 'no',
  'a symbol': Symbol('no'),
  'an object without a prototype': Object.create(null),
  'an object whose text throws': { toString: () => thrower() },
  'a proxy that throws at every look': new Proxy({}, { get: thrower, getPrototypeOf: thrower }),
  'an error whose stack throws': Object.defineProperty(new Error('x'), 'stack', { get: thrower }),
  'an error whose stack is no text': Object.assign(new Error('x'), { stack: 7 }),
  'a ToolError without a message': Object.assign(new ToolError('x'), { message: undefined }),
  'a ToolError whose message is no text': Object.assign(new ToolError('x'), { message: { toJSON: thrower } }),
  'an error of ours with data that is a circle': new DoorError('INTERNAL', 'x', { data: cyclic }),
  'an error of ours with data that is no JSON': new DoorError('INTERNAL', 'x', { data: { count: 5n } }),
};

function thrower(): never {
  throw new Error('looked at');
}

test.each(Object.entries(THROWN))(
  'a handler that throws %s: its caller gets an answer, the log a reason',
  async (_, it) => {
    const { gateway, answers, textOf, reasons } = open(() => {
      throw it;
    });
    for (const asked of [answers.tool, answers.resource, answers.prompt]) {
      expect(await textOf(asked())).toContain(UNEXPECTED);
    }
    expect(reasons).toHaveLength(3);
    await gateway.close();
    expect(unheard).toEqual([]);
  },
);

const wrongContent = (content: unknown): unknown => withContent({}, content as readonly ContentBlock[]);

test.each<[what: string, returned: unknown]>([
  ['a BigInt', { count: 5n }],
  ['a circle', cyclic],
  ['what throws when it is written', { toJSON: thrower }],
  ['content that is no list', wrongContent('text')],
  ['content with null in it', wrongContent([null])],
  ['content with a block without a type', wrongContent([{ text: 'x' }])],
  ['content that is no JSON', wrongContent([{ type: 'text', text: 5n }])],
])('a tool that returns %s has failed', async (_, returned) => {
  const { gateway, answers, textOf, reasons } = open(() => returned);
  expect(JSON.parse(await textOf(answers.tool()))).toMatchObject({ isError: true });
  expect(reasons).toHaveLength(1);
  await gateway.close();
});

test.each<[what: string, returned: unknown]>([
  ['nothing', undefined],
  ['a number', 5],
  ['an object', { messages: [] }],
  ['null in a list', [null]],
  ['a message without content', [{ role: 'user' }]],
  ['a message whose content is text', [{ role: 'user', content: 'x' }]],
  ['a role that there is not', [{ role: 'system', content: { type: 'text', text: 'x' } }]],
])('a prompt that returns %s has failed', async (_, returned) => {
  const { gateway, answers, textOf, reasons } = open(() => returned);
  expect(await textOf(answers.prompt())).toContain(UNEXPECTED);
  expect(reasons).toHaveLength(1);
  await gateway.close();
});

test.each(['{"about":5}', '{"about":"x","other":null}', '{"about":["x"]}', '{}', '{"__proto__":{"about":"x"}}'])(
  'a prompt is not asked with %s',
  async (args) => {
    let isAsked = false;
    const { gateway, answers, textOf } = open(() => {
      isAsked = true;
      return 'x';
    });
    expect(await textOf(answers.prompt(args))).toContain('INVALID_ARGUMENTS');
    expect(isAsked).toBe(false);
    await gateway.close();
  },
);

test('a handler that asks and does not wait harms nobody: neither while it runs, nor when it is long over', async () => {
  let kept: HandlerContext | undefined;
  const { gateway, answers, textOf } = open((_, context) => {
    kept = context;
    void context.elicit({ message: 'Who?', form: z.object({ name: z.string() }) });
    return {};
  });
  expect(JSON.parse(await textOf(answers.tool()))).toMatchObject({ structuredContent: {} });
  void kept!.elicit({ message: 'Pay', url: 'https://pay.example/1' });
  await expect(kept!.elicit(null as never)).rejects.toThrow();
  await gateway.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unheard).toEqual([]);
});
