const MAX_LENGTH = 4_096;
const MAX_STEPS = 128;
/** With a level-4 modifier: `{name:3}` or `{name*}`. Looser than RFC 6570, as servers are. */
const VARIABLE = /^([^\s{}*:,]+)(?::[0-9]{1,4}|(\*))?$/;
const NEEDS_ENCODING = /[^\x21-\x7e]|["<>\\^`|]/u;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;

/** One thing a URI may have at a place. */
type Step =
  /** As it is written, and as expanding encodes it where that differs. */
  | { readonly kind: 'literal'; readonly texts: readonly string[] }
  /** Any run of characters; where there is an opener, that and a run, or nothing. */
  | { readonly kind: 'run'; readonly opener: number; readonly crossesSlash: boolean }
  /** The opener and `name=value` pairs, or nothing. Any name where there are none. */
  | {
      readonly kind: 'pairs';
      readonly opener: number;
      readonly separator: number;
      readonly names: readonly string[] | undefined;
    };

/**
 * A URI template (RFC 6570), to be asked whether a URI may be one of its expansions. Written by strangers and asked by
 * strangers: matching goes over the URI once a step, with no way back, and `costOf` tells beforehand what it takes.
 *
 * It errs towards yes, because the upstream has the last word: a value may hold characters that a strict expansion
 * would have encoded, `{name:3}` any number of them, pairs may stand in any order. `{name}` never crosses a slash, but
 * `{name*}` does, which many servers take as "and all below".
 */
export class UriTemplate {
  readonly #prefixes: readonly string[];
  readonly #steps: readonly Step[];
  readonly #weight: number;

  private constructor(steps: readonly Step[]) {
    const [first, ...rest] = steps;
    const hasPrefix = first?.kind === 'literal';
    this.#prefixes = hasPrefix ? first.texts : [''];
    this.#steps = hasPrefix ? rest : steps;
    this.#weight = this.#steps.reduce((sum, step) => sum + weightOf(step), 1);
  }

  /** @returns undefined where the text is no template, or larger than any that is meant to be used */
  static parse(text: string): UriTemplate | undefined {
    if (text.length > MAX_LENGTH) return undefined;
    const steps = stepsOf(text);
    return steps === undefined || steps.length > MAX_STEPS ? undefined : new UriTemplate(steps);
  }

  /** About how many characters `matches` may have to look at. */
  costOf(uri: string): number {
    return this.#prefixOf(uri) === undefined ? 1 : this.#weight * (uri.length + 1);
  }

  matches(uri: string): boolean {
    const prefix = this.#prefixOf(uri);
    if (prefix === undefined) return false;
    // Where in the URI one can be after the steps so far.
    let reached = new Uint8Array(uri.length + 1);
    reached[prefix.length] = 1;
    for (const step of this.#steps) reached = take(step, uri, reached);
    return reached[uri.length] === 1;
  }

  #prefixOf(uri: string): string | undefined {
    return this.#prefixes.find((prefix) => uri.startsWith(prefix));
  }
}

function stepsOf(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const literal = text.slice(at, open < 0 ? text.length : open);
    if (literal.includes('}')) return undefined;
    if (literal !== '') steps.push({ kind: 'literal', texts: [...new Set([literal, encodeLiteral(literal)])] });
    if (open < 0) break;
    const close = text.indexOf('}', open);
    const expression = close < 0 ? undefined : expressionSteps(text.slice(open + 1, close));
    if (expression === undefined) return undefined;
    steps.push(...expression);
    at = close + 1;
  }
  return steps;
}

/** A template may be written with characters that have no place in a URI; expanding encodes them, servers often don't. */
function encodeLiteral(literal: string): string {
  if (!NEEDS_ENCODING.test(literal)) return literal;
  return literal.replace(/\p{Surrogate}/gu, '\ufffd').replace(new RegExp(NEEDS_ENCODING, 'gu'), encodeURIComponent);
}

function expressionSteps(expression: string): Step[] | undefined {
  const operator = '+#./;?&'.includes(expression.charAt(0)) ? expression.charAt(0) : '';
  const names: string[] = [];
  const exploded: boolean[] = [];
  // `=`, `,`, `!`, `@` and `|` are kept for operators to come.
  if (/^[=,!@|]/.test(expression)) return undefined;
  for (const variable of expression.slice(operator.length).split(',')) {
    const [, name, star] = VARIABLE.exec(variable.trim()) ?? [];
    if (name === undefined) return undefined;
    names.push(name);
    exploded.push(star !== undefined);
  }
  const isExploded = exploded.includes(true);
  const opener = operator === '' || operator === '+' ? 0 : operator.charCodeAt(0);
  switch (operator) {
    case '?':
    case '&':
    case ';': {
      const separator = operator === ';' ? SEMICOLON : AMPERSAND;
      return [{ kind: 'pairs', opener, separator, names: isExploded ? undefined : names }];
    }
    case '/':
      return exploded.map((crossesSlash) => ({ kind: 'run', opener, crossesSlash }));
    default:
      return [{ kind: 'run', opener, crossesSlash: isExploded || operator === '+' || operator === '#' }];
  }
}

function weightOf(step: Step): number {
  return step.kind === 'pairs' ? (step.names ?? []).reduce((sum, name) => sum + name.length, 1) : 1;
}

function take(step: Step, uri: string, reached: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(reached.length);
  if (step.kind === 'run') takeRun(step, uri, reached, next);
  else if (step.kind === 'pairs') takePairs(step, uri, reached, next);
  else takeLiteral(step, uri, reached, next);
  return next;
}

type Of<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

function takeLiteral(step: Of<'literal'>, uri: string, reached: Uint8Array, next: Uint8Array): void {
  for (const text of step.texts) {
    // Searched as Knuth, Morris and Pratt do: trying it at each place costs the product of both lengths.
    const resume = resumePoints(text, uri.length);
    let matched = 0;
    for (let i = 0; i < uri.length && resume.length > 0; i++) {
      const c = uri.charCodeAt(i);
      while (matched > 0 && c !== text.charCodeAt(matched)) matched = resume[matched - 1]!;
      if (c === text.charCodeAt(matched)) matched++;
      if (matched < text.length) continue;
      if (reached[i + 1 - matched] === 1) next[i + 1] = 1;
      matched = resume[matched - 1]!;
    }
  }
}

/** How much of a text's beginning is still matched when the character behind each place does not fit. */
function resumePoints(text: string, maxLength: number): Int32Array {
  if (text.length > maxLength) return new Int32Array(0);
  const resume = new Int32Array(text.length);
  let matched = 0;
  for (let i = 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    while (matched > 0 && c !== text.charCodeAt(matched)) matched = resume[matched - 1]!;
    if (c === text.charCodeAt(matched)) matched++;
    resume[i] = matched;
  }
  return resume;
}

function takeRun(step: Of<'run'>, uri: string, reached: Uint8Array, next: Uint8Array): void {
  let isInside = false;
  for (let i = 0; i < reached.length; i++) {
    const isHere = reached[i] === 1;
    if (isHere && step.opener === 0) isInside = true;
    if (isHere || isInside) next[i] = 1;
    const c = uri.charCodeAt(i);
    if (c === SLASH && !step.crossesSlash) isInside = false;
    if (isHere && c === step.opener) isInside = true;
  }
}

function takePairs(step: Of<'pairs'>, uri: string, reached: Uint8Array, next: Uint8Array): void {
  const { opener, separator, names } = step;
  // Path parameters end with their segment; what stands in a query may hold slashes.
  const stop = separator === SEMICOLON ? SLASH : separator;
  const named = new Uint8Array(reached.length);
  let isStart = false;
  let isInValue = false;
  for (let i = 0; i < reached.length; i++) {
    if (isStart && names === undefined) isInValue = true;
    else if (isStart) for (const name of names ?? []) if (uri.startsWith(name, i)) named[i + name.length] = 1;
    const isHere = reached[i] === 1;
    const isNamed = named[i] === 1;
    if (isHere || isNamed || isInValue) next[i] = 1;
    const c = uri.charCodeAt(i);
    isStart = (isHere && c === opener) || ((isNamed || isInValue) && c === separator);
    if (c === separator || c === stop) isInValue = false;
    if (isNamed && c === EQUALS) isInValue = true;
  }
}
