import { type JsonScanner, joinPieces, SCAN, type Span, sliceOf, type TokenList } from '../base/index.js';
import { type Comeback, locateComeback, NO_COMEBACK } from './comeback.js';
import { readString } from './strings.js';

/** The `params` of a tools/call, located but not parsed. Offsets are into `bytes`; -1 where a member is absent. */
export interface CallParams {
  readonly bytes: Uint8Array;
  /** The object, braces included. */
  readonly start: number;
  readonly end: number;
  /** What the caller calls the tool. */
  readonly name: string;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** -1 where absent or null: both mean `{}`. A null keeps its place in `nullStart`. */
  readonly argumentsStart: number;
  readonly argumentsEnd: number;
  /** `SCAN` flags of the arguments. */
  readonly argumentsFlags: number;
  /** The message's tokens, and the number of the arguments' own among them; they hold while `tokens.text` is `text`. */
  readonly tokens: TokenList;
  readonly text: number;
  readonly argumentsToken: number;
  /** String values of more than 64 KiB in the message. */
  readonly longStrings: readonly Span[];
  /** Where a null to be replaced by `{}` lies. */
  readonly nullStart: number;
  readonly nullEnd: number;
  /** -1 where absent. */
  readonly metaStart: number;
  readonly metaEnd: number;
  /**
   * Some of its members are not passed on: `task`, which asks for a kind of answer that we do not declare and is to be
   * ignored then (MCP 2025-11-25 basic/utilities/tasks), and what belongs to rounds, which each neighbour has of its own.
   */
  readonly hasOwnMembers: boolean;
  /** What its caller says when it comes back with answers (MCP 2026-07-28 basic/patterns/mrtr). */
  readonly comeback: Comeback;
  /** There are line breaks between tokens somewhere in the params. */
  readonly hasLineBreaks: boolean;
  /** `params`, or `_meta` in it, may hold a name twice; the text decides. */
  readonly mayRepeatNames: boolean;
}

/** Locates the parts of a call's params. @returns a sentence where they are no good */
export function locateCallParams(scanner: JsonScanner, bytes: Uint8Array, params: number): CallParams | string {
  if (params < 0) return 'params are missing';
  const start = scanner.valueStart[params]!;
  if (bytes[start] !== 0x7b) return 'params are not an object';
  const name = scanner.find('name', bytes, params);
  if (name < 0) return 'params.name is missing';
  const nameStart = scanner.valueStart[name]!;
  const nameEnd = scanner.valueEnd[name]!;
  if (bytes[nameStart] !== 0x22) return 'params.name is not a string';
  const args = scanner.find('arguments', bytes, params);
  const isNull = args >= 0 && bytes[scanner.valueStart[args]!] === 0x6e;
  const hasArguments = args >= 0 && !isNull;
  const meta = scanner.find('_meta', bytes, params);
  if (meta >= 0 && bytes[scanner.valueStart[meta]!] !== 0x7b) return 'params._meta is not an object';
  const flags = scanner.flags[params]!;
  const comeback = locateComeback(scanner, bytes, params);
  if (typeof comeback === 'string') return comeback;
  return {
    bytes,
    start,
    end: scanner.valueEnd[params]!,
    name: readString(bytes, nameStart, nameEnd),
    nameStart,
    nameEnd,
    argumentsStart: hasArguments ? scanner.valueStart[args]! : -1,
    argumentsEnd: hasArguments ? scanner.valueEnd[args]! : -1,
    argumentsFlags: hasArguments ? scanner.flags[args]! : 0,
    tokens: scanner.tokens,
    text: scanner.tokens.text,
    argumentsToken: hasArguments ? scanner.token[args]! : -1,
    longStrings: scanner.longStrings,
    nullStart: isNull ? scanner.valueStart[args]! : -1,
    nullEnd: isNull ? scanner.valueEnd[args]! : -1,
    metaStart: meta < 0 ? -1 : scanner.valueStart[meta]!,
    metaEnd: meta < 0 ? -1 : scanner.valueEnd[meta]!,
    hasOwnMembers: comeback !== NO_COMEBACK || scanner.find('task', bytes, params) >= 0,
    comeback,
    hasLineBreaks: (flags & SCAN.lineBreak) !== 0,
    mayRepeatNames: (flags & SCAN.duplicateName) !== 0,
  };
}

const TOO_DEEP = 'the arguments are nested too deeply';

/** Makes a call's params from a name and the text of its arguments, for ways in that have no params of their own. */
export function makeCallParams(scanner: JsonScanner, name: string, args: Uint8Array | undefined): CallParams | string {
  // Alone first: what is put between braces of ours must not be able to close them.
  if (args !== undefined && !scanner.scan(args, 0, args.length)) {
    return scanner.fault === 'depth' ? TOO_DEEP : `not JSON at byte ${scanner.faultAt}`;
  }
  const head = `{"params":{"name":${JSON.stringify(name)}`;
  const bytes = joinPieces(args === undefined ? [head, '}}'] : [head, ',"arguments":', sliceOf(args), '}}']);
  // They lie two levels deeper now than they did alone.
  if (!scanner.scan(bytes, 0, bytes.length)) return TOO_DEEP;
  return locateCallParams(scanner, bytes, scanner.find('params', bytes));
}
