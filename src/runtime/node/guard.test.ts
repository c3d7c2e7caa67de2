/** What becomes of process groups when the process that started them has no time to end them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { type BundledScript, bundleScript } from '../../../test/fixtures/bundle-script.js';
import { cpuMs, findMarked, findProcess } from '../../../test/fixtures/processes.js';
import { Guard } from './guard.js';

/** /bin/sh is one of the two on most machines. */
const SHELLS = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((path) => existsSync(path));
const GONE_WITHIN_MS = 1_000;

let script: BundledScript;
beforeAll(async () => {
  script = await bundleScript('guarded-host.ts');
});
afterAll(() => script.remove());

/** A process with a guard, in a process of its own. */
class Host {
  readonly mark = `DOORWARD_TEST_MARK=guard-${Math.random().toString(36).slice(2)}`;
  readonly #test: TestContext;
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #started: number[] = [];

  constructor(test: TestContext, shell = '/bin/sh') {
    this.#test = test;
    const [name = '', value = ''] = this.mark.split('=');
    const env = { ...process.env, [name]: value };
    this.#child = spawn(process.execPath, [script.path, shell], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout! });
    test.onTestFinished(() => {
      // By group: one that is just being forked cannot be found yet.
      for (const group of this.#started) kill(-group, 'SIGKILL');
      this.kill();
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Has it do something, see guarded-host.ts. */
  async ask(line: string): Promise<unknown> {
    const answered = new Promise<unknown>((resolve) => this.#lines.once('line', (text) => resolve(JSON.parse(text))));
    this.#child.stdin!.write(`${line}\n`);
    const answer = await answered;
    if (line === 'start' || line === 'escape') this.#started.push(Number(answer));
    return answer;
  }

  async pidOf(line: string): Promise<number> {
    return Number(await this.ask(line));
  }

  /** Everything of the group that runs: the child, its child, and what they sleep with. */
  async grown(group: number): Promise<void> {
    await this.#test.expect.poll(() => this.members(group).length).toBeGreaterThanOrEqual(4);
  }

  members(group: number): readonly number[] {
    return findMarked(this.mark)
      .filter((found) => found.group === group)
      .map(({ pid }) => pid);
  }

  async expectGone(...groups: readonly number[]): Promise<void> {
    await this.#test.expect
      .poll(() => groups.flatMap((group) => this.members(group)), { timeout: GONE_WITHIN_MS, interval: 20 })
      .toEqual([]);
  }

  async expectEnded(pid: number): Promise<void> {
    await this.#test.expect.poll(() => findProcess(pid), { timeout: GONE_WITHIN_MS, interval: 20 }).toBeUndefined();
  }

  kill(): void {
    kill(this.pid, 'SIGKILL');
  }

  leave(): void {
    this.#child.stdin!.end();
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

/** The descriptors a process has, and what they lead to. */
function opened(pid: number): readonly (readonly [fd: string, what: string])[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [[fd, readlinkSync(`/proc/${pid}/fd/${fd}`)] as const];
    } catch {
      return []; // the one that this folder is read with
    }
  });
}

describe.runIf(process.platform === 'linux').concurrent('a process that is killed', () => {
  test.for(SHELLS)('takes its groups with it, deaf grandchildren and all, and its guard (%s)', async (shell, test) => {
    const host = new Host(test, shell);
    const groups = [await host.pidOf('start'), await host.pidOf('start'), await host.pidOf('start')];
    for (const group of groups) await host.grown(group);
    const guard = await host.pidOf('guard');
    host.kill();
    await host.expectGone(...groups);
    await host.expectEnded(guard);
  });

  test.for(SHELLS)('leaves alone what was dropped, first, last and between (%s)', async (shell, test) => {
    const host = new Host(test, shell);
    const groups: number[] = [];
    for (let i = 0; i < 5; i++) groups.push(await host.pidOf('start'));
    const [first = 0, second = 0, third = 0, fourth = 0, last = 0] = groups;
    for (const group of [third, first, last]) await host.ask(`drop ${group}`);
    for (const group of groups) await host.grown(group);
    host.kill();
    await host.expectGone(second, fourth);
    for (const group of [first, third, last]) expect(host.members(group).length).toBeGreaterThanOrEqual(4);
  });

  test('frees its guard although what it started later lives on: nobody else holds its input', async (test) => {
    const host = new Host(test);
    const group = await host.pidOf('start');
    const escaped = await host.pidOf('escape');
    await Promise.all([host.grown(group), host.grown(escaped)]);
    const guard = await host.pidOf('guard');
    host.kill();
    await host.expectEnded(guard);
    await host.expectGone(group);
    expect(host.members(escaped).length).toBeGreaterThanOrEqual(4);
  });

  test('takes its groups with it also by a guard that stood in for a killed one', async (test) => {
    const host = new Host(test);
    const groups = [await host.pidOf('start'), await host.pidOf('start')];
    const dropped = await host.pidOf('start');
    await host.ask(`drop ${dropped}`);
    const before = await host.pidOf('guard');
    kill(before, 'SIGKILL');
    await test.expect.poll(() => host.pidOf('guard')).not.toBe(before);
    const later = await host.pidOf('start');
    for (const group of [...groups, dropped, later]) await host.grown(group);
    const guard = await host.pidOf('guard');
    expect(findProcess(guard)).toBeDefined();
    host.kill();
    await host.expectGone(...groups, later);
    await host.expectEnded(guard);
    expect(host.members(dropped).length).toBeGreaterThanOrEqual(4);
  });
});

describe.runIf(process.platform === 'linux').concurrent('a guard', () => {
  test('is not to be had by the signals of a terminal, nor by a host that is stopped', async (test) => {
    const host = new Host(test);
    const group = await host.pidOf('start');
    await host.grown(group);
    const guard = await host.pidOf('guard');
    expect(findProcess(guard)?.group, 'a group of its own').toBe(guard);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGTSTP'] as const) kill(guard, signal);
    kill(host.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(host.members(group).length).toBeGreaterThanOrEqual(4);
    kill(host.pid, 'SIGCONT');
    expect(await host.pidOf('guard')).toBe(guard);
    host.kill();
    await host.expectGone(group);
  });

  test('holds nothing of its host: no pipe, no folder, no variable', async (test) => {
    const host = new Host(test);
    await host.ask('start');
    const guard = await host.pidOf('guard');
    // What has a high number and was there before the host is inherited by all that Node starts: not its to lose.
    const before = new Set(opened(process.pid).map(([, what]) => what));
    const held = opened(guard).filter(([, what]) => what === '/dev/null' || !before.has(what));
    expect(held).toEqual([
      ['0', expect.stringContaining('socket:')],
      ['1', '/dev/null'],
      ['2', '/dev/null'],
    ]);
    expect(opened(host.pid).map(([, what]) => what)).not.toContain(held[0]?.[1]);
    expect(readlinkSync(`/proc/${guard}/cwd`)).toBe('/');
    expect(findMarked(host.mark).map(({ pid }) => pid)).not.toContain(guard);
  });

  test('does nothing while nothing happens', async (test) => {
    const host = new Host(test);
    await host.ask('start');
    const guard = await host.pidOf('guard');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = cpuMs(guard);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(cpuMs(guard)).toBe(before);
  });

  test('ends once there is nothing to guard, and is there again when there is', async (test) => {
    const host = new Host(test);
    const group = await host.pidOf('start');
    const first = await host.pidOf('guard');
    await host.ask(`drop ${group}`);
    expect(await host.ask('guard')).toBeNull();
    await host.expectEnded(first);
    const again = await host.pidOf('start');
    const second = await host.pidOf('guard');
    expect(findProcess(second)).toBeDefined();
    host.kill();
    await host.expectGone(again);
    expect(host.members(group).length).toBeGreaterThan(0);
  });

  test('keeps no host from ending', async (test) => {
    const host = new Host(test);
    const group = await host.pidOf('start');
    const guard = await host.pidOf('guard');
    host.leave();
    await host.expectEnded(host.pid);
    await host.expectEnded(guard);
    await host.expectGone(group);
  });

  test.for([
    { why: 'there is no shell', shell: '/nonexistent/sh', says: /ENOENT/ },
    { why: 'it ends at once', shell: '/bin/false', says: /3 times in a row/ },
  ])('is done without, after one warning, where $why', async ({ shell, says }, test) => {
    const host = new Host(test, shell);
    const group = await host.pidOf('start');
    await test.expect.poll(() => host.ask('warnings')).toEqual([expect.stringMatching(says)]);
    await host.ask('start');
    await host.ask(`drop ${group}`);
    expect(await host.ask('guard')).toBeNull();
    expect(await host.ask('warnings')).toHaveLength(1);
  });

  test.for([0, 1, -5, 1.5, Number.NaN])('refuses %s, which names no group of ours', (group, test) => {
    test.expect(() => new Guard().add(group)).toThrow(RangeError);
  });
});
