/** A `{variable}` of a template; anything else in braces is of a higher level than is served here. */
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
/** What the value of a variable has none of, unless encoded (RFC 6570 section 3.2.2; these end a part of a URI). */
const ENDS_A_PART = /[/?#]/;

/**
 * A URI template of a contract's (RFC 6570, level 1), to take the values out of a URI again. Callers write the URIs, so the
 * time it takes grows with the length of one and with nothing else: no expression that tries again and again.
 */
export class ResourceTemplate {
  readonly #names: readonly string[];
  /** What stands before the first variable, and behind each. */
  readonly #texts: readonly string[];

  constructor(template: string) {
    const names: string[] = [];
    const texts: string[] = [];
    let at = 0;
    for (const match of template.matchAll(VARIABLE)) {
      texts.push(template.slice(at, match.index));
      names.push(match[1]!);
      at = match.index + match[0].length;
    }
    this.#names = names;
    this.#texts = [...texts, template.slice(at)];
  }

  /** @returns the variables' values, decoded; undefined where the URI is none of the template's */
  read(uri: string): Readonly<Record<string, string>> | undefined {
    const values = this.#valuesIn(uri);
    if (values === undefined) return undefined;
    try {
      return Object.fromEntries(values.map((value, at) => [this.#names[at]!, decodeURIComponent(value)]));
    } catch {
      return undefined; // a broken percent sign: no expansion of ours has one
    }
  }

  /** From the end to the beginning: where a text may stand at several places, the variables before it are long. */
  #valuesIn(uri: string): readonly string[] | undefined {
    const [first = '', ...texts] = this.#texts;
    if (texts.length === 0) return uri === first ? [] : undefined;
    const last = texts.at(-1)!;
    if (!uri.startsWith(first) || !uri.endsWith(last)) return undefined;
    const values: string[] = [];
    let end = uri.length - last.length;
    for (let at = texts.length - 1; at >= 0; at--) {
      const before = at === 0 ? first : texts[at - 1]!;
      // At least one character for the variable.
      const start = at === 0 ? first.length : uri.lastIndexOf(before, end - 1 - before.length) + before.length;
      if (start < first.length || start >= end || (at > 0 && start < first.length + before.length)) return undefined;
      const value = uri.slice(start, end);
      if (ENDS_A_PART.test(value)) return undefined;
      values.unshift(value);
      end = start - before.length;
    }
    return values;
  }
}
