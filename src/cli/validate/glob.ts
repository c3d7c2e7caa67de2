const SPECIAL = /[.+^${}()|\\]/g;

/** Whether a path is meant by a filter pattern of a GitHub workflow: `*` and `?` stop at slashes, `**` does not. */
export function matchesGlob(path: string, pattern: string): boolean {
  try {
    return expressionOf(pattern).test(path);
  } catch {
    // A bracket that is never closed: GitHub reads it as itself, too.
    return path === pattern;
  }
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(SPECIAL, '\\$&')
    .replace(/\*\*\/|\*\*|\*|\?/g, (wildcard) => WILDCARDS[wildcard as keyof typeof WILDCARDS]);
  return new RegExp(`^${source}$`);
}

const WILDCARDS = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
