/** Cases of kind `process`: how children are started, and that none of them stays. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anyTool, namesOf, openDoor, type TestFolder, until, upstreamWith } from '../fixtures/open-door.js';
import { cpuMs, findMarked } from '../fixtures/processes.js';
import { getCase, titleOf, upstreamsOf } from './cases.js';
import { FAILURES } from './words.js';

/** Ignores SIGTERM and the end of its input, as the case says. */
const GRANDCHILD = "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 60000)";

describe.concurrent('ends', () => {
  test.for(['stdin_eof', 'SIGTERM', 'SIGINT'] as const)(`${titleOf('c17')} (%s)`, async (ending, test) => {
    const code = `"${process.execPath}" -e "${GRANDCHILD}"; true`;
    const { door, folder } = await openDoor(test, { servers: { w: { command: 'sh', args: ['-c', code] } } });
    await until(() => findMarked(folder.mark).length >= 3, 'door, shell and grandchild');
    door.remember();
    if (ending === 'stdin_eof') door.endInput();
    else door.signal(ending);
    await door.ended(5000);
    expect(await door.leftovers(500)).toEqual([]);
  });

  test(`${titleOf('c17')} (SIGKILL)`, { timeout: 40_000 }, async (test) => {
    const code = `"${process.execPath}" -e "${GRANDCHILD}"; true`;
    const { door, folder } = await openDoor(test, { servers: { w: { command: 'sh', args: ['-c', code] } } });
    await until(() => findMarked(folder.mark).length >= 3, 'door, shell and grandchild');
    door.signal('SIGKILL');
    await door.ended(5000);
    expect(await door.leftovers(10_000)).toEqual([]);
  });

  test(`${titleOf('c18')} (only stdout)`, async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([]) } });
    await door.request('tools/list');
    door.remember();
    door.stopReading();
    // Whoever writes nothing cannot notice.
    door.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    await door.ended(3000);
    expect(await door.leftovers(1000)).toEqual([]);
  });

  test(`${titleOf('c18')} (only stderr)`, async (test) => {
    const noisy = {
      rules: upstreamWith([]).rules,
      timeline: [{ at_ms: 100, repeat: 20, every_ms: 20, emit: ['no message'] }],
    };
    const { door } = await openDoor(test, {
      upstreams: { u: noisy },
      servers: { gone: { command: 'no-such-command' } },
    });
    door.stopReadingLogs();
    await door.request('tools/list');
    const before = cpuMs(door.pid);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await door.request('ping')).message?.result).toEqual({});
    expect(cpuMs(door.pid) - before).toBeLessThan(500);
    door.endInput();
    await door.ended(3000);
    expect(await door.leftovers(1000)).toEqual([]);
  });

  test(titleOf('c18'), async (test) => {
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([]) } });
    await door.request('tools/list');
    const before = cpuMs(door.pid);
    door.dropPipes();
    let last = before;
    const sampling = setInterval(() => {
      try {
        last = cpuMs(door.pid);
      } catch {
        // It has ended, which is what is wanted.
      }
    }, 20);
    await door.ended(3000).finally(() => clearInterval(sampling));
    expect(last - before).toBeLessThan(500);
    expect(await door.leftovers(1000)).toEqual([]);
  });
});

/** Starts as a server that lists one tool named after the arguments it was given. */
const ARGUMENTS_TOOL = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const text = JSON.stringify(process.argv.slice(1));
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } }
      : method === 'tools/list' ? { tools: [{ name: 'argv', inputSchema: { type: 'object' } }] }
      : { content: [{ type: 'text', text }] };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).on('close', () => process.exit(0));
`;

describe.concurrent('starts', () => {
  test(titleOf('c52'), async (test) => {
    const rows = (getCase('c52').input.cases as readonly { readonly args: readonly string[] }[]).map(
      ({ args }) => args,
    );
    const odd = [...rows, ['', ' ', '$HOME', '`id`', '$(id)', '*', ';', 'a"b\'c', 'x\ny', '-e', '--', '~']];
    const servers = odd.map((args, at) => [
      `s${at}`,
      { command: process.execPath, args: ['-e', ARGUMENTS_TOOL, '--', ...args.map(literal)] },
    ]);
    const { door } = await openDoor(test, { servers: Object.fromEntries(servers) });
    for (const [at, args] of odd.entries()) {
      const content = (await door.call(`s${at}__argv`)).message?.result?.content as readonly {
        readonly text: string;
      }[];
      expect(JSON.parse(content[0]?.text ?? '')).toEqual(args);
    }
  });

  test(titleOf('c53'), async (test) => {
    const { door, folder } = await openDoor(test, { servers: {}, initialize: false });
    door.endInput();
    await door.ended();
    const home = join(folder.path, 'home');
    const bin = join(home, '.nvm/versions/node/v22.1.0/bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'npx-of-this-test'), '#!/bin/sh\nexit 0\n');
    chmodSync(join(bin, 'npx-of-this-test'), 0o755);
    const env = { HOME: home, PATH: '/usr/bin:/bin' };
    const open = await openDoor(test, { servers: { gui: { command: 'npx-of-this-test' } }, env });
    const { message } = await open.door.call('gui__a');
    expect(message?.error?.data?.code).toBe(FAILURES.command_not_found);
    const shown = JSON.stringify(message?.error);
    expect(shown).toContain('npx-of-this-test');
    expect(shown).toContain('/usr/bin');
    expect(shown).toContain(bin);
  });
});

describe.concurrent('asking which era it speaks', () => {
  const { listed_contains: listed, probe_timeout_ms_max: probeMs } = getCase('c29').expect as {
    readonly listed_contains: readonly string[];
    readonly probe_timeout_ms_max: number;
  };

  test(titleOf('c29'), { timeout: 20_000 }, async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: upstreamsOf('c29') });
    const before = door.elapsedMs;
    await door.call('legacy__a');
    expect(door.elapsedMs - before).toBeLessThan(probeMs);
    expect(namesOf(await door.request('tools/list'))).toEqual(expect.arrayContaining([...listed]));
    for (const id of ['legacy', 'weird']) {
      expect(folder.starts(id), id).toBe(1);
      expect(folder.received(id, 'initialize'), id).toHaveLength(1);
    }
    // Not even its list is known to it, so it goes on ending: but it is never asked again.
    await until(() => folder.starts('fatal') >= 3, 'a third start');
    expect(methodsOfEach(folder, 'fatal').slice(0, 2)).toEqual([
      ['server/discover'],
      ['initialize', 'notifications/initialized', 'tools/list'],
    ]);
    expect(folder.received('fatal', 'server/discover')).toHaveLength(1);
    expect(door.stderr).not.toContain('server/discover');
  });

  test(`${titleOf('c29')} (fatal, which lists)`, { timeout: 20_000 }, async (test) => {
    const fatal = { ...upstreamsOf('c29').fatal, rules: upstreamWith([anyTool('a')]).rules };
    const { door, folder } = await openDoor(test, { upstreams: { fatal } });
    expect(namesOf(await door.request('tools/list'))).toEqual(['fatal__a']);
    expect(methodsOfEach(folder, 'fatal').map(([first]) => first)).toEqual(['server/discover', 'initialize']);
    door.endInput();
    await door.ended();
    const again = await openDoor(test, { upstreams: { fatal }, folder });
    expect((await again.door.call('fatal__a')).message?.result).toBeDefined();
    expect(methodsOfEach(folder, 'fatal').map(([first]) => first)).toEqual([
      'server/discover',
      'initialize',
      'initialize',
    ]);
  });
});

/** What each process of an upstream was sent, in order. */
function methodsOfEach(folder: TestFolder, id: string): string[][] {
  const byPid = new Map<number, string[]>();
  for (const { pid, line } of folder.records(id)) {
    const methods = byPid.get(pid) ?? [];
    byPid.set(pid, methods);
    if (line !== undefined) methods.push((JSON.parse(line) as { method: string }).method);
  }
  return [...byPid.values()];
}

/** Config values are expanded once, and `$$` is a dollar. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}
