/** `doorward call` from outside: what arrives at the upstream, what is printed, how it exits. */
import { describe, expect, test } from 'vitest';
import { HOSTILE, upstreamWith } from '../fixtures/open-door.js';
import { rawMember } from '../fixtures/raw-json.js';
import { type Ran, runCommand } from '../fixtures/run-command.js';
import { getCase, titleOf } from './cases.js';

const callWith =
  (...rest: readonly string[]) =>
  (config: string) => ['call', ...rest, '--config', config];
const TOOL = (schema: string) => `{"name":"run","inputSchema":${schema}}`;
const OPEN = { upstreams: { zap: upstreamWith([TOOL('{"type":"object"}')]) } };
const forwardedBy = ({ folder }: Ran) =>
  folder.received('zap', 'tools/call').map((line) => rawMember(line, 'params', 'arguments'));

describe.concurrent('arguments', () => {
  const variants = getCase('b25').input.argv_variants as readonly (readonly string[])[];
  const schema = JSON.stringify(getCase('b25').input.inputSchema);

  test.for(variants.map((argv) => argv.slice(3)))(`${titleOf('b25')}: %s`, async (rest, test) => {
    const setup = { upstreams: { zap: upstreamWith([TOOL(schema)]) } };
    const ran = await runCommand(test, setup, callWith('zap.run', ...rest));
    const sent = forwardedBy(ran).map((text) => JSON.parse(text ?? ''));
    if (sent.length > 0) expect(sent).toEqual([{ params: { to: 'a@b.example' } }]);
    else {
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain('--params');
    }
  });

  test('key=value is text, key:=json is JSON, digits and all', async (test) => {
    const ran = await runCommand(
      test,
      OPEN,
      callWith('zap.run', 's=12', 't=', 'u=a=b', 'n:=12345678901234567890', 'd:=1.50', 'o:={"a":[1]}'),
    );
    expect(ran.code).toBe(0);
    expect(forwardedBy(ran)).toEqual(['{"s":"12","t":"","u":"a=b","n":12345678901234567890,"d":1.50,"o":{"a":[1]}}']);
  });

  test('--args takes JSON as it stands, also from a pipe', async (test) => {
    const text = '{ "a":1.0,"b":"\\u0041" }';
    const given = await runCommand(test, OPEN, callWith('zap.run', '--args', text));
    expect(forwardedBy(given)).toEqual([text]);
    const piped = await runCommand(test, OPEN, callWith('zap.run', '--args', '-'), { input: text });
    expect(forwardedBy(piped)).toEqual([text]);
  });

  test.for([['n:={'], ['=x'], ['--args', '{'], ['--args', '{}', '--args', '{}', 'a=1'], ['--no-such-flag']])(
    '%s is a usage error, nothing is sent',
    async (rest, test) => {
      const ran = await runCommand(test, OPEN, callWith('zap.run', ...rest));
      expect(ran.code).toBe(2);
      expect(forwardedBy(ran)).toEqual([]);
      expect(ran.stderr).not.toBe('');
    },
  );
});

describe.concurrent('exit codes', () => {
  const hostile = { servers: { h: { command: process.execPath, args: [HOSTILE] } } };
  const rows: readonly (readonly [string, readonly string[], number])[] = [
    ['a good call', ['h.book_table', 'guests:=2', 'day=friday'], 0],
    ['a tool error', ['h.tool_error'], 5],
    ['refused by validation', ['h.book_table', 'guests=two', 'day=friday'], 6],
    ['an unknown tool', ['h.nope'], 6],
    ['an excluded tool', ['h.null_properties'], 6],
    ['an unknown server', ['nobody.tool'], 2],
    ['an upstream that dies', ['h.exit_now'], 4],
    ['out of time', ['h.never_answer', '--timeout', '300ms'], 124],
  ];
  test.for(rows)('%s', async ([, argv, code], test) => {
    const ran = await runCommand(test, hostile, callWith(...argv));
    expect(ran.stderr + ran.stdout).not.toBe('');
    expect(ran.code, ran.stderr).toBe(code);
  });

  test('--json prints the answer to the digit', async (test) => {
    const ran = await runCommand(test, hostile, callWith('h.big_number', 'n:=12345678901234567890', '--json'));
    expect(ran.code).toBe(0);
    expect(
      rawMember(ran.stdout, 'structuredContent', 'n') ?? rawMember(ran.stdout, 'result', 'structuredContent', 'n'),
    ).toBe('12345678901234567890');
  });

  test('a refusal names the place, on stderr, and prints nothing on stdout', async (test) => {
    const ran = await runCommand(test, hostile, callWith('h.book_table', 'guests=two', 'day=friday'));
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('$.guests: expected integer, got string');
  });
});
