import { setTimeout as delay } from 'node:timers/promises';
import { type CancelSignal, orAborted } from '../../base/index.js';
import type { Environment } from '../../config/index.js';
import { PUBLISHER, type PublisherPin } from '../../generate/index.js';
import type { Cli } from '../cli.js';
import { readDuration } from '../duration.js';
import type { Run } from '../parse-command-line.js';
import { oneLine } from '../screen.js';
import { usageError } from '../usage-error.js';

/** Where a release happens. Each address can be another: a mirror, or a stub of a test. */
export interface World {
  /** Without a slash at its end. */
  readonly npmRegistry: string;
  /** Whether that is not the public one: then npm has to be told. */
  readonly isOtherNpm: boolean;
  readonly registry: string;
  readonly pin: PublisherPin;
  /** The publisher's program. */
  readonly publisher: string;
  readonly loginMethod: string;
  readonly hasProvenance: boolean;
  /** How long to wait for what others still have to show. */
  readonly patienceMs: number | undefined;
  /** The first pause between two tries; each one after it is twice as long. */
  readonly pauseMs: number;
  readonly environment: Environment;
  readonly signal: CancelSignal;
  /** One line of what happens. */
  say(line: string): void;
  /** What a program writes. */
  show(chunk: Uint8Array): void;
}

export const NPM_REGISTRY = 'https://registry.npmjs.org';
const MCP_REGISTRY = 'https://registry.modelcontextprotocol.io';

/**
 * @throws {DoorError} CONFIG_INVALID for addresses and times that are none
 */
export function worldOf({ options }: Run, { environment, err, signal }: Cli): World {
  const read = (option: string, variable: string): string | undefined =>
    (options.get(option) as string | undefined) ?? (environment[variable] || undefined);
  const timeout = read('timeout', 'RELEASE_TIMEOUT');
  const npmRegistry = addressOf(read('npm-registry', 'NPM_REGISTRY_URL') ?? NPM_REGISTRY, '--npm-registry');
  return {
    npmRegistry,
    isOtherNpm: npmRegistry !== NPM_REGISTRY,
    registry: addressOf(read('registry', 'MCP_REGISTRY_URL') ?? MCP_REGISTRY, '--registry'),
    pin: {
      version: environment.MCP_PUBLISHER_VERSION || PUBLISHER.version,
      url: addressOf(environment.MCP_PUBLISHER_URL || PUBLISHER.url, 'MCP_PUBLISHER_URL'),
      sha256: digestOf(environment.MCP_PUBLISHER_SHA256 || PUBLISHER.sha256),
    },
    publisher: (options.get('publisher') as string | undefined) ?? 'mcp-publisher',
    loginMethod: (options.get('login') as string | undefined) ?? 'github-oidc',
    hasProvenance: !options.has('no-provenance'),
    patienceMs: timeout === undefined ? undefined : readDuration(timeout, '--timeout'),
    pauseMs: readDuration(read('pause', 'RELEASE_PAUSE') ?? '15s', '--pause'),
    environment,
    signal,
    say: (line) => err.write(`${oneLine(line)}\n`),
    show: (chunk) => err.write(chunk),
  };
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Tokens and packages go over these: in the clear on this machine at most. */
function addressOf(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    return text.replace(/\/+$/, '');
  throw usageError(`${what} is no https URL`, 'Write an absolute URL; http is for this machine only.');
}

function digestOf(text: string): string {
  if (/^[a-f0-9]{64}$/i.test(text)) return text.toLowerCase();
  throw usageError('MCP_PUBLISHER_SHA256 is no SHA-256', 'Write its 64 digits.');
}

/** Waits. @throws the signal's reason */
export async function pause(ms: number, signal: CancelSignal): Promise<void> {
  const ended = new AbortController();
  try {
    await orAborted(delay(ms, undefined, { signal: ended.signal }), signal);
  } finally {
    ended.abort();
  }
}

/** What a step has done. */
export interface Outcome {
  /** For people, in a line. */
  readonly message: string;
  /** For programs. */
  readonly facts: Readonly<Record<string, unknown>>;
}
