import {
  type CallerCapabilities,
  type CancelSignal,
  DoorError,
  decodeText,
  FINGERPRINT_KEY,
  type Implementation,
} from '../base/index.js';
import { type Codec, findCodec, NEWEST } from '../protocol/index.js';
import type { Connection } from './connection.js';
import { isObject } from './member-kinds.js';
import type { RequestOptions } from './pending.js';
import type { RawAnswer } from './raw-answer.js';

/** What of a server's capabilities decides what it is asked; what it does not say is never asked of it. */
export interface ServerCapabilities {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
  /** Of which lists it tells when they change. */
  readonly changes: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
}

export interface Hello {
  readonly codec: Codec;
  /** What the server calls itself; the upstream's id where it does not say. */
  readonly name: string;
  readonly capabilities: ServerCapabilities;
  /** What it tells models about itself; '' where it says nothing. */
  readonly instructions: string;
  /** The fingerprint of the contract that it serves, where it says one. */
  readonly fingerprint?: string;
}

/** How we introduce ourselves, and what the caller behind us can be asked for. */
export interface Introduction {
  readonly info: Implementation;
  readonly capabilities: CallerCapabilities;
  /** Asked when the server has answered: false where it has been agreed meanwhile to speak otherwise. */
  readonly mayAgree?: () => boolean;
}

/** What the caller behind us declared, as it is shown to an upstream. */
export function capabilitiesText(capabilities: CallerCapabilities): string {
  const { elicitation, sampling, roots, extensions } = capabilities;
  const declared = Object.entries({ elicitation, sampling, roots, extensions })
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `"${name}":${text}`);
  return `{${declared.join()}}`;
}

/**
 * Introduces both sides to each other (MCP basic/lifecycle) on a connection that is open.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when the server refuses, or speaks no revision that we do, or answers too late
 */
export async function shakeHands(
  connection: Connection,
  upstream: string,
  { info, capabilities, mayAgree = () => true }: Introduction,
): Promise<Hello> {
  const { extensions: _, ...declared } = capabilities;
  const hello = `{"protocolVersion":"${NEWEST.revision}","capabilities":${capabilitiesText(declared)},"clientInfo":${JSON.stringify(info)}}`;
  const answer = await connection.request('initialize', hello, optionsOf('initialize'), NEWEST);
  const server = readInitializeResult(upstream, answer);
  if (!mayAgree()) throw new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: answered initialize too late`);
  connection.agree(server.codec);
  connection.notify('notifications/initialized');
  connection.transport.listen?.();
  return server;
}

/** What a server says of itself, be it to `initialize` or to `server/discover`. */
export interface SaidOfItself {
  readonly capabilities?: Record<string, unknown> | null;
  readonly serverInfo?: { readonly name?: unknown } | null;
  readonly instructions?: unknown;
  readonly _meta?: Record<string, unknown> | null;
}

/** Reads what a server says of itself. */
export function helloOf(codec: Codec, upstream: string, said: SaidOfItself): Hello {
  const name = said.serverInfo?.name;
  const fingerprint = said._meta?.[FINGERPRINT_KEY];
  const { tools, resources, prompts, completions, logging } = said.capabilities ?? {};
  return {
    codec,
    name: typeof name === 'string' ? name : upstream,
    instructions: typeof said.instructions === 'string' ? said.instructions : '',
    ...(typeof fingerprint === 'string' && { fingerprint }),
    capabilities: {
      tools: tools != null,
      resources: resources != null,
      prompts: prompts != null,
      // The first revision had completion without a capability for it.
      completions: completions != null || codec.revision === '2024-11-05',
      logging: logging != null,
      changes: {
        tools: hasFlag(tools, 'listChanged'),
        resources: hasFlag(resources, 'listChanged'),
        prompts: hasFlag(prompts, 'listChanged'),
      },
    },
  };
}

function hasFlag(capability: unknown, flag: string): boolean {
  return isObject(capability) && capability[flag] === true;
}

function readInitializeResult(upstream: string, answer: RawAnswer): Hello {
  const text = decodeText(answer.bytes, answer.start, answer.end);
  const broke = (why: string): DoorError =>
    new DoorError('UPSTREAM_BROKE_PROTOCOL', `${upstream}: ${why}`, { data: { upstream } });
  if (answer.kind === 'error') throw broke(`initialize was refused: ${text.slice(0, 400)}`);
  const hello = JSON.parse(text) as SaidOfItself & { readonly protocolVersion?: unknown };
  const revision = hello.protocolVersion;
  const codec = typeof revision === 'string' ? findCodec(revision) : undefined;
  if (codec === undefined)
    throw broke(`speaks protocol revision ${String(JSON.stringify(revision)).slice(0, 80)}, which doorward does not`);
  return helloOf(codec, upstream, hello);
}

/** A request of our own: whoever makes it bounds it, be it by the start's deadline or by a signal. */
export function optionsOf(about: string, signal?: CancelSignal): RequestOptions {
  const boundMs = Number.POSITIVE_INFINITY;
  return { about, timeoutMs: boundMs, maxMs: boundMs, signal, progress: undefined };
}
