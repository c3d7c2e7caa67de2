import type { ClientState } from '../client/index.js';
import type { UpstreamState } from './types.js';

/** What may be known of an upstream outside: how its client is, without what the client works with. */
export function upstreamStateOf(state: ClientState): UpstreamState {
  switch (state.kind) {
    case 'ready':
      return {
        kind: 'ready',
        revision: state.hello.codec.revision,
        serverName: state.hello.name,
        tools: state.list.tools.length,
      };
    case 'connecting':
      return {
        kind: 'connecting',
        sinceMs: state.sinceMs,
        ...(state.failed !== undefined && { failure: state.failed }),
      };
    default:
      return state;
  }
}
