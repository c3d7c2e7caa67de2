import { Socket } from 'node:net';
import {
  type CancelListener,
  type CancelSignal,
  DoorError,
  type Implementation,
  type Principal,
} from '../../base/index.js';
import { StreamDoor, type StreamDoorOptions } from '../../doors/index.js';
import type { Gateway } from '../../gateway/index.js';
import { lendNativeBytes } from './native-bytes.js';
import { END_SIGNALS, type Patience, waitPatiently } from './patience.js';
import { hurryGroups } from './process-group.js';
import { Sink } from './sink.js';

export interface StdioOptions {
  /** Makes the gateway. Called once the door is open, so that a caller is greeted while the gateway is loaded. */
  readonly open: () => Promise<Gateway>;
  readonly limits: StreamDoorOptions['limits'];
  readonly info: Implementation;
  /** What models are told about the servers behind the door, given what the caller declares; '' for nothing. */
  readonly instructions?: StreamDoorOptions['instructions'];
  readonly meta?: StreamDoorOptions['meta'];
  /** Ends serving as SIGTERM does. */
  readonly signal?: CancelSignal;
}

/** A caller that reads late still gets its last answers; one that never reads does not hold up the end for longer. */
const LAST_WRITE_MS = 1_000;
/** The same where a signal came on top of another end. */
const HURRIED_WRITE_MS = 200;

/** Why serving ended. `gone`: the caller closed its reading side, so nobody is left to answer. */
export type StdioEnd =
  | { readonly kind: 'eof' | 'signal' | 'gone' }
  | { readonly kind: 'broken'; readonly reason: DoorError };

/**
 * How long answers under way may take. After a signal 15 s in all, the last writes included; a second one ends the wait.
 * A caller that broke the limits does not read, or is not to be read from: there is nothing to wait for.
 */
const DRAIN_MS: Readonly<Record<StdioEnd['kind'], number>> = {
  eof: 4_000,
  signal: 15_000 - 2 * LAST_WRITE_MS,
  broken: 0,
  gone: 0,
};

const LAST_WRITE: Patience = { timeoutMs: LAST_WRITE_MS, hurriedMs: HURRIED_WRITE_MS };

/** Serves one caller on stdin and stdout until it leaves or a signal comes; then ends everything that was started. */
export async function runStdioDoor(options: StdioOptions): Promise<StdioEnd> {
  lendNativeBytes();
  const output = process.stdout;
  const sink = new Sink(output);
  const ends = new Ends(options.signal);
  const input = process.stdin;
  const door = new StreamDoor({
    limits: options.limits,
    principal: localPrincipal(),
    door: 'stdio',
    info: options.info,
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(options.meta !== undefined && { meta: options.meta }),
    unreadBytes: () => sink.backlogBytes,
    pauseInput: (isPaused) => {
      if (isPaused) input.pause();
      else input.resume();
    },
    write: (pieces) => sink.write(pieces),
    whenWritable: () => sink.whenWritable(),
    broken: (reason) => ends.end({ kind: 'broken', reason }),
  });
  input.on('data', (chunk: Buffer) => door.push(chunk));
  input.once('end', () => {
    door.end();
    ends.end({ kind: 'eof' });
  });
  input.once('error', () => ends.end({ kind: 'eof' }));
  // EPIPE: whoever started us reads no more.
  output.on('error', () => ends.end({ kind: 'gone' }));
  output.once('close', () => ends.end({ kind: 'gone' }));
  process.stderr.on('error', () => {});

  let gateway: Gateway | undefined;
  try {
    // After the input that is already there has been read: the greeting comes first.
    await new Promise((resolve) => setImmediate(resolve));
    gateway = await options.open();
    door.attach(gateway);
    const end = await ends.reached;
    // Calls under way may wait for what the caller says to a question, or be cancelled: it is listened to until the end.
    door.refuse(new DoorError('BUSY', 'doorward is ending and takes no new requests'));
    if (end.kind !== 'gone') {
      await ends.wait(door.whenIdle(), { timeoutMs: DRAIN_MS[end.kind], hurriedMs: 0 });
      door.abandon(tooLate(end, ends.isHurried));
      // Even where there is no time left: a call that was sent and is not answered is the worst to be left with.
      await ends.wait(door.whenIdle(), LAST_WRITE);
    }
    return end;
  } finally {
    await Promise.all([
      door.close(),
      gateway?.close(),
      output.destroyed ? undefined : ends.wait(sink.drain(), LAST_WRITE),
    ]);
    ends.forget();
    if (input instanceof Socket) input.destroy();
  }
}

/** What a request is answered with that was still open when the time to end had run out. */
function tooLate({ kind }: StdioEnd, isHurried: boolean): DoorError {
  return new DoorError('UPSTREAM_LOST', whyTooLate(kind, isHurried), { data: { outcome: 'unknown' } });
}

function whyTooLate(kind: StdioEnd['kind'], isHurried: boolean): string {
  if (kind === 'broken') return 'doorward gave up its caller before the answer came';
  if (isHurried) return 'doorward was told to end at once, before the answer came';
  const why = kind === 'eof' ? 'the input of doorward ended' : 'doorward was told to end';
  return `${why}, and the answer did not come within ${DRAIN_MS[kind]} ms`;
}

/** Gathers the ways in which serving can end. */
class Ends implements CancelListener {
  readonly reached: Promise<StdioEnd>;
  #reach!: (end: StdioEnd) => void;
  #hurry: () => void = () => {};
  readonly #hurried: Promise<void>;
  #isHurried = false;
  #count = 0;
  readonly #onSignal = (): void => this.end({ kind: 'signal' });
  readonly #signal: CancelSignal | undefined;

  constructor(signal: CancelSignal | undefined) {
    this.#signal = signal;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    this.#hurried = new Promise((resolve) => {
      this.#hurry = () => {
        this.#isHurried = true;
        resolve();
      };
    });
    for (const name of END_SIGNALS) process.on(name, this.#onSignal);
    signal?.addEventListener('abort', this);
    if (signal?.aborted) this.end({ kind: 'signal' });
  }

  handleEvent(): void {
    this.end({ kind: 'signal' });
  }

  /** There is no more time. */
  get isHurried(): boolean {
    return this.#isHurried;
  }

  end(end: StdioEnd): void {
    this.#count++;
    this.#reach(end);
    // The caller is gone for good, or a signal came on top of another end: a client that ends us by the book has closed
    // our stdin before, and kills us two seconds from now.
    if (end.kind === 'gone' || (end.kind === 'signal' && this.#count > 1)) this.#hurry();
    if (end.kind === 'signal' && this.#count > 1) hurryGroups();
  }

  /** Waits for `task`, with patience. */
  wait(task: Promise<void>, patience: Patience): Promise<void> {
    return waitPatiently(task, patience, this.#hurried);
  }

  forget(): void {
    for (const name of END_SIGNALS) process.off(name, this.#onSignal);
    this.#signal?.removeEventListener('abort', this);
  }
}

/** Whoever started this process. */
export function localPrincipal(): Principal {
  return { id: `local:${process.getuid?.() ?? 'user'}`, kind: 'local' };
}
