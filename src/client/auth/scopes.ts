export interface ScopeChoice {
  readonly configured?: string | undefined;
  /** What a request was refused for the lack of. */
  readonly lacking?: string | undefined;
  /** Of the challenge that the server answered with. */
  readonly challenged?: string | undefined;
  /** `scopes_supported` of the protected resource's metadata. */
  readonly resource?: readonly string[] | undefined;
  /** Scopes we had or asked for: losing them would break other tools. */
  readonly before?: string | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly server?: readonly string[] | undefined;
}

/**
 * The scopes to ask for (MCP basic/authorization, Scope Selection Strategy): what the configuration says, else what the
 * challenge says, else all that the resource names; together with those we had and what they were not enough for. `offline_access`, which refresh tokens
 * hang on with some servers, is added where the authorization server knows it.
 *
 * @returns undefined where the parameter is to be left out
 */
export function selectScope(choice: ScopeChoice): string | undefined {
  const { configured, lacking, challenged, resource, before, server } = choice;
  if (configured) return unionOf(configured, lacking);
  const scope = unionOf(before, lacking, challenged ?? resource?.join(' '));
  const adds = scope !== undefined && server?.includes('offline_access');
  return adds ? unionOf(scope, 'offline_access') : scope;
}

/** Every scope that one of them has, in the order of their first mention; undefined where there is none. */
export function unionOf(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(/\s+/) ?? []).filter((name) => name !== ''));
  return all.size === 0 ? undefined : [...all].join(' ');
}

/** Whether `scope` names nothing that `held` lacks. */
export function isCovered(scope: string | undefined, held: string | undefined): boolean {
  return unionOf(held, scope) === unionOf(held);
}
