/** What a `Bearer` challenge says (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly error?: string;
  readonly scope?: string;
  /** Where the protected resource's metadata lies; absent where it is no URL. */
  readonly resourceMetadata?: string;
}

/** One token: what scheme names and parameter names are made of (RFC 9110 section 5.6.2). */
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
/** A parameter's value. A quoted one may hold commas, which is why a split at commas does not do. */
const VALUE = /\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const OPEN_QUOTE = /\s*=\s*"/y;
const GAP = /[\s,]*/y;
/** What some schemes have instead of parameters: `Negotiate YII=`. */
const TOKEN68 = /\s+[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;
const MAX_LENGTH = 16 * 1024;

/**
 * Reads the first `Bearer` challenge of a `WWW-Authenticate` header. Several schemes may stand in one header, in any
 * order. What cannot be read is passed over.
 */
export function readChallenge(header: string): Challenge {
  for (const { scheme, parameters } of challengesOf(header.slice(0, MAX_LENGTH))) {
    if (scheme !== 'bearer') continue;
    const error = parameters.get('error');
    const scope = parameters.get('scope')?.trim();
    const resourceMetadata = parameters.get('resource_metadata');
    return {
      ...(error && { error }),
      ...(scope && { scope }),
      ...(resourceMetadata && URL.canParse(resourceMetadata) && { resourceMetadata }),
    };
  }
  return {};
}

function challengesOf(text: string) {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    take(GAP);
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name === undefined) {
      at++;
      continue;
    }
    const value = take(VALUE);
    if (value) {
      // The first of a name counts; a parameter before any scheme belongs to nothing.
      const { parameters } = challenges.at(-1) ?? { parameters: new Map<string, string>() };
      if (!parameters.has(name)) parameters.set(name, value[1]?.replace(/\\(.)/g, '$1') ?? value[2]!);
      continue;
    }
    // A quote that never ends: nothing behind it can be told apart, and looking for its end again and again takes long.
    if (take(OPEN_QUOTE)) break;
    challenges.push({ scheme: name, parameters: new Map() });
    take(TOKEN68);
  }
  return challenges;
}
