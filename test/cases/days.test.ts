/** A gateway that stays up for days: nothing may grow. Upstreams and time are simulated, the rest is the real thing. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/index.js';
import { MemoryCaller } from '../fixtures/memory-caller.js';
import { toolNamed } from '../fixtures/memory-gateway.js';
import { LIST_CHANGED, MemoryTransport } from '../fixtures/memory-transport.js';
import { VirtualClock } from '../fixtures/virtual-clock.js';
import { getCase, titleOf } from './cases.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MINUTE_MS = 60_000;
/** The case says seven days; three show a leak as well, in half the time. DOORWARD_DAYS=7 is the case to the letter. */
const HOURS = Number(process.env.DOORWARD_DAYS ?? 3) * 24;
/** Pools, caches and compiled code have their size by then. */
const WARM_UP_HOURS = 4;

/** Upstreams that come and go, list other schemas each time, and leave every twentieth call without an answer. */
class World {
  readonly clock = new VirtualClock();
  readonly gateway: Gateway;
  readonly mounts: readonly string[];
  /** Connections that were opened and not closed. */
  readonly open = new Set<MemoryTransport>();
  #lists = 0;
  #calls = 0;

  constructor(count: number) {
    this.mounts = Array.from({ length: count }, (_, at) => `m${at}`);
    this.gateway = createGateway({
      mounts: this.mounts.map((id) => ({ id, connect: () => this.#connect(), callTimeoutMs: 30_000 })),
      clock: this.clock,
    });
  }

  #connect(): MemoryTransport {
    const transport: MemoryTransport = new MemoryTransport({
      open: () => void this.open.add(transport),
      close: () => void this.open.delete(transport),
      on: {
        'tools/list': () => ({ tools: [toolNamed('t', { inputSchema: schemaNo(this.#lists++) })] }),
        'tools/call': () => (this.#calls++ % 20 === 0 ? undefined : { content: [] }),
      },
    });
    return transport;
  }
}

const schemaNo = (n: number): object => ({
  type: 'object',
  properties: { n: { type: 'integer', maximum: n + 1_000 }, [`only in ${n}`]: { type: 'string', pattern: `^${n}` } },
});

/** An hour of calls; the caller is gone at its end, now and then in the middle of a call. */
async function spendHour(world: World, hour: number): Promise<void> {
  const { gateway, clock, mounts } = world;
  const caller = new MemoryCaller(gateway, 'me');
  await caller.initialize(hour % 2 === 0 ? {} : { elicitation: {} });
  for (let part = 0; part < 6; part++) {
    await caller.write({ id: `list ${part}`, method: 'tools/list' });
    for (const [at, mount] of mounts.entries()) await caller.call(`${part} ${at}`, `${mount}__t`, { n: at });
    await clock.advance(9 * MINUTE_MS);
    // Each has been answered by now, if only with a timeout.
    const answered = caller.taken().filter(({ id }) => id !== undefined);
    expect(answered).toHaveLength(mounts.length + 1);
    for (const transport of world.open) transport.say(LIST_CHANGED);
    await clock.advance(MINUTE_MS);
  }
  // What the fixtures write down is theirs, not a leak.
  for (const transport of world.open) transport.sent.length = 0;
  if (hour % 20 === 0) await caller.call('never answered', 'm0__t');
  caller.door.close();
  for (const transport of [...world.open]) transport.lose();
  await clock.advance(0);
}

test(titleOf('g12'), { timeout: 600_000 }, async () => {
  const limits = getCase('g12').expect as {
    readonly heap_after_gc_growth_mb_max: number;
    readonly children_equal: number;
  };
  const world = new World(getCase('g12').input.upstreams as number);
  const warnings: string[] = [];
  const hear = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', hear);
  world.gateway.start();
  let before = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    await spendHour(world, hour);
    if (hour === WARM_UP_HOURS) before = heapMb();
  }
  // The last flap of the last hour is over.
  await world.clock.advance(2 * MINUTE_MS);
  expect(world.open.size).toBe(limits.children_equal);
  expect(heapMb() - before).toBeLessThan(limits.heap_after_gc_growth_mb_max);
  process.off('warning', hear);
  expect(warnings).toEqual([]);
  await world.gateway.close();
  expect(world.open.size).toBe(0);
  expect(world.clock.waiting).toBe(0);
});

function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
}
