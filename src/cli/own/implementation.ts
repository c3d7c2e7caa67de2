import { type Implementation, implement, type OutputOf } from '../../contract/index.js';
import type { CatalogEntry, Gateway, UpstreamStatus } from '../../gateway/index.js';
import { contract } from './contract.js';

type Status = OutputOf<Extract<(typeof contract.tools)[number], { readonly name: 'doorward_status' }>['output']>;
type Check = OutputOf<Extract<(typeof contract.tools)[number], { readonly name: 'doorward_check' }>['output']>;

/** doorward's own tools, over the gateway that they are mounted in. @param gatewayOf asked at each call */
export function ownImplementation(gatewayOf: () => Gateway): Implementation<typeof contract> {
  return implement(contract, {
    tools: {
      doorward_status: ({ server }) => statusOf(gatewayOf(), server),
      doorward_check: async ({ tool, arguments: args }, { signal, principal }) => {
        const gateway = gatewayOf();
        // What its caller would see: neither a tool that is still being listed nor a private one looks otherwise.
        const entries = await gateway.listTools({ signal, principal });
        const entry = entries.find(({ name }) => name === tool);
        return entry === undefined ? absent(gateway, tool) : checkOf(entry, args);
      },
    },
  });
}

function statusOf(gateway: Gateway, server: string | undefined): Status {
  const { entries, exclusions } = gateway.snapshot();
  const isWanted = (id: string): boolean => server === undefined || id === server;
  return {
    tools: entries.filter(({ mount }) => isWanted(mount)).length,
    servers: gateway
      .upstreams()
      .filter(({ id }) => isWanted(id))
      .map(serverOf),
    excluded: exclusions
      .filter(({ mount }) => isWanted(mount))
      .map(({ mount, tool, code, reason }) => ({ server: mount, tool, code, reason })),
  };
}

function serverOf({ id, state }: UpstreamStatus): Status['servers'][number] {
  if (state.kind === 'ready') return { id, state: state.kind, tools: state.tools };
  const failure = state.kind === 'failed' ? state : state.kind === 'connecting' ? state.failure : undefined;
  if (failure === undefined) return { id, state: state.kind };
  const { error, retryAtMs } = failure;
  return {
    id,
    state: state.kind,
    reason: error.message,
    code: error.code,
    ...(retryAtMs !== undefined && { retryAt: new Date(retryAtMs).toISOString() }),
  };
}

function checkOf({ name: tool, tool: { input } }: CatalogEntry, args: unknown): Check {
  const verdict = input.checkValue(args);
  const issues = verdict.valid ? [] : verdict.issues.map(({ path, message }) => ({ path, message }));
  return { tool, accepted: verdict.valid, issues };
}

function absent(gateway: Gateway, tool: string): Check {
  const exclusion = gateway.snapshot().findExcludedName(tool);
  const reason = exclusion === undefined ? 'there is no tool of that name' : `it was left out: ${exclusion.reason}`;
  return { tool, accepted: false, reason, issues: [] };
}
