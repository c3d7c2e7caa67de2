import {
  encodeText,
  findDuplicateName,
  findMember,
  JsonScanner,
  type JsonSlice,
  membersOf,
  SCAN,
} from '../base/index.js';
import { type Comeback, locateComeback, NO_COMEBACK } from './comeback.js';
import { readString } from './strings.js';

/** The `params` of a request that names one thing an upstream offers, located but not parsed. */
export interface RequestParams {
  readonly bytes: Uint8Array;
  /** The object, braces included. */
  readonly start: number;
  readonly end: number;
  /** What `key` is: a prompt's name, a resource's URI, the text of a URI template, the id of a task. */
  readonly names: 'prompt' | 'resource' | 'template' | 'task';
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** -1 where absent. */
  readonly metaStart: number;
  readonly metaEnd: number;
  /** There may be line breaks between tokens in the params. */
  readonly hasLineBreaks: boolean;
  /** Some of its members are not passed on (`CallParams.hasOwnMembers`). */
  readonly hasOwnMembers: boolean;
  /** What its caller says when it comes back with answers. */
  readonly comeback: Comeback;
}

/** The request's parts that lie on the second level are known to the caller's scanner; those of `ref` are not. */
const refScanner = new JsonScanner();

/** Locates the parts of a `prompts/get` (its name) or of a request about a resource (its uri). @returns a sentence where they are no good */
export function locateRequestParams(
  scanner: JsonScanner,
  bytes: Uint8Array,
  params: number,
  names: 'prompt' | 'resource',
): RequestParams | string {
  const rest = locate(scanner, bytes, params);
  if (typeof rest === 'string') return rest;
  const member = names === 'prompt' ? 'name' : 'uri';
  const at = scanner.find(member, bytes, params);
  return at < 0 ? `params.${member} is missing` : withKey(rest, names, member, scanner, at);
}

/** Locates the parts of a `completion/complete`: what it completes is named inside `ref`. */
export function locateCompletion(scanner: JsonScanner, bytes: Uint8Array, params: number): RequestParams | string {
  const rest = locate(scanner, bytes, params);
  if (typeof rest === 'string') return rest;
  const ref = scanner.find('ref', bytes, params);
  const refStart = ref < 0 ? -1 : scanner.valueStart[ref]!;
  if (refStart < 0 || bytes[refStart] !== 0x7b) return 'params.ref is not an object';
  refScanner.scan(bytes, refStart, scanner.valueEnd[ref]!);
  const type = readMember(refScanner, bytes, 'type');
  const member = type === 'ref/prompt' ? 'name' : type === 'ref/resource' ? 'uri' : undefined;
  if (member === undefined) return 'params.ref.type is neither "ref/prompt" nor "ref/resource"';
  const at = refScanner.find(member, bytes);
  if (at < 0) return `params.ref.${member} is missing`;
  return withKey(rest, member === 'name' ? 'prompt' : 'template', `ref.${member}`, refScanner, at);
}

type Rest = Omit<RequestParams, 'names' | 'key' | 'keyStart' | 'keyEnd'>;

function locate(scanner: JsonScanner, bytes: Uint8Array, params: number): Rest | string {
  if (params < 0) return 'params are missing';
  const start = scanner.valueStart[params]!;
  if (bytes[start] !== 0x7b) return 'params are not an object';
  const flags = scanner.flags[params]!;
  // Which of two members of one name is meant cannot be told, so it must not depend on who reads them.
  if (flags & SCAN.duplicateName) {
    const name = findDuplicateName(bytes, start, scanner.valueEnd[params]!);
    if (name !== undefined) return `the name ${JSON.stringify(name.slice(0, 200))} occurs twice`;
  }
  const meta = scanner.find('_meta', bytes, params);
  if (meta >= 0 && bytes[scanner.valueStart[meta]!] !== 0x7b) return 'params._meta is not an object';
  const comeback = locateComeback(scanner, bytes, params);
  if (typeof comeback === 'string') return comeback;
  return {
    bytes,
    start,
    end: scanner.valueEnd[params]!,
    metaStart: meta < 0 ? -1 : scanner.valueStart[meta]!,
    metaEnd: meta < 0 ? -1 : scanner.valueEnd[meta]!,
    hasLineBreaks: (flags & SCAN.lineBreak) !== 0,
    hasOwnMembers: comeback !== NO_COMEBACK,
    comeback,
  };
}

function withKey(
  rest: Rest,
  names: RequestParams['names'],
  path: string,
  scanner: JsonScanner,
  at: number,
): RequestParams | string {
  const keyStart = scanner.valueStart[at]!;
  const keyEnd = scanner.valueEnd[at]!;
  if (rest.bytes[keyStart] !== 0x22) return `params.${path} is not a string`;
  return { ...rest, names, key: readString(rest.bytes, keyStart, keyEnd), keyStart, keyEnd };
}

function readMember(scanner: JsonScanner, bytes: Uint8Array, name: string): string | undefined {
  const at = scanner.find(name, bytes);
  if (at < 0 || bytes[scanner.valueStart[at]!] !== 0x22) return undefined;
  return readString(bytes, scanner.valueStart[at]!, scanner.valueEnd[at]!);
}

/** The params of a request of our own that names a resource. */
export function resourceParams(uri: string): RequestParams {
  const quoted = JSON.stringify(uri);
  const head = '{"uri":';
  const bytes = encodeText(`${head}${quoted}}`);
  return {
    bytes,
    start: 0,
    end: bytes.length,
    names: 'resource',
    key: uri,
    keyStart: head.length,
    keyEnd: bytes.length - 1,
    metaStart: -1,
    metaEnd: -1,
    hasLineBreaks: false,
    hasOwnMembers: false,
    comeback: NO_COMEBACK,
  };
}

/** Locates the parts of the params of a request about a task; there is a `taskId`, a string. */
export function taskParams({ bytes, start, end }: JsonSlice): RequestParams {
  const members = membersOf(bytes, start, end);
  const id = findMember(members, 'taskId')!;
  const meta = findMember(members, '_meta');
  return {
    bytes,
    start,
    end,
    names: 'task',
    key: readString(bytes, id.valueStart, id.end),
    keyStart: id.valueStart,
    keyEnd: id.end,
    metaStart: meta?.valueStart ?? -1,
    metaEnd: meta?.end ?? -1,
    hasLineBreaks: true,
    // What it carries is for the task, not for a round.
    hasOwnMembers: false,
    comeback: NO_COMEBACK,
  };
}
