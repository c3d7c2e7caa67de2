/** A finding about a reference in a text; names the variable, never a value. */
export interface ExpansionFault {
  readonly kind: 'unset-variable' | 'bad-reference' | 'suspicious';
  readonly message: string;
  readonly hint: string;
  readonly variable?: string;
}

export interface Expansion {
  readonly text: string;
  readonly faults: readonly ExpansionFault[];
  /** The variables it was made of, in order. */
  readonly variables: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const DOLLARS = /\$\$|\$\{([^}]*)(\}?)/g;
const REFERENCE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/**
 * Replaces `${VAR}`, `${env:VAR}` and `${VAR:-default}` (used when unset or empty), and reads `$$` as `$`. Once: what
 * a variable holds is text, whatever it looks like. `$VAR`, `%VAR%` and the like are text too.
 */
export function expandText(text: string, environment: Environment): Expansion {
  if (!text.includes('$')) return { text, faults: [], variables: [] };
  const faults: ExpansionFault[] = [];
  const variables: string[] = [];
  const expanded = text.replace(DOLLARS, (whole, body: string | undefined, close: string, offset: number) => {
    if (body === undefined) {
      const next = text[offset + 2];
      if (next !== '{' && next !== '$') faults.push(LONE_DOLLARS);
      return '$';
    }
    const reference = close === '' ? undefined : readReference(body);
    if (reference === undefined) {
      faults.push(badReference(close));
      return whole;
    }
    variables.push(reference.name);
    const value = Object.hasOwn(environment, reference.name) ? environment[reference.name] : undefined;
    if (reference.fallback !== undefined) return value || reference.fallback;
    if (value === undefined) faults.push(unsetVariable(reference.name));
    return value ?? '';
  });
  return { text: expanded, faults, variables };
}

function readReference(body: string): { readonly name: string; readonly fallback: string | undefined } | undefined {
  const match = REFERENCE.exec(body);
  // A `${` inside a default would look like a nested reference, which there is not: expansion happens once.
  if (!match || match[2]?.includes('${')) return undefined;
  return { name: match[1]!, fallback: match[2] };
}

function unsetVariable(name: string): ExpansionFault {
  return {
    kind: 'unset-variable',
    message: `environment variable ${name} is not set`,
    hint: `Set ${name}, or give a default: \${${name}:-value}.`,
    variable: name,
  };
}

function badReference(close: string): ExpansionFault {
  return {
    kind: 'bad-reference',
    message: close === '' ? 'a `${` is never closed' : 'a `${…}` that is no reference to a variable',
    hint: 'Write ${VAR}, ${VAR:-default} or ${env:VAR}; for a literal ${ write $${.',
  };
}

const LONE_DOLLARS: ExpansionFault = {
  kind: 'suspicious',
  message: '`$$` is read as one `$`',
  hint: 'Write $$$$ for two; a single $ that is not followed by { needs no escape.',
};
