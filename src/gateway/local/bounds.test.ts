import { expect, test } from 'vitest';
import * as z from 'zod';
import { EventBus, encodeText, type Principal } from '../../base/index.js';
import { defineContract, defineTool, implement } from '../../contract/index.js';
import { createGateway } from '../gateway.js';
import { localMount } from './local-mount.js';

const ME: Principal = { id: 'local:1', kind: 'local' };

const grow = defineTool({
  name: 'grow',
  description: 'Answers with as many characters as it is told to, or with nothing.',
  kind: 'read',
  input: z.object({ characters: z.int() }),
  output: z.object({ text: z.string() }),
});
const contract = defineContract({
  server: { name: 'io.example/grow', description: 'Grows.', version: '1.0.0' },
  tools: [grow],
});

function open() {
  const events = new EventBus();
  const failures: string[] = [];
  events.on('handler.failed', ({ reason }) => void failures.push(reason));
  const handler = ({ characters }: { readonly characters: number }) =>
    (characters < 0 ? undefined : { text: 'x'.repeat(characters) }) as { text: string };
  const mount = localMount(implement(contract, { tools: { grow: handler } }), { events });
  const gateway = createGateway({ mounts: [mount], events, limits: { maxMessageBytes: 10_000 } });
  const call = (characters: number) =>
    gateway.callTool(
      { mount: 'grow', tool: 'grow', arguments: encodeText(`{"characters":${characters}}`) },
      { principal: ME },
    );
  return { gateway, call, failures };
}

test('an answer of our own is bounded as any upstream’s is; the next one comes through', async () => {
  const { gateway, call } = open();
  await expect(call(10_000)).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  expect((await call(10)).isError).toBe(false);
  await gateway.close();
});

test('a handler that returns nothing fails, and the log says so', async () => {
  const { gateway, call, failures } = open();
  expect((await call(-1)).isError).toBe(true);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toContain('returned nothing');
  await gateway.close();
});
