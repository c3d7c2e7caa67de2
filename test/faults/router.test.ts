/**
 * The router of calls as a state machine: whatever callers, upstreams and time do, in whatever order, each request ends
 * once and with an answer the model allows. By hand, for longer: DOORWARD_RUNS=10000 npx vitest run test/faults/router.test.ts
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Link, Routed, RouterModel } from './router-model.js';
import { LISTED } from './router-offers.js';
import { BEAT_MS, CALLERS, heardOf, RouterStage } from './router-stage.js';
import { CHANGING, cancelledIds, MOUNTS, URIS } from './router-upstream.js';

const RUNS = Number(process.env.DOORWARD_RUNS ?? 500);
/** Past every deadline, every start and every wait for a restart. */
const LONG_MS = 200_000;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

const ENDS = [
  'result',
  'error',
  'UPSTREAM_LOST',
  'UPSTREAM_UNREACHABLE',
  'TIMEOUT',
  'given up under way',
  'given up waiting',
  'asked',
  'retracted',
  'given up at once',
  'listed',
  'told',
  'read: result',
  'read: status',
  'read: UPSTREAM_LOST',
  'read: TIMEOUT',
  'read: RESOURCE_UNKNOWN',
  'read: given up under way',
  'subscribe: result',
  'subscribe: error',
  'unsubscribe: granted',
];

type Command = fc.AsyncCommand<RouterModel, RouterStage>;

function command(label: string, run: (stage: RouterStage) => void | Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, stage) => {
      await run(stage);
      await stage.settle();
      expect(model.faults).toEqual([]);
    },
    toString: () => label,
  };
}

/** The request that `pick` names, counted back from the latest: most of those are under way, or just were. */
function withRequest(stage: RouterStage, pick: number, task: (request: Routed) => void): void {
  const request = stage.model.requests.at(-1 - (pick % Math.max(1, stage.model.requests.length)));
  if (request !== undefined) task(request);
}

/** One that is not over, the latest first: what is answered or given up as it mostly is. */
function withOpen(stage: RouterStage, pick: number, task: (request: Routed) => void): void {
  const open = stage.model.requests.filter(({ state }) => state !== 'over');
  const request = open.at(-1 - (pick % Math.max(1, open.length)));
  if (request !== undefined) task(request);
}

function withLink(stage: RouterStage, pick: number, task: (link: Link) => void): void {
  const live = [...stage.links.keys()].filter((link) => link.isLive);
  if (live.length > 0) task(live[pick % live.length]!);
}

const pick = fc.nat(7);
const caller = fc.constantFrom(...CALLERS);
const mount = fc.constantFrom(...MOUNTS);
const uri = fc.constantFrom(...URIS);
const listed = fc.constantFrom(...LISTED);
const commands = [
  ...Array.from({ length: 9 }, () =>
    fc
      .tuple(caller, mount)
      .map(([who, where]) => command(`call(${who}, ${where})`, (stage) => stage.make(who, 'call', where))),
  ),
  ...Array.from({ length: 6 }, () =>
    fc.tuple(caller, uri).map(([who, of]) => command(`read(${who}, ${of})`, (stage) => stage.make(who, 'read', of))),
  ),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(caller, uri)
      .map(([who, of]) => command(`subscribe(${who}, ${of})`, (stage) => stage.make(who, 'subscribe', of))),
  ),
  fc
    .tuple(caller, uri)
    .map(([who, of]) => command(`unsubscribe(${who}, ${of})`, (stage) => stage.make(who, 'unsubscribe', of))),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(caller, listed).map(([who, kind]) => command(`list(${who}, ${kind})`, (stage) => stage.list(who, kind))),
  ),
  // A request and its end in one chunk.
  ...Array.from({ length: 2 }, () =>
    fc
      .tuple(caller, fc.constantFrom('read', 'subscribe', 'unsubscribe'), uri)
      .map(([who, sort, of]) => command(`hasty(${who}, ${sort}, ${of})`, (stage) => stage.make(who, sort, of, true))),
  ),
  fc
    .tuple(caller, mount)
    .map(([who, where]) => command(`hasty(${who}, call, ${where})`, (stage) => stage.make(who, 'call', where, true))),
  fc
    .tuple(caller, listed)
    .map(([who, kind]) => command(`hasty(${who}, list ${kind})`, (stage) => stage.list(who, kind, true))),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(fc.constantFrom(...CHANGING), fc.boolean())
      .map(([of, isTold]) =>
        command(`change(${of.mount} ${of.uri}${isTold ? '' : ', untold'})`, (stage) => stage.offers.change(of, isTold)),
      ),
  ),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(pick, pick, fc.constantFrom(true, true, false))
      .map(([n, of, isAsked]) =>
        command(`update(${n}, ${of}, ${isAsked})`, (stage) =>
          withLink(stage, n, (link) => stage.offers.update(link, of, isAsked)),
        ),
      ),
  ),
  pick.map((n) =>
    command(`hold(${n})`, (stage) =>
      withLink(stage, n, (link) => {
        link.holdsLists = true;
      }),
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    fc.tuple(pick, fc.boolean()).map(([n, isFresh]) =>
      command(`answer list(${n}${isFresh ? ', as it is now' : ''})`, ({ offers }) => {
        const listing = offers.held[n % Math.max(1, offers.held.length)];
        if (listing !== undefined) offers.release(listing, isFresh);
      }),
    ),
  ),
  pick.map((n) => command(`flow(${n})`, (stage) => withLink(stage, n, (link) => stage.offers.flow(link)))),
  ...Array.from({ length: 14 }, () =>
    pick.map((n) => command(`answer(${n})`, (stage) => withOpen(stage, n, (request) => stage.say(request, 'result')))),
  ),
  // What was answered before, and what is over: a duplicate, or late.
  ...Array.from({ length: 3 }, () =>
    pick.map((n) =>
      command(`answer any(${n})`, (stage) => withRequest(stage, n, (request) => stage.say(request, 'result'))),
    ),
  ),
  ...Array.from({ length: 2 }, () =>
    pick.map((n) => command(`fail(${n})`, (stage) => withOpen(stage, n, (request) => stage.say(request, 'error')))),
  ),
  ...Array.from({ length: 3 }, () =>
    pick.map((n) => command(`cancel(${n})`, (stage) => withOpen(stage, n, (request) => stage.cancel(request)))),
  ),
  ...Array.from({ length: 4 }, () =>
    pick.map((n) => command(`ask(${n})`, (stage) => withRequest(stage, n, (request) => stage.ask(request)))),
  ),
  pick.map((n) =>
    command(`reply(${n})`, (stage) => {
      const question = stage.questions[n % Math.max(1, stage.questions.length)];
      if (question !== undefined) stage.reply(question);
    }),
  ),
  pick.map((n) => command(`lose(${n})`, (stage) => withLink(stage, n, (link) => stage.lose(link)))),
  pick.map((n) =>
    command(`restart(${n})`, async (stage) => {
      withLink(stage, n, (link) => stage.lose(link));
      await stage.advance(10 * BEAT_MS);
    }),
  ),
  pick.map((n) => command(`relist(${n})`, (stage) => withLink(stage, n, (link) => stage.relist(link)))),
  pick.map((n) =>
    command(`hang(${n})`, (stage) =>
      withLink(stage, n, (link) => {
        link.isDeaf = true;
      }),
    ),
  ),
  mount.map((where) => command(`refuse(${where})`, (stage) => void stage.refusing.add(where))),
  mount.map((where) => command(`allow(${where})`, (stage) => void stage.refusing.delete(where))),
  caller.map((who) => command(`leave(${who})`, (stage) => stage.leave(who))),
  caller.map((who) => command(`arrive(${who})`, (stage) => stage.arrive(who))),
  ...Array.from({ length: 2 }, () =>
    fc
      .integer({ min: 1, max: 12 })
      .map((beats) => command(`wait(${beats})`, (stage) => stage.advance(beats * BEAT_MS))),
  ),
];

test(`each request ends once, and as it may (${RUNS} runs)`, { timeout: 60_000 + RUNS * 100 }, async () => {
  const ends = new Map<string, number>();
  let playing: RouterStage | undefined;
  // It would end a process; told here, it is told with the story that led to it.
  const unheard = (reason: unknown): void => void playing?.model.faults.push(`nobody hears that ${String(reason)}`);
  process.on('unhandledRejection', unheard);
  const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 100, size: 'max' }), async (story) => {
    const stage = new RouterStage();
    playing = stage;
    for (const who of CALLERS) stage.arrive(who);
    await stage.advance(10 * BEAT_MS);
    await fc.asyncModelRun(() => ({ model: stage.model, real: stage }), story);
    await finish(stage);
    for (const [how, count] of stage.model.ends) ends.set(how, (ends.get(how) ?? 0) + count);
  });
  await fc.assert(property, { numRuns: RUNS }).finally(() => process.off('unhandledRejection', unheard));
  // What never came about was not tested.
  for (const how of ENDS) expect(ends.get(how), `requests that ended so: ${how}`).toBeGreaterThan(RUNS / 50);
});

/** Everything can be started again, every question is answered, and there is all the time in the world. */
async function finish(stage: RouterStage): Promise<void> {
  const { model, clock, gateway } = stage;
  stage.refusing.clear();
  for (const question of [...stage.questions]) stage.reply(question);
  await stage.settle();
  await stage.advance(LONG_MS);
  expect(model.faults).toEqual([]);
  expect(model.offers.wanted).toEqual([]);
  stage.offers.atEnd();
  expect(model.faults).toEqual([]);
  expect(model.requests.filter(({ state }) => state !== 'over').map(({ token }) => token)).toEqual([]);
  for (const [link, transport] of stage.links) {
    const owed = model.requests
      .filter((request) => request.link === link && request.isGivenUp)
      .map(({ wireId }) => wireId);
    const told = cancelledIds(transport);
    expect(new Set(told).size, 'told once of each').toBe(told.length);
    // One that was lost, or that ended with its caller, need not be told.
    if (link.isLive) expect(told.sort()).toEqual(owed.sort());
  }
  for (const { link, id, token } of stage.asked) {
    const heard = heardOf(stage.links.get(link)!, id);
    const question = model.questions.find((each) => each.token === token);
    // Where nobody can be asked it is refused at once; one that ends hears so, or nothing.
    if (question === undefined) expect(heard, token).toEqual([METHOD_NOT_FOUND]);
    else if (question.state === 'replied') expect(heard, token).toEqual([token]);
    else if (question.state === 'retracted' || question.state === 'refused')
      expect(heard, token).toEqual([INTERNAL_ERROR]);
    else expect([[], [INTERNAL_ERROR]], token).toContainEqual(heard);
  }
  for (const who of CALLERS) stage.leave(who);
  await stage.settle();
  stage.offers.atEnd();
  expect(model.faults).toEqual([]);
  await gateway.close();
  await stage.advance(LONG_MS);
  expect(model.faults).toEqual([]);
  expect(clock.waiting, 'timers that outlive the gateway').toBe(0);
  expect([...stage.links.keys()].filter((link) => link.isLive)).toEqual([]);
}
