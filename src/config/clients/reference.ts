/** A value of an entry, taken apart: text, and references to environment variables. Nothing is ever resolved here. */
export type Text = readonly TextPart[];
export type TextPart = string | VariableReference;

export interface VariableReference {
  /** The environment variable's name. */
  readonly variable: string;
  /** What stands for it when it is unset; only some dialects can say so. */
  readonly fallback?: string;
}

/**
 * How a client's file refers to a secret that is not in the file.
 *
 * - `braces`: `${VAR}`; `braces-fallback`: `${VAR:-default}` as well; `braces-dollar`: bare `$VAR` as well
 * - `env-braces`: `${env:VAR}`; `env-curly`: `{env:VAR}`; `secrets`: `${{ secrets.VAR }}`
 * - `input`: `${input:VAR}`, asked for by the client and declared beside the servers
 * - `names`: not in values at all, but in fields that hold variables' names
 * - `none`: the file holds literals only
 */
export type Dialect =
  | 'braces'
  | 'braces-fallback'
  | 'braces-dollar'
  | 'env-braces'
  | 'env-curly'
  | 'secrets'
  | 'input'
  | 'names'
  | 'none'
  | 'doorward';

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const BRACES = `\\$\\{(?:env:)?(?<braces>${NAME})(?::-(?<fallback>[^}]*))?\\}`;
const INPUT = '\\$\\{input:(?<input>[A-Za-z0-9_.-]+)\\}';
const SECRETS = `\\$\\{\\{\\s*(?:secrets|inputs)\\.(?<secrets>${NAME})\\s*\\}\\}`;
const CURLY = `(?<!\\$)\\{env:(?<curly>${NAME})\\}`;
const BARE = `\\$(?<bare>${NAME})`;

/** What each dialect reads as a reference. Forms of other clients are read too where they cannot mean anything else. */
const FORMS: Readonly<Record<Dialect, RegExp | undefined>> = {
  braces: forms(SECRETS, INPUT, BRACES, CURLY),
  'braces-fallback': forms(SECRETS, INPUT, BRACES, CURLY),
  'braces-dollar': forms(SECRETS, INPUT, BRACES, CURLY, BARE),
  'env-braces': forms(SECRETS, INPUT, BRACES, CURLY),
  'env-curly': forms(SECRETS, INPUT, BRACES, CURLY),
  secrets: forms(SECRETS, INPUT, BRACES, CURLY),
  input: forms(SECRETS, INPUT, BRACES, CURLY),
  names: undefined,
  none: undefined,
  doorward: forms('\\$(?<dollar>\\$)', BRACES),
};

function forms(...alternatives: readonly string[]): RegExp {
  return new RegExp(alternatives.join('|'), 'g');
}

/** Takes a value apart at its references, as `dialect` writes them. What is no reference is text, whatever it looks like. */
export function readText(value: string, dialect: Dialect): Text {
  const form = FORMS[dialect];
  if (form === undefined) return joinText(value === '' ? [] : [value]);
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of value.matchAll(form)) {
    parts.push(value.slice(end, match.index), partOf(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  return joinText([...parts, value.slice(end)]);
}

function partOf(groups: Readonly<Record<string, string | undefined>>): TextPart {
  const { dollar, braces, fallback, input, secrets, curly, bare } = groups;
  if (dollar !== undefined) return '$';
  const variable = braces ?? secrets ?? curly ?? bare ?? variableOf(input ?? '');
  return fallback === undefined ? { variable } : { variable, fallback };
}

/** The variable that stands for an input of VS Code: `api-key` is API_KEY. A name that can be one stays as it is. */
function variableOf(input: string): string {
  if (new RegExp(`^${NAME}$`).test(input)) return input;
  return input
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();
}

/** The same text with neighbouring pieces put together and empty ones left out, so that equal texts are equal values. */
export function joinText(parts: readonly TextPart[]): Text {
  const joined: TextPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part === '') continue;
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

/** Whether a part of a text stands for a variable, and is not written out. */
export function isReference(part: TextPart): part is VariableReference {
  return typeof part !== 'string';
}

/** The references of a text, in order. */
export function referencesOf(text: Text): readonly VariableReference[] {
  return text.filter(isReference);
}

/** Why a text cannot be said in a dialect; `names` and `none` say references elsewhere, or not at all. */
export type Unsayable = 'reference' | 'looks-like-a-reference';

export interface WrittenText {
  readonly value: string;
  /** Variables whose fallback had to be left out. */
  readonly lostFallbacks: readonly string[];
}

/** Writes a text in a dialect. @returns why not, where the dialect has no way to say it */
export function writeText(text: Text, dialect: Dialect): WrittenText | Unsayable {
  if (dialect === 'doorward') return { value: doorwardText(text), lostFallbacks: [] };
  const lostFallbacks: string[] = [];
  let value = '';
  for (const part of text) {
    if (typeof part === 'string') {
      value += part;
      continue;
    }
    const reference = referenceText(part, dialect);
    if (reference === undefined) return 'reference';
    const saysFallback = dialect === 'braces-fallback';
    if (part.fallback !== undefined && !saysFallback) lostFallbacks.push(part.variable);
    value += reference;
  }
  // No dialect but our own has an escape: what would be read back as something else cannot be written.
  return isSameText(readText(value, dialect), withoutFallbacks(text, dialect))
    ? { value, lostFallbacks }
    : 'looks-like-a-reference';
}

function referenceText({ variable, fallback }: VariableReference, dialect: Dialect): string | undefined {
  switch (dialect) {
    case 'braces':
    case 'braces-dollar':
      return `\${${variable}}`;
    case 'braces-fallback':
      return fallback === undefined ? `\${${variable}}` : `\${${variable}:-${fallback}}`;
    case 'env-braces':
      return `\${env:${variable}}`;
    case 'env-curly':
      return `{env:${variable}}`;
    case 'secrets':
      return `\${{ secrets.${variable} }}`;
    case 'input':
      return `\${input:${variable}}`;
    default:
      return undefined;
  }
}

function withoutFallbacks(text: Text, dialect: Dialect): Text {
  if (dialect === 'braces-fallback') return text;
  return text.map((part) => (typeof part === 'string' ? part : { variable: part.variable }));
}

export function isSameText(one: Text, other: Text): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Our own form. A `$` is doubled where it would be read as the beginning of something. */
function doorwardText(text: Text): string {
  let value = '';
  text.forEach((part, at) => {
    if (typeof part !== 'string') {
      value += part.fallback === undefined ? `\${${part.variable}}` : `\${${part.variable}:-${part.fallback}}`;
      return;
    }
    const isBeforeReference = at + 1 < text.length;
    value += part.replace(/\$(?=(.?))/gs, (_, next: string) => {
      const isRead = next === '' ? isBeforeReference : next === '{' || next === '$';
      return isRead ? '$$' : '$';
    });
  });
  return value;
}
