/** Real child processes: they start as they should, say why they do not, and leave nothing behind. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, type TestContext, test } from 'vitest';
import { findMarked } from '../../../test/fixtures/processes.js';
import { DoorError } from '../../base/index.js';
import type { LineTransport } from '../../client/index.js';
import { type SpawnOptions, spawnTransport } from './spawn-transport.js';

const POSIX = process.platform !== 'win32';
const NODE = process.execPath;

/** Of what floods, this much is enough to have. */
const MAX_KEPT = 1_000_000;

/** A transport at work: what it read, and how it ended. */
class Running {
  readonly transport: LineTransport;
  readonly mark = `DOORWARD_TEST_MARK=spawn-${Math.random().toString(36).slice(2)}`;
  readonly ended: Promise<DoorError>;
  stirred = 0;
  readonly #test: TestContext;
  #text = '';
  #wanted: { text: string; resolve: () => void } | undefined;
  #end: (reason: DoorError) => void = () => {};
  closedCalls = 0;
  onData: () => void = () => {};

  constructor(test: TestContext, options: SpawnOptions) {
    this.#test = test;
    const [name = '', value = ''] = this.mark.split('=');
    this.transport = spawnTransport({ ...options, env: { ...options.env, [name]: value } });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    test.onTestFinished(() => this.#tidyUp());
  }

  /** What a failing test leaves behind would run on for ever. */
  async #tidyUp(): Promise<void> {
    await this.transport.close();
    for (const { pid } of findMarked(this.mark)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in the meantime.
      }
    }
  }

  async open(): Promise<this> {
    await this.transport.open({
      data: (chunk) => {
        if (this.#text.length < MAX_KEPT) this.#text += Buffer.from(chunk).toString('latin1');
        this.onData();
        if (this.#wanted !== undefined && this.#text.includes(this.#wanted.text)) this.#wanted.resolve();
        if (this.#text.length >= MAX_KEPT) this.#wanted = undefined;
      },
      closed: (reason) => {
        this.closedCalls++;
        this.#end(reason);
      },
      activity: () => this.stirred++,
    });
    return this;
  }

  get text(): string {
    return this.#text;
  }

  /** Resolves once it has printed `text`. */
  async printed(text: string): Promise<void> {
    if (this.#text.includes(text)) return;
    await new Promise<void>((resolve) => {
      this.#wanted = { text, resolve };
    });
  }

  /** What ends by itself, or was killed, may take a moment to be gone. */
  async expectNothingLeft(): Promise<void> {
    await this.#test.expect
      .poll(() => findMarked(this.mark).map(({ command }) => command), { timeout: 6_000 })
      .toEqual([]);
  }
}

const node = (script: string, ...args: readonly string[]): SpawnOptions => ({
  command: NODE,
  args: ['-e', script, ...args],
});
const shell = (script: string): SpawnOptions => ({ command: 'sh', args: ['-c', script] });
const failureOf = (test: TestContext, options: SpawnOptions): Promise<DoorError> =>
  new Running(test, options).open().then(
    () => Promise.reject(new Error('it started')),
    (thrown: unknown) => thrown as DoorError,
  );

function folder(test: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'doorward-spawn-'));
  test.onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe.runIf(POSIX).concurrent('lines', () => {
  test('go in whole and in order, and come out as chunks', async (test) => {
    const running = await new Running(test, shell('cat')).open();
    running.transport.send(['{"a":', '1}']);
    running.transport.send(['x'.repeat(300_000)]);
    running.transport.send(['end']);
    await running.printed('end\n');
    expect(running.text).toBe(`{"a":1}\n${'x'.repeat(300_000)}\nend\n`);
  });

  test('do not keep a child that never reads them from being ended', async (test) => {
    const running = await new Running(test, shell('sleep 30')).open();
    for (let i = 0; i < 20; i++) running.transport.send(['x'.repeat(100_000)]);
    await running.transport.close();
    await running.ended;
    expect(running.closedCalls).toBe(1);
  });

  test('on stderr are kept, and are a sign of life', async (test) => {
    const heard: string[] = [];
    const onStderr = (chunk: Buffer): void => void heard.push(String(chunk));
    const running = await new Running(test, { ...shell('echo loading >&2; echo ready'), onStderr }).open();
    await running.ended;
    expect(running.transport.tail()).toBe('loading\n');
    expect(heard.join('')).toBe('loading\n');
    expect(running.stirred).toBeGreaterThan(0);
  });
});

describe.runIf(POSIX).concurrent('the end', () => {
  test.for([
    { why: 'by itself', options: shell('exit 3'), says: 'exited with code 3', data: { exitCode: 3, signal: null } },
    {
      why: 'by a signal',
      options: shell('kill -9 $$'),
      says: 'was ended by SIGKILL',
      data: { exitCode: null, signal: 'SIGKILL' },
    },
  ])('$why is told once, with how', async ({ options, says, data }, test) => {
    const running = await new Running(test, options).open();
    const reason = await running.ended;
    expect(reason).toMatchObject({ code: 'UPSTREAM_LOST', message: `the process ${says}`, data });
    await running.transport.close();
    expect(running.closedCalls).toBe(1);
    running.transport.send(['too late']);
  });

  test('loses none of the last words', async (test) => {
    // As much as a pipe holds: the child is gone before we have read a byte of it.
    const script = `head -c 65000 /dev/zero | tr '\\0' x; echo; echo last`;
    const all = await Promise.all(Array.from({ length: 12 }, () => new Running(test, shell(script)).open()));
    await Promise.all(all.map(({ ended }) => ended));
    expect(all.map(({ text }) => text.length)).toEqual(all.map(() => 65_006));
  });

  test('loses none of three hundred answers that are written just before it', async (test) => {
    // One that fits, some that just do, and one that the pipe cannot hold at once; every other time somebody else keeps
    // the pipe open, so that its end does not come.
    const sizes = [10, 4_096, 60_000, 150_000, 200_000, 400_000];
    const answered = async (run: number): Promise<string> => {
      const size = sizes[run % sizes.length] ?? 0;
      const holder = run % 2 === 0 ? 'sleep 20 & ' : '';
      const running = await new Running(test, shell(`${holder}read -r asked; printf "$asked %0${size}d" 7`)).open();
      running.transport.send([`run ${run}`]);
      const reason = await running.ended;
      const isWhole = running.text === `run ${run} ${'7'.padStart(size, '0')}`;
      return isWhole && reason.message === 'the process exited with code 0' ? 'whole' : `${run}: ${reason.message}`;
    };
    for (let from = 0; from < 300; from += 30) {
      const runs = Array.from({ length: 30 }, (_, at) => answered(from + at));
      expect(new Set(await Promise.all(runs))).toEqual(new Set(['whole']));
    }
  });

  test('is told at once although nobody wanted to read more', async (test) => {
    const running = await new Running(test, shell('sleep 60 & echo up; read -r go; printf %050000d 7')).open();
    await running.printed('up\n');
    running.transport.pause();
    running.transport.send(['go']);
    await running.ended;
    expect(running.text).toHaveLength(50_003);
  });

  test.for([60_000, 110_000, 150_000, 200_000])(
    'loses nothing that was not read yet because a caller is slow (%i bytes)',
    async (bytes, test) => {
      const running = new Running(test, shell(`head -c ${bytes} /dev/zero | tr '\\0' x`));
      // Each chunk is more than the caller can take: as soon as it is there, reading stops for a while.
      running.onData = () => {
        running.transport.pause();
        setTimeout(() => running.transport.resume(), 250);
      };
      await running.open();
      await running.ended;
      expect(running.text).toHaveLength(bytes);
    },
  );

  test('of stdout alone is the end: nothing can come any more, and nothing is left', async (test) => {
    const running = await new Running(test, shell('echo hello; exec >&-; sleep 60')).open();
    expect(await running.ended).toMatchObject({ code: 'UPSTREAM_LOST', message: 'the process closed its stdout' });
    await running.expectNothingLeft();
  });

  test('leaves a wrapper that exits before what it started', async (test) => {
    const running = await new Running(test, shell('sleep 60 & exit 0')).open();
    await running.ended;
    await running.expectNothingLeft();
  });
});

// One after the other: the tests that run side by side keep each other waiting.
describe.runIf(POSIX)('the end is told within 100 ms', () => {
  test.for([
    { why: 'nobody else holds its pipes', script: 'echo up; exec sleep 60' },
    { why: 'a grandchild holds its pipes', script: 'sleep 60 & echo up; wait' },
    { why: 'a grandchild never stops writing', script: 'yes & echo up; wait' },
  ])('where $why', async ({ script }, test) => {
    const tookMs: number[] = [];
    for (let run = 0; run < 5; run++) {
      const running = new Running(test, shell(script));
      await running.open();
      await running.printed('up\n');
      const leader = findMarked(running.mark).find(({ pid, group }) => pid === group);
      const before = performance.now();
      process.kill(leader!.pid, 'SIGKILL');
      await running.ended;
      tookMs.push(performance.now() - before);
    }
    // The machine may be busy with something else once in a while.
    expect(tookMs.sort((a, b) => a - b)[2]).toBeLessThan(100);
  });
});

describe.runIf(POSIX).concurrent('close', () => {
  test.for([
    { why: 'ends at the end of its input', options: shell('cat'), withinMs: 900 },
    { why: 'ends at SIGTERM', options: shell('sleep 60'), withinMs: 3_500 },
    { why: 'ignores SIGTERM', options: shell('trap "" TERM; echo up; while :; do sleep 60; done'), withinMs: 3_500 },
    {
      why: 'a grandchild ignores SIGTERM',
      options: shell(`sh -c 'trap "" TERM; while :; do sleep 60; done' & wait`),
      withinMs: 3_500,
    },
    {
      why: 'a grandchild ignores SIGTERM and its wrapper ends at once',
      options: shell(`sh -c 'trap "" TERM; while :; do sleep 60; done' & cat`),
      withinMs: 3_500,
    },
  ])('leaves nothing behind: $why', async ({ options, withinMs }, test) => {
    const running = await new Running(test, options).open();
    await new Promise((resolve) => setTimeout(resolve, 150));
    const before = performance.now();
    await Promise.all([running.transport.close(), running.transport.close()]);
    expect(performance.now() - before).toBeLessThan(withinMs);
    await running.expectNothingLeft();
    expect((await running.ended).code).toBe('UPSTREAM_LOST');
    expect(running.closedCalls).toBe(1);
  });

  test('before anything was started keeps it from starting', async (test) => {
    const running = new Running(test, shell('sleep 60'));
    await running.transport.close();
    expect(await running.open().catch((thrown: unknown) => thrown)).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
    await running.expectNothingLeft();
  });

  test.for([0, 1, 2, 5])('while it starts leaves nothing behind (after %i turns)', async (turns, test) => {
    const running = new Running(test, shell('sleep 60'));
    const opened = running.open().catch(() => {});
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    await running.transport.close();
    await opened;
    await running.transport.close();
    await running.expectNothingLeft();
  });

  test('takes back what was never opened', async () => {
    await spawnTransport(shell('true')).close();
  });
});

describe.runIf(POSIX).concurrent('what cannot start says why', () => {
  test('a command that is nowhere, with where it may be (case c53)', async (test) => {
    const home = folder(test);
    const bin = join(home, '.nvm/versions/node/v22.1.0/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'npx'), '');
    const failure = await failureOf(test, {
      command: 'npx',
      args: ['-y', 'pkg'],
      env: { PATH: '/usr/sbin:/sbin', HOME: home },
    });
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      message: 'command not found: npx (searched /usr/sbin, /sbin)',
      data: {
        reason: 'command_not_found',
        command: 'npx',
        path: ['/usr/sbin', '/sbin'],
        candidates: [join(bin, 'npx')],
      },
      hint: `Write the whole path in the entry of this server: ${join(bin, 'npx')}`,
    });
  });

  test('a command that is nowhere at all', async (test) => {
    const failure = await failureOf(test, { command: 'no-such-command', env: { HOME: folder(test), PATH: '' } });
    expect(failure.message).toBe('command not found: no-such-command (searched an empty PATH)');
    expect(failure.hint).toBe('Install it, or write its whole path in the entry of this server.');
  });

  test('a path that is not there', async (test) => {
    const failure = await failureOf(test, { command: join(folder(test), 'server') });
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', data: { reason: 'command_not_found' } });
  });

  test('a file that may not be run', async (test) => {
    const path = join(folder(test), 'server');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o644);
    const failure = await failureOf(test, { command: path });
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', hint: expect.any(String) });
    expect(failure.message).toContain(path);
  });

  test.for([
    { why: 'is not there', cwd: (path: string) => join(path, 'gone') },
    {
      why: 'is a file',
      cwd: (path: string) => {
        writeFileSync(join(path, 'file'), '');
        return join(path, 'file');
      },
    },
  ])('a cwd that $why', async ({ cwd }, test) => {
    const where = cwd(folder(test));
    const failure = await failureOf(test, { ...shell('true'), cwd: where });
    expect(failure).toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      data: { reason: 'cwd_not_found', cwd: where },
      hint: 'Correct cwd in the entry of this server.',
    });
    expect(failure.message).toContain(where);
  });

  test.for([
    { why: 'in an argument', options: { command: 'echo', args: ['a\0b'] } },
    { why: 'in the environment', options: { command: 'echo', env: { A: 'a\0b' } } },
    { why: 'in the command', options: { command: 'ec\0ho' } },
    { why: 'in cwd', options: { command: 'echo', cwd: '/tmp\0' } },
  ])('a NUL $why', async ({ options }, test) => {
    const failure = await failureOf(test, options);
    expect(failure).toBeInstanceOf(DoorError);
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: expect.stringContaining('cannot start') });
  });

  test('an empty command', async (test) => {
    expect(await failureOf(test, { command: '' })).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });
});

describe('arguments', () => {
  const PRINT = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';

  test('arrive as they were written, whatever a shell would make of them', async (test) => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
      fc.constantFrom(
        '',
        ' ',
        '"',
        "'",
        '$(id)',
        '`id`',
        '%PATH%',
        '^x',
        'b|c',
        'a&calc.exe',
        '"q"',
        '\\',
        '\\\\"',
        '{"a":"b c"}',
        '*',
        '~',
        '\n',
      ),
    );
    const property = fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 60 }), async (args) => {
      const running = await new Running(test, node(PRINT, '--', ...args)).open();
      await running.ended;
      expect(JSON.parse(Buffer.from(running.text, 'latin1').toString('utf8'))).toEqual(args);
    });
    // Each run is a process; what matters is in the many arguments of each.
    await fc.assert(property, { numRuns: 5 });
  });
});

test.runIf(POSIX)('the child gets the environment of the allowlist and no more', async (test) => {
  process.env.DOORWARD_TEST_SECRET = 'hunter2';
  test.onTestFinished(() => void delete process.env.DOORWARD_TEST_SECRET);
  const running = await new Running(test, { ...shell('env'), env: { NAMED: 'yes' } }).open();
  await running.ended;
  expect(running.text).toContain('NAMED=yes\n');
  expect(running.text).toContain(`PATH=${process.env.PATH}\n`);
  expect(running.text).not.toContain('hunter2');
});
