import { type Clock, DoorError, decodeText, type Scheduled, toDoorError } from '../base/index.js';
import { type Codec, type Era, findCodec, findModernCodec, HOP_ERROR, META, MODERN } from '../protocol/index.js';
import type { Connection } from './connection.js';
import { type Hello, helloOf, type Introduction, optionsOf, type SaidOfItself, shakeHands } from './handshake.js';
import { isNoModernEvidence } from './http/http-errors.js';
import type { RawAnswer } from './raw-answer.js';

export interface MeetingOptions extends Introduction {
  readonly upstream: string;
  readonly clock: Clock;
  /** Which era the upstream is known to speak; `auto` asks it. */
  readonly era: 'auto' | Era;
  /** The upstream has said something to the question which era it speaks: what happens from now on is not for having been asked. */
  readonly heard?: () => void;
}

/** How long an upstream on a stream may take to say which era it speaks; then it is greeted as well. */
const PROBE_MS = 2_500;
/** Only upstreams of the modern era give these. */
const MODERN_ERRORS: readonly unknown[] = Object.values(HOP_ERROR);

/** What came of asking which era an upstream speaks. */
type Probed = { readonly kind: 'modern'; readonly hello: Hello } | { readonly kind: 'handshake' };

const HANDSHAKE: Probed = { kind: 'handshake' };

/**
 * Gets acquainted with an upstream, in the era it speaks (MCP 2026-07-28 basic/versioning, Backward Compatibility). Which
 * one that is, is a property of the upstream, never of who calls.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL or VERSION_UNSUPPORTED when both sides have no revision in common; what the
 *   connection throws
 */
export function meet(connection: Connection, options: MeetingOptions): Promise<Hello> {
  const { era } = options;
  if (era === 'handshake') return greetEither(connection, options);
  if (era === 'modern') return discoverOnly(connection, options);
  return connection.transport.hasStreams ? meetOverHttp(connection, options) : meetOnStream(connection, options);
}

async function discoverOnly(connection: Connection, options: MeetingOptions): Promise<Hello> {
  const probed = readDiscovered(options.upstream, await discover(connection));
  if (probed.kind === 'modern') return settle(connection, probed.hello);
  throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${options.upstream}: does not speak revision ${MODERN.revision}`, {
    data: { upstream: options.upstream },
    hint: 'Its entry says era: "modern"; leave that out to have it found out.',
  });
}

/**
 * Asks first, and greets as well when there is no answer for a while: an upstream may take long to start, and one of an
 * older era may never answer what it does not know. Whichever it answers well decides.
 */
async function meetOnStream(connection: Connection, options: MeetingOptions): Promise<Hello> {
  const { upstream, clock } = options;
  let isSilent = true;
  const heard = (): void => {
    isSilent = false;
    options.heard?.();
  };
  const asked = probe(connection, upstream, heard);
  asked.catch(() => {});
  let timer: Scheduled | undefined;
  const waited = new Promise<undefined>((resolve) => {
    timer = clock.schedule(PROBE_MS, () => resolve(undefined));
  });
  const probed = await Promise.race([asked, waited]).finally(() => timer?.cancel());
  if (probed?.kind === 'modern') return settle(connection, probed.hello);
  if (probed !== undefined || !isSilent) return greet(connection, options);
  return meetLate(connection, options, asked);
}

/** Both questions are under way: the first good answer settles it, and a good answer to the other changes nothing. */
function meetLate(connection: Connection, options: MeetingOptions, asked: Promise<Probed>): Promise<Hello> {
  let decided: Era | undefined;
  const decide = (era: Era): boolean => {
    decided ??= era;
    return decided === era;
  };
  const greeted = greet(connection, { ...options, mayAgree: () => decide('handshake') });
  const modern = asked.then((probed) =>
    probed.kind === 'modern' && decide('modern') ? settle(connection, probed.hello) : greeted,
  );
  return Promise.any([modern, greeted]).catch(({ errors }: AggregateError) => Promise.reject(errors.at(-1)));
}

/** A request of the new era is what tells (MCP 2026-07-28 basic/transports/streamable-http, Backward Compatibility). */
async function meetOverHttp(connection: Connection, options: MeetingOptions): Promise<Hello> {
  let probed: Probed;
  try {
    probed = await probe(connection, options.upstream);
  } catch (thrown) {
    if (!isNoModernEvidence(toDoorError(thrown))) throw thrown;
    probed = HANDSHAKE;
  }
  options.heard?.();
  return probed.kind === 'modern' ? settle(connection, probed.hello) : greetEither(connection, options);
}

/** Greets, in the older way of HTTP where the newer one is refused. */
async function greetEither(connection: Connection, options: MeetingOptions): Promise<Hello> {
  try {
    return await greet(connection, options);
  } catch (thrown) {
    const { fallBack } = connection.transport;
    if (fallBack === undefined || !isNoModernEvidence(toDoorError(thrown))) throw thrown;
    await fallBack.call(connection.transport);
    return greet(connection, options);
  }
}

/** @param heard called when it has said something, be it what it may */
async function probe(connection: Connection, upstream: string, heard?: () => void): Promise<Probed> {
  let answer: RawAnswer;
  try {
    answer = await discover(connection);
  } catch (thrown) {
    // Whoever knows the question knows how to answer it: what is no good answer is one of before.
    if (!connection.isOpen || toDoorError(thrown).code !== 'UPSTREAM_BROKE_PROTOCOL') throw thrown;
    heard?.();
    return HANDSHAKE;
  }
  heard?.();
  return readDiscovered(upstream, answer);
}

function greet(connection: Connection, options: MeetingOptions): Promise<Hello> {
  return shakeHands(connection, options.upstream, options);
}

function settle(connection: Connection, hello: Hello): Hello {
  connection.agree(hello.codec);
  return hello;
}

async function discover(connection: Connection): Promise<RawAnswer> {
  const ask = (): Promise<RawAnswer> =>
    connection.request('server/discover', undefined, optionsOf('server/discover'), MODERN);
  const answer = await ask();
  // It may say that it does not speak the revision it was asked in, and name that very one: once more, as it says.
  return isRetryWanted(answer) ? ask() : answer;
}

function isRetryWanted({ kind, bytes, start, end }: RawAnswer): boolean {
  if (kind !== 'error') return false;
  const { code, data } = JSON.parse(decodeText(bytes, start, end)) as WireError;
  const supported = data?.supported;
  return code === HOP_ERROR.versionUnsupported && Array.isArray(supported) && chooseCodec(supported)?.era === 'modern';
}

interface Discovered extends SaidOfItself {
  readonly supportedVersions?: unknown;
}

interface WireError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: { readonly supported?: unknown } | null;
}

/** @throws {DoorError} VERSION_UNSUPPORTED, UPSTREAM_BROKE_PROTOCOL */
function readDiscovered(upstream: string, { kind, bytes, start, end }: RawAnswer): Probed {
  const said = JSON.parse(decodeText(bytes, start, end)) as Discovered & WireError;
  if (kind === 'error') return readRefusal(upstream, said);
  // There are servers that say something to whatever they are asked.
  if (!Array.isArray(said.supportedVersions)) return HANDSHAKE;
  const codec = chooseCodec(said.supportedVersions);
  if (codec === undefined) throw unsupported(upstream, said.supportedVersions);
  if (codec.era === 'handshake') return HANDSHAKE;
  const serverInfo = said._meta?.[META.serverInfo] ?? said.serverInfo;
  return { kind: 'modern', hello: helloOf(codec, upstream, { ...said, serverInfo: serverInfo as { name?: unknown } }) };
}

function readRefusal(upstream: string, { code, message, data }: WireError): Probed {
  if (!MODERN_ERRORS.includes(code)) return HANDSHAKE;
  const supported = data?.supported;
  if (code === HOP_ERROR.versionUnsupported && Array.isArray(supported)) {
    const codec = chooseCodec(supported);
    if (codec?.era === 'handshake') return HANDSHAKE;
    if (codec === undefined) throw unsupported(upstream, supported);
  }
  throw new DoorError(
    'UPSTREAM_BROKE_PROTOCOL',
    `${upstream}: refused server/discover (error ${String(code)}): ${String(message).slice(0, 400)}`,
    { data: { upstream, upstreamError: { code } } },
  );
}

/** The newest revision that both sides speak. */
function chooseCodec(versions: readonly unknown[]): Codec | undefined {
  const named = versions.filter((version) => typeof version === 'string');
  const modern = named.map(findModernCodec).find((codec) => codec !== undefined);
  return (
    modern ??
    named
      .toSorted()
      .reverse()
      .map(findCodec)
      .find((codec) => codec !== undefined)
  );
}

function unsupported(upstream: string, versions: readonly unknown[]): DoorError {
  const named = versions.slice(0, 10).map((version) => String(version).slice(0, 40));
  return new DoorError(
    'VERSION_UNSUPPORTED',
    `${upstream}: speaks protocol revisions ${named.join(', ')}, none of which doorward does`,
    { data: { upstream, supported: named } },
  );
}
