/** A `{variable}` of a template; anything else in braces is of a higher level than is served here. */
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A URI template of a contract's (RFC 6570, level 1), to take the values out of a URI again. */
export class ResourceTemplate {
  readonly #pattern: RegExp;
  readonly #names: readonly string[];

  constructor(template: string) {
    const names: string[] = [];
    let source = '';
    let at = 0;
    for (const match of template.matchAll(VARIABLE)) {
      source += `${escaped(template.slice(at, match.index))}([^/?#]+)`;
      names.push(match[1]!);
      at = match.index + match[0].length;
    }
    this.#pattern = new RegExp(`^${source}${escaped(template.slice(at))}$`);
    this.#names = names;
  }

  /** @returns the variables' values, decoded; undefined where the URI is none of the template's */
  read(uri: string): Readonly<Record<string, string>> | undefined {
    const match = this.#pattern.exec(uri);
    if (match === null) return undefined;
    try {
      return Object.fromEntries(this.#names.map((name, at) => [name, decodeURIComponent(match[at + 1]!)]));
    } catch {
      return undefined; // a broken percent sign: no expansion of ours has one
    }
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
