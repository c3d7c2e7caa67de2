import {
  type CallerAnswer,
  DoorError,
  decodeText,
  type ErrorCode,
  findDuplicateName,
  JsonScanner,
  type JsonSlice,
  ObjectText,
  OPEN_BRACE,
  type Piece,
  parseJson,
  QUOTE,
  SCAN,
  sliceOf,
  splice,
  stringifyJson,
} from '../base/index.js';
import {
  applyDefaults,
  checkFlatForm,
  compileSchema,
  type Issue,
  type Judge,
  type SchemaWarning,
} from '../schema/index.js';

/** How strictly forms and what they are answered with are taken. */
export interface FormRules {
  /** What a wrong email, uri, date or date-time in an answer is. */
  readonly formats: 'warn' | 'assert';
  /** What a form outside the flat ones that MCP has is: shown with a warning, or refused to the server. */
  readonly schemas: 'warn' | 'refuse';
}

/** Rules that are left out are `warn`. */
export interface ElicitationOptions extends Partial<FormRules> {
  /** For messages and error data. */
  readonly upstream: string;
  /** What the caller declared (`CallerCapabilities.elicitation`): modes it did not declare are refused. Absent: both pass. */
  readonly capability?: string;
}

/** The message names the upstream, and never shows a value. */
export interface ElicitationWarning {
  /** A form outside what MCP has for forms; one with a name twice; a wrong format in an answer; content where none belongs. */
  readonly warning: 'elicitation-form' | 'elicitation-names' | 'elicitation-format' | 'elicitation-content';
  readonly message: string;
}

/** What becomes of an `elicitation/create` request. */
export type Elicitation =
  /** It is shown to the caller as it is; what the caller says is then judged. */
  | {
      readonly kind: 'asked';
      readonly warnings: readonly ElicitationWarning[];
      judge(answer: CallerAnswer): ElicitationReply;
    }
  /** The server gets an error at once, INVALID_ARGUMENTS; the caller is never asked. */
  | { readonly kind: 'refused'; readonly error: DoorError };

/** What the server that asked gets. */
export type ElicitationReply =
  /** The caller's own bytes, save for defaults that were filled in. The pieces are parts of the answer's memory. */
  | {
      readonly kind: 'result' | 'error';
      readonly pieces: readonly Piece[];
      readonly warnings: readonly ElicitationWarning[];
    }
  /** An error, INVALID_ANSWER; the answer goes nowhere. */
  | { readonly kind: 'refused'; readonly error: DoorError; readonly issues: readonly Issue[] };

type Mode = 'form' | 'url';

const NO_WARNINGS: readonly ElicitationWarning[] = Object.freeze([]);

const scanner = new JsonScanner();

/**
 * Reads a server's request for input from the user (MCP 2025-11-25 client/elicitation), so that the answer can be judged
 * by the very form that was asked for. The memory of `params` is not kept.
 */
export function readElicitation(params: JsonSlice | undefined, options: ElicitationOptions): Elicitation {
  if (params === undefined || !scan(params)) return refuse(options, 'params are not an object');
  const { bytes } = params;
  const repeated = findRepeatedMember(bytes);
  // The caller might read the one and we the other.
  if (repeated !== undefined) return refuse(options, `params hold ${quote(repeated)} twice`);
  const mode = readMode(bytes);
  if (mode === undefined) return refuse(options, 'params.mode is neither "form" nor "url"');
  if (options.capability !== undefined && !declares(options.capability, mode)) {
    return refuse(options, `the caller did not declare elicitation in ${mode} mode`);
  }
  if (mode === 'url') {
    const at = scanner.find('url', bytes);
    const misfit = findMisfitOfUrl(at < 0 ? undefined : stringAt(bytes, at));
    if (misfit !== undefined) return refuse(options, `params.url ${misfit}`);
    return { kind: 'asked', warnings: NO_WARNINGS, judge: (answer) => judgeAnswer(answer, undefined, options) };
  }
  const at = scanner.find('requestedSchema', bytes);
  if (at < 0) return refuse(options, 'params.requestedSchema is missing');
  const span = { bytes, start: scanner.valueStart[at]!, end: scanner.valueEnd[at]! };
  return readForm(span, (scanner.flags[at]! & SCAN.duplicateName) !== 0, options);
}

/** Indexes the members of an object. @returns false where it is none */
function scan({ bytes, start, end }: JsonSlice): boolean {
  return scanner.scan(bytes, start, end) && scanner.root === 'object';
}

/** A name that occurs twice in the scanned object itself, whatever is inside its members. */
function findRepeatedMember(bytes: Uint8Array): string | undefined {
  if ((scanner.rootFlags & SCAN.duplicateName) === 0) return undefined;
  const names = new Set<string>();
  for (let i = 0; i < scanner.count; i++) {
    if (scanner.level[i] !== 1) continue;
    const name = JSON.parse(decodeText(bytes, scanner.nameStart[i]!, scanner.nameEnd[i]!)) as string;
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}

/** Servers of revisions before modes send none: it is a form. */
function readMode(bytes: Uint8Array): Mode | undefined {
  const at = scanner.find('mode', bytes);
  const mode = at < 0 ? 'form' : stringAt(bytes, at);
  return mode === 'form' || mode === 'url' ? mode : undefined;
}

/** The string that a scanned member's value is; undefined where it is none. */
function stringAt(bytes: Uint8Array, at: number): string | undefined {
  const start = scanner.valueStart[at]!;
  return bytes[start] === QUOTE ? (JSON.parse(decodeText(bytes, start, scanner.valueEnd[at]!)) as string) : undefined;
}

/** Hosts of the machine itself. */
const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * What is wrong with a URL that a user is to be sent to (MCP client/elicitation, Safe URL Handling).
 *
 * @returns a predicate; undefined where nothing is
 */
function findMisfitOfUrl(text: string | undefined): string | undefined {
  if (text === undefined) return 'is missing';
  if (!URL.canParse(text)) return 'is not a URL';
  const { protocol, hostname, username, password } = new URL(text);
  const isLoopback = LOOPBACK.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) return 'is not https';
  // What stands there looks like the host, to a user who is shown it.
  return username !== '' || password !== '' ? 'holds a user name or a password' : undefined;
}

/** A capability that names no mode means forms: revisions before modes had nothing else. */
function declares(capability: string, mode: Mode): boolean {
  const declared = parse(capability);
  const has = (name: Mode) => typeof declared === 'object' && declared !== null && Object.hasOwn(declared, name);
  return has(mode) || (mode === 'form' && !has('url'));
}

/** @returns the error where the text, whose grammar is known to be good, is nested too deeply to be read */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return thrown;
    throw thrown;
  }
}

/** What an answer is judged by. */
interface Form {
  readonly schema: unknown;
  readonly judge: Judge;
}

/** @param span the requested schema */
function readForm(span: JsonSlice, mayRepeatNames: boolean, options: ElicitationOptions): Elicitation {
  const { bytes, start, end } = span;
  if (bytes[start] !== OPEN_BRACE) return refuse(options, 'params.requestedSchema is not an object');
  const schema = parse(decodeText(bytes, start, end));
  if (schema instanceof SyntaxError) {
    return refuseSchema(options, { code: 'SCHEMA_TOO_LARGE', schemaPath: '', message: schema.message });
  }
  const { type = 'object' } = schema as { readonly type?: unknown };
  if (type !== 'object') {
    const message = 'the root type of a form must be "object"';
    return refuseSchema(options, { code: 'SCHEMA_INVALID', schemaPath: '/type', message });
  }
  const formats = options.formats === 'assert' ? 'assert' : 'report';
  const compiled = compileSchema({ ...(schema as object), type }, { formats });
  if (!compiled.ok) {
    const { code, message, data } = compiled.error;
    return refuseSchema(options, { code, schemaPath: String(data.schemaPath ?? ''), message });
  }
  const misfits = checkFlatForm(schema);
  const [misfit] = misfits;
  if (misfit !== undefined && options.schemas === 'refuse') {
    return refuseSchema(options, { code: 'SCHEMA_INVALID', ...misfit });
  }
  const repeated = mayRepeatNames ? findDuplicateName(bytes, start, end) : undefined;
  const form = { schema, judge: compiled.judge };
  return {
    kind: 'asked',
    warnings: warningsOf(misfits, repeated, options),
    judge: (answer) => judgeAnswer(answer, form, options),
  };
}

function warningsOf(
  misfits: readonly SchemaWarning[],
  repeated: string | undefined,
  { upstream }: ElicitationOptions,
): readonly ElicitationWarning[] {
  const warnings: ElicitationWarning[] = [];
  if (repeated !== undefined) {
    const message = `${upstream}: asks by a form that holds ${quote(repeated)} twice; the last one is judged by`;
    warnings.push({ warning: 'elicitation-names', message });
  }
  const [first] = misfits;
  if (first !== undefined) {
    const where = `${first.schemaPath === '' ? 'at its root' : first.schemaPath}: ${first.message}${more(misfits)}`;
    const message = `${upstream}: asks by a form that callers may not be able to show: ${where}`;
    warnings.push({ warning: 'elicitation-form', message });
  }
  return warnings;
}

/** Decides what the server gets. @param form absent where the answer holds nothing to judge (URL mode) */
function judgeAnswer(
  { kind, json }: CallerAnswer,
  form: Form | undefined,
  options: ElicitationOptions,
): ElicitationReply {
  const asItIs = { kind, pieces: [json], warnings: NO_WARNINGS };
  if (kind === 'error') return asItIs;
  if (!scan(json)) return reject(options, [rootIssue('type', 'expected object')]);
  const { bytes } = json;
  const repeated = findRepeatedMember(bytes);
  if (repeated !== undefined) return reject(options, [repeatedIssue(repeated)]);
  const at = scanner.find('action', bytes);
  const action = at < 0 ? undefined : stringAt(bytes, at);
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    return reject(options, [rootIssue('enum', 'action must be "accept", "decline" or "cancel"')]);
  }
  if (action === 'accept' && form !== undefined) return judgeContent(json, form, options);
  // Only an accepted form carries data: what a user did not agree to send does not go anywhere.
  return scanner.find('content', bytes) < 0 ? asItIs : withoutContent(json, options);
}

function withoutContent({ bytes, start, end }: JsonSlice, { upstream }: ElicitationOptions): ElicitationReply {
  const text = new ObjectText(bytes.subarray(start, end));
  text.drop([], new Set(['content']));
  const message = `${upstream}: was given an answer without the content that came with it: only an accepted form has any`;
  return { kind: 'result', pieces: [sliceOf(text.finish())], warnings: [{ warning: 'elicitation-content', message }] };
}

/** Fills in defaults and judges what would be delivered; the scanner holds the answer's members. */
function judgeContent(json: JsonSlice, form: Form, options: ElicitationOptions): ElicitationReply {
  const { bytes } = json;
  const at = scanner.find('content', bytes);
  const start = at < 0 ? -1 : scanner.valueStart[at]!;
  const end = at < 0 ? -1 : scanner.valueEnd[at]!;
  if (at >= 0 && bytes[start] !== OPEN_BRACE) return reject(options, [rootIssue('type', 'expected object')]);
  if (at >= 0 && (scanner.flags[at]! & SCAN.duplicateName) !== 0) {
    const repeated = findDuplicateName(bytes, start, end);
    if (repeated !== undefined) return reject(options, [repeatedIssue(repeated)]);
  }
  const given = at < 0 ? '{}' : decodeText(bytes, start, end);
  const added = findDefaults(given, form.schema);
  const content = added === '' ? given : `${given.slice(0, -1)}${added}}`;
  const verdict = form.judge.check(content);
  if (!verdict.valid) return reject(options, verdict.issues, verdict.truncated);
  const warnings = verdict.warnings === undefined ? NO_WARNINGS : [formatWarning(verdict.warnings, options)];
  if (added === '') return { kind: 'result', pieces: [json], warnings };
  // There is an action at least, so a member can be put in front of others.
  const open = bytes.indexOf(OPEN_BRACE, json.start) + 1;
  const edit =
    at < 0 ? { start: open, end: open, by: `"content":${content},` } : { start: end - 1, end: end - 1, by: added };
  return { kind: 'result', pieces: splice(bytes, json.start, json.end, [edit]), warnings };
}

/** The members that defaults add to a content, as they are to stand before its closing brace; '' where none are. */
function findDefaults(content: string, schema: unknown): string {
  const given = parse(content);
  // The judge says so as well, and with a reason.
  if (given instanceof SyntaxError) return '';
  const filled = applyDefaults(schema, given) as Readonly<Record<string, unknown>>;
  if (filled === given) return '';
  const names = Object.keys(filled).filter((name) => !Object.hasOwn(given as object, name));
  const members = names.map((name) => `${JSON.stringify(name)}:${stringifyJson(filled[name])}`).join(',');
  return Object.keys(given as object).length === 0 ? members : `,${members}`;
}

function formatWarning(issues: readonly Issue[], { upstream }: ElicitationOptions): ElicitationWarning {
  const [first] = issues;
  const message = `${upstream}: was given an answer in a wrong format: ${first?.path}: ${first?.message}${more(issues)}`;
  return { warning: 'elicitation-format', message };
}

function refuse({ upstream }: ElicitationOptions, reason: string): Elicitation {
  const error = new DoorError('INVALID_ARGUMENTS', `elicitation/create: ${reason}`, {
    data: { upstream },
    hint: 'Correct the request; the caller was not asked.',
  });
  return { kind: 'refused', error };
}

interface BadSchema {
  readonly code: ErrorCode;
  readonly schemaPath: string;
  readonly message: string;
}

function refuseSchema({ upstream }: ElicitationOptions, reason: BadSchema): Elicitation {
  const what = `requestedSchema${reason.schemaPath}: ${reason.message}`;
  const error = new DoorError('INVALID_ARGUMENTS', `elicitation/create: ${what}`, {
    data: { upstream, reason },
    hint: 'Mend the schema; the caller was not asked.',
  });
  return { kind: 'refused', error };
}

function reject({ upstream }: ElicitationOptions, issues: readonly Issue[], truncated = false): ElicitationReply {
  const [first] = issues;
  const error = new DoorError(
    'INVALID_ANSWER',
    `The answer was not accepted: ${first?.path}: ${first?.message}${more(issues)}`,
    {
      data: { upstream, issues, ...(truncated && { truncated }) },
      hint: 'Ask again if it is still needed; nothing of the answer was passed on.',
    },
  );
  return { kind: 'refused', error, issues };
}

function repeatedIssue(name: string): Issue {
  return rootIssue('uniqueNames', `the name ${quote(name)} occurs twice`);
}

function rootIssue(keyword: string, message: string): Issue {
  return { path: '$', pointer: '', keyword, expected: 'a well-formed answer', received: 'another', message };
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}

function more(all: readonly unknown[]): string {
  return all.length > 1 ? ` (and ${all.length - 1} more)` : '';
}
