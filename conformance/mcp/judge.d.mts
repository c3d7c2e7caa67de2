/** See judge.mjs. */
export function judge(
  runs: readonly object[],
  options: {
    readonly expected: readonly object[];
    readonly scenariosOf: (leg: string, revision: string) => Map<string, { isScored: boolean; reason?: string }>;
  },
): { readonly rows: readonly object[]; readonly misses: readonly string[] };
