import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  answer,
  inModernEra,
  inSession,
  type Open,
  PROGRESS,
  request,
} from '../../../test/fixtures/http-transports.js';
import type { MemoryExchange } from '../../../test/fixtures/memory-wire.js';

/** What a server, or the network before it, does next to one of the exchanges under way. */
type Step = readonly [which: number, what: (typeof STEPS)[number]];

const STEPS = [
  'json',
  'stream',
  'answer',
  'wrong',
  'progress',
  'garbage',
  'id',
  'end',
  'break',
  404,
  500,
  401,
  202,
] as const;
const step = fc.tuple(fc.nat(9), fc.constantFrom(...STEPS));

/** Tells an exchange what to do next, as far as it can still do it. */
class Server {
  /** Those with a head, by what kind of body they have. */
  readonly #begun = new Map<MemoryExchange, Step[1]>();
  readonly #over = new Set<MemoryExchange>();

  take(exchange: MemoryExchange, what: Step[1]): void {
    if (this.#over.has(exchange) || exchange.isAborted) return;
    if (typeof what === 'number' || what === 'json' || what === 'stream') return this.#begin(exchange, what);
    if (what === 'break') return this.#end(exchange, () => exchange.fail());
    if (!this.#begun.has(exchange)) return;
    if (what === 'end') return this.#end(exchange, () => exchange.end());
    exchange.data(this.#text(exchange, what));
  }

  /** Nothing stays open for ever. */
  finish(exchange: MemoryExchange): void {
    this.take(exchange, 'break');
  }

  #begin(exchange: MemoryExchange, what: Step[1]): void {
    if (this.#begun.has(exchange)) return;
    this.#begun.set(exchange, what);
    if (typeof what === 'number') this.#end(exchange, () => exchange.answer(what));
    else if (what === 'stream') exchange.stream();
    else exchange.head(200, { 'content-type': 'application/json' });
  }

  #end(exchange: MemoryExchange, end: () => void): void {
    this.#over.add(exchange);
    end();
  }

  #text(exchange: MemoryExchange, what: 'answer' | 'wrong' | 'progress' | 'garbage' | 'id'): string {
    const id = exchange.body === '' ? 2 : exchange.id;
    const texts = { answer: answer(id), wrong: answer(id + 100), progress: PROGRESS, garbage: '{"', id: '' };
    if (this.#begun.get(exchange) === 'json') return what === 'id' ? ' ' : texts[what];
    return what === 'id' ? 'id: e\ndata:\n\n' : `data: ${texts[what]}\n\n`;
  }
}

test.each([
  { era: 'modern', open: inModernEra },
  { era: 'handshake', open: () => inSession() },
])('$era era: whatever servers do, a request has one outcome, and none is heard of after the end', async ({ open }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, count) => {
      const there = await open();
      const from = there.wire.exchanges.length;
      for (let id = 2; id < 2 + count; id++) request(there.transport, id);
      const server = new Server();
      for (const [which, what] of steps) {
        const under = there.wire.exchanges.slice(from);
        server.take(under[which % under.length]!, what);
        if (what === 'break' || what === 'end') await there.clock.advance(1_000);
      }
      await finish(there, server, from);
      for (let id = 2; id < 2 + count; id++) expect(outcomesOf(there, id), `of request ${id}`).toHaveLength(1);
      expect(there.transport.backlogBytes).toBe(0);
    }),
    { numRuns: 150 },
  );
});

/** Ends all that is open, and all that comes of that, within bounds. */
async function finish({ wire, clock }: Open, server: Server, from: number): Promise<void> {
  for (let round = 0; round < 12; round++) {
    for (const exchange of wire.exchanges.slice(from)) server.finish(exchange);
    await clock.advance(1_000);
  }
}

/** Its answer, its failure, or the end of the connection, which fails what is still waited for. */
function outcomesOf({ ear }: Open, id: number): string[] {
  // What follows an answer in the same body makes it malformed, for the client to say.
  const answers = ear.texts.filter((text) => text.trimStart().startsWith(answer(id))).map(() => 'answer');
  const failures = ear.failures.filter((failure) => failure.id === id).map(() => 'failed');
  const outcomes = [...new Set(answers), ...failures];
  const end = ear.story.indexOf('closed');
  expect(end < 0 || end === ear.story.length - 1, `nothing behind the end: ${ear.story.join(', ')}`).toBe(true);
  return outcomes.length === 0 && end >= 0 ? ['lost'] : outcomes;
}
