/** What a name means: whom a call waits for, who answers for a name nobody has, and how long a shown name holds. */
import { describe, expect, test } from 'vitest';
import { MemoryGateway, paramsOf, SILENT, slow, toolNamed } from '../../test/fixtures/memory-gateway.js';
import type { MemoryScript } from '../../test/fixtures/memory-transport.js';
import { settled, VirtualClock } from '../../test/fixtures/virtual-clock.js';
import type { CallOptions } from '../base/index.js';

const ME: CallOptions = { principal: { id: 'me', kind: 'local' } };
const ANSWERING: MemoryScript = { tools: [toolNamed('x')], on: { 'tools/call': () => ({ content: [] }) } };

/** What has come of a task once nothing more can happen without time passing. */
async function outcomeOf(task: Promise<unknown>): Promise<unknown> {
  const outcome = task.catch((thrown: unknown) => thrown);
  await settled();
  await settled();
  return Promise.race([outcome, settled().then(() => 'it still waits')]);
}

describe('a call waits', () => {
  test.each(['never', 'conflict'] as const)(
    'only until its tool has appeared, whoever else hangs: prefix %s',
    async (prefix) => {
      const mounts = { a: { scripts: [SILENT] }, b: { scripts: [ANSWERING] }, c: { scripts: [SILENT] } };
      const fixture = new MemoryGateway(mounts, { prefix });
      // Without a prefix the name could be any mount's.
      expect(await outcomeOf(fixture.gateway.call(paramsOf('x'), ME))).toMatchObject({ kind: 'result' });
      expect(fixture.transport('b').received('tools/call')).toHaveLength(1);
      expect(fixture.gateway.upstreams()).toMatchObject([
        { state: { kind: 'connecting' } },
        { state: { kind: 'ready' } },
        { state: { kind: 'connecting' } },
      ]);
    },
  );

  test('for everyone who may have its tool, while nobody has shown it', async () => {
    const clock = new VirtualClock();
    const mounts = { a: { scripts: [slow(clock, 800, [toolNamed('other')])] }, b: { scripts: [ANSWERING] } };
    const { gateway } = new MemoryGateway(mounts, { prefix: 'never' }, clock);
    const call = gateway.call(paramsOf('y'), ME);
    expect(await outcomeOf(call)).toBe('it still waits');
    await clock.advance(800);
    expect(await outcomeOf(call)).toMatchObject({ code: 'TOOL_UNKNOWN' });
  });
});

describe('for a tool nobody has', () => {
  test('an upstream that has listed once is not to blame, though it is lost by now', async () => {
    const fixture = new MemoryGateway({ a: { scripts: [ANSWERING] }, b: {} });
    await fixture.gateway.listTools();
    fixture.transport('a').lose();
    expect(fixture.gateway.upstreams()).toMatchObject([{ state: { kind: 'failed' } }, { state: { kind: 'ready' } }]);
    const byName = fixture.gateway.call(paramsOf('a__nope'), ME);
    expect(await outcomeOf(byName)).toMatchObject({ code: 'TOOL_UNKNOWN', data: { tool: 'a__nope' } });
    const byTool = fixture.gateway.callTool({ mount: 'a', tool: 'nope' }, ME);
    expect(await outcomeOf(byTool)).toMatchObject({ code: 'TOOL_UNKNOWN', data: { upstream: 'a', tool: 'nope' } });
  });
});

describe('two mounts want one name, and the one with the better claim lists late', () => {
  /** `a` comes first in the configuration and lists 3 s after `b`. */
  function contested(): MemoryGateway {
    const clock = new VirtualClock();
    const late = slow(clock, 3_000, [toolNamed('x')]);
    return new MemoryGateway({ a: { scripts: [late] }, b: { scripts: [ANSWERING] } }, { prefix: 'conflict' }, clock);
  }
  const namesOf = ({ gateway }: MemoryGateway): string[] =>
    gateway.snapshot().entries.map(({ mount, name }) => `${mount}: ${name}`);

  test('while nobody has been shown the name, it takes it', async () => {
    const fixture = contested();
    fixture.gateway.start();
    await fixture.clock.advance(1_000);
    expect(namesOf(fixture)).toEqual(['b: x']);
    await fixture.clock.advance(3_000);
    expect(namesOf(fixture)).toEqual(['a: x', 'b: b__x']);
  });

  test('once a caller has been shown the name, it keeps its meaning', async () => {
    const fixture = contested();
    const list = fixture.gateway.listTools();
    await fixture.clock.advance(1_500);
    expect((await list).map(({ mount, name }) => `${mount}: ${name}`)).toEqual(['b: x']);
    await fixture.clock.advance(3_000);
    expect(namesOf(fixture)).toEqual(['a: a__x', 'b: x']);
    await fixture.gateway.call(paramsOf('x'), ME);
    expect(fixture.transport('b').received('tools/call')).toHaveLength(1);
    const collisions = fixture.named('server.warning').filter(({ warning }) => warning === 'name-collision');
    expect(collisions).toMatchObject([{ upstream: 'a', tool: 'x' }]);
  });

  test('once a caller has called by the name, the next call goes to the same upstream', async () => {
    const fixture = contested();
    await fixture.gateway.call(paramsOf('x'), ME);
    await fixture.clock.advance(3_000);
    expect(namesOf(fixture)).toEqual(['a: a__x', 'b: x']);
    await fixture.gateway.call(paramsOf('x'), ME);
    expect(fixture.transport('b').received('tools/call')).toHaveLength(2);
  });
});
