import { DoorError, type EventBus } from '../../base/index.js';
import type { Transport } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import type { Mount } from '../../gateway/index.js';
import { httpUpstream } from './http-upstream.js';
import { RemotePresence } from './remote-presence.js';
import { OWN_PROGRAM, realmOf, remoteLoginCommand, shownUrl } from './remote-record.js';

export interface RemoteMountOptions {
  /** Names folders, proxies and certificates; the process's own by default. */
  readonly environment?: Environment;
  /** Whose remote it is: two programs do not share one. Default `doorward`. */
  readonly program?: string;
  /** The address of the remote that the program is made for. Default: the one that `doorward login URL` names. */
  readonly url?: string;
  /** Of the contract that the program serves: a remote that serves the same one has its tools under their own names. */
  readonly fingerprint?: string;
  /** Hears what becomes of credentials. */
  readonly events?: EventBus;
  /** Ids that other mounts have. */
  readonly taken?: readonly string[];
  /** Bytes of one message. Default 32 MiB. */
  readonly maxMessageBytes?: number;
  /** How long connecting and listing may take. Default 20,000. */
  readonly startTimeoutMs?: number;
  /** How long a call may take without progress. Default 60,000. */
  readonly callTimeoutMs?: number;
}

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const START_TIMEOUT_MS = 20_000;

/**
 * The remote of a program, as a mount that is there while somebody is signed in: for the `mounts` of `createGateway`, behind
 * all others. Whoever signs in or out is noticed within a second, until the gateway is closed.
 */
export function remoteMounts(options: RemoteMountOptions = {}): readonly Mount[] {
  const { environment = process.env, program = OWN_PROGRAM, url, fingerprint, taken = [] } = options;
  const presence = new RemotePresence({
    environment,
    program,
    ...(url !== undefined && { url }),
    ...(fingerprint !== undefined && { fingerprint }),
  });
  const mount: Mount = {
    id: freeId(taken),
    connect: () => remoteConnection(presence.url, { ...options, environment, program }),
    presence,
    prefix: 'always',
    startTimeoutMs: options.startTimeoutMs ?? START_TIMEOUT_MS,
    ...(options.callTimeoutMs !== undefined && { callTimeoutMs: options.callTimeoutMs }),
  };
  return [mount];
}

function freeId(taken: readonly string[]): string {
  for (let count = 1; ; count++) {
    const id = count === 1 ? 'remote' : `remote${count}`;
    if (!taken.includes(id)) return id;
  }
}

export interface RemoteConnectionOptions extends Pick<RemoteMountOptions, 'events' | 'maxMessageBytes'> {
  readonly environment: Environment;
  readonly program: string;
  /** Sent with each request. With an `Authorization` among them no token is looked for. */
  readonly headers?: ReadonlyMap<string, string>;
}

/** A connection to the remote of a program, with the tokens of its own login. */
export function remoteConnection(url: string | undefined, options: RemoteConnectionOptions): Transport {
  const { environment, program, events, headers = new Map(), maxMessageBytes = MAX_MESSAGE_BYTES } = options;
  if (url === undefined) throw new DoorError('AUTH_REQUIRED', 'nobody has named a remote');
  const target = { kind: 'http', type: 'http', url, headers } as const;
  return httpUpstream({
    ...target,
    entry: { kind: 'ready', id: shownUrl(url), target, options: {} },
    maxMessageBytes,
    environment,
    realm: realmOf(program),
    command: remoteLoginCommand(url, program),
    ...(events && { events }),
  });
}
