import type { EventBus } from '../../base/index.js';
import type { Implementation, SliceFacts } from '../../contract/index.js';
import type { Mount } from '../types.js';
import { localOffer } from './local-offer.js';
import { LocalTransport } from './local-transport.js';
import { reasonOf } from './thrown.js';

export interface LocalMountOptions {
  /** Where, and for which profile, it is served. */
  readonly facts?: Omit<SliceFacts, 'principal'>;
  /** The mount's id, for events and `doorward call`. Default: the last part of the server's name. */
  readonly id?: string;
  /** Hears what a handler failed with. */
  readonly events?: EventBus;
}

/**
 * Puts a contract's own tools, resources and prompts into a gateway, under their own names.
 *
 * @throws {DoorError} CONTRACT_INVALID
 */
export function localMount(implementation: Implementation, options: LocalMountOptions = {}): Mount {
  const { contract } = implementation;
  const { facts = {}, id = contract.server.name.slice(contract.server.name.indexOf('/') + 1), events } = options;
  const offer = localOffer(implementation, facts);
  const tools = [...offer.tools.values()].map(({ tool }) => tool);
  const failed = (what: string, thrown: unknown): void =>
    events?.emit('handler.failed', { upstream: id, name: what, reason: reasonOf(thrown) });
  return {
    id,
    connect: () => new LocalTransport({ offer, failed }),
    prefix: 'never',
    era: 'handshake',
    // A fault of our own is ours to see, not the caller's to work around.
    validation: { outputs: 'enforce', uncompilableOutput: 'exclude' },
    isLocal: true,
    aliases: new Map(tools.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const))),
    access: {
      private: new Set(tools.filter(({ visibility }) => visibility === 'private').map(({ name }) => name)),
      scopes: new Map(tools.flatMap(({ name, auth }) => (auth === undefined ? [] : [[name, auth.scopes] as const]))),
    },
  };
}
