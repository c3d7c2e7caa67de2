import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const RELAY = fileURLToPath(new URL('./relay.mjs', import.meta.url));

/** An upstream that answers each request in pieces of `cut` bytes and puts what it was sent into the result, as text. */
const ECHO = `
  const cut = Number(process.argv[1]);
  let held = '';
  process.stdin.setEncoding('utf8').on('data', async (text) => {
    held += text;
    const lines = held.split('\\n');
    held = lines.pop();
    for (const line of lines) {
      const { id, method } = JSON.parse(line);
      if (method === 'ask') process.stdout.write('{"jsonrpc":"2.0","id":"theirs","method":"ping"}\\n');
      if (method === 'stray') process.stdout.write('{"jsonrpc":"2.0","id":99,"result":{}}\\n');
      if (method === undefined || id === undefined) { process.stdout.write(JSON.stringify({ method: 'saw', params: line }) + '\\n'); continue; }
      const answer = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { line } }) + '\\n');
      for (let at = 0; at < answer.length; at += cut) {
        process.stdout.write(answer.subarray(at, at + cut));
        if (answer.length / cut < 50) await new Promise(setImmediate);
      }
    }
  }).on('end', () => process.exit(0));
`;

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: string;
  readonly result?: { readonly line: string };
}

/** Sends `text` through a relay and reads until `count` messages have come back. */
async function relayed(text: string, count: number, cut = 1 << 20): Promise<readonly Message[]> {
  const relay = spawn(process.execPath, [RELAY, process.execPath, '-e', ECHO, String(cut)]);
  try {
    let out = '';
    relay.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
    });
    relay.stdin.write(text);
    while (out.split('\n').length <= count) await once(relay.stdout, 'data');
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Message);
  } finally {
    relay.stdin.end();
    if (relay.exitCode === null) await once(relay, 'exit');
  }
}

test.each([
  { why: 'a number', id: '7' },
  { why: 'a string', id: '"seven"' },
  { why: 'a string that looks like a number', id: '"7"' },
  { why: 'an escape in it', id: '"a\\"b"' },
])('gives the caller its own id back: $why', async ({ id }) => {
  const [answer] = await relayed(`{"jsonrpc":"2.0","id":${id},"method":"call","params":{"id":1}}\n`, 1);
  expect(answer?.id).toEqual(JSON.parse(id));
  // The upstream saw an id of the relay's, and the rest as it was.
  expect(answer?.result?.line).toBe('{"jsonrpc":"2.0","id":1,"method":"call","params":{"id":1}}');
});

test.each([
  { why: 'id last', line: '{"method":"call","params":{"id":8,"s":"\\"id\\":9"},"jsonrpc":"2.0","id":5}' },
  { why: 'spaces', line: '{ "jsonrpc" : "2.0", "id" : 5 , "method" : "call" }' },
  { why: 'params before the method', line: '{"jsonrpc":"2.0","id":5,"params":[{"method":1}],"method":"call"}' },
])('finds the id wherever it stands: $why', async ({ line }) => {
  const [answer] = await relayed(`${line}\n`, 1);
  expect(answer?.id).toBe(5);
  expect(JSON.parse(answer?.result?.line ?? '')).toEqual({ ...JSON.parse(line), id: 1 });
});

test.each([1, 7, 1000])('holds a message together when it comes in pieces of %i bytes', async (cut) => {
  const calls = [21, 22, 23].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"call"}\n`);
  const answers = await relayed(calls.join(''), 3, cut);
  expect(answers.map(({ id }) => id)).toEqual([21, 22, 23]);
});

test('passes a message of many chunks whole', async () => {
  const text = 'long '.repeat(200_000);
  const [answer] = await relayed(`{"jsonrpc":"2.0","id":3,"method":"call","params":"${text}"}\n`, 1);
  expect(answer?.id).toBe(3);
  expect(JSON.parse(answer?.result?.line ?? '')).toMatchObject({ params: text });
});

test('leaves notifications and the requests of the upstream alone, and drops an answer to nobody', async () => {
  const lines = [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":4,"method":"ask"}',
    '{"jsonrpc":"2.0","id":"theirs","result":{}}',
    '{"jsonrpc":"2.0","id":6,"method":"stray"}',
  ];
  const messages = await relayed(`${lines.join('\n')}\n`, 5);
  expect(messages.filter(({ method }) => method === 'saw').map(({ params }) => params)).toEqual([lines[0], lines[2]]);
  expect(messages.find(({ method }) => method === 'ping')?.id).toBe('theirs');
  expect(messages.filter(({ result }) => result).map(({ id }) => id)).toEqual([4, 6]);
});
