import { decodeText, type Edit, JsonScanner, onOneLine, type Piece, splice } from '../base/index.js';
import type { CallParams } from './call-params.js';
import type { RequestParams } from './request-params.js';

/** `_meta` is small; its own scanner keeps the caller's index untouched. */
const metaScanner = new JsonScanner();

/**
 * The message that carries a call to its upstream: our id, the upstream's name for the tool, our progress token, `{}`
 * where there were no arguments; every other byte as the caller wrote it.
 *
 * @param quotedName the upstream's name for the tool as a JSON string
 */
export function forwardCall(params: CallParams, id: number, quotedName: string): Piece[] {
  if (isPlain(params)) {
    const rest = { bytes: params.bytes, start: params.nameEnd, end: params.end };
    return [`${headOf('tools/call', id)}"_meta":{"progressToken":${id}},"name":${quotedName}`, rest, '}'];
  }
  const edits: Edit[] = [{ start: params.nameStart, end: params.nameEnd, by: quotedName }];
  if (params.nullStart >= 0) edits.push({ start: params.nullStart, end: params.nullEnd, by: '{}' });
  if (params.taskStart >= 0) edits.push({ start: params.taskStart, end: params.taskEnd, by: '' });
  const hasArguments = params.argumentsStart >= 0 || params.nullStart >= 0;
  return spliced('tools/call', params, id, edits, hasArguments ? '}}' : ',"arguments":{}}}');
}

/**
 * The message that carries any other request: our id, the upstream's own key for what is asked for, our progress token;
 * every other byte as the caller wrote it.
 *
 * @param quotedKey the upstream's name or URI as a JSON string
 */
export function forwardRequest(method: string, params: RequestParams, id: number, quotedKey: string): Piece[] {
  return spliced(method, params, id, [{ start: params.keyStart, end: params.keyEnd, by: quotedKey }], '}}');
}

function headOf(method: string, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{`;
}

type Spliceable = Pick<RequestParams, 'bytes' | 'start' | 'end' | 'metaStart' | 'metaEnd' | 'hasLineBreaks'>;

function spliced(method: string, params: Spliceable, id: number, edits: Edit[], tail: string): Piece[] {
  if (params.metaStart >= 0) edits.push(progressTokenEdit(params, id));
  edits.sort((a, b) => a.start - b.start);
  const body = splice(params.bytes, params.start + 1, params.end - 1, edits);
  const head = headOf(method, id);
  return [
    params.metaStart < 0 ? `${head}"_meta":{"progressToken":${id}},` : head,
    ...(params.hasLineBreaks ? body.map(straightened) : body),
    tail,
  ];
}

/** The common shape, `{"name":"x","arguments":{...}}` without `_meta`, is rebuilt from two pieces. */
function isPlain(params: CallParams): boolean {
  return (
    params.metaStart < 0 &&
    params.taskStart < 0 &&
    params.argumentsStart >= 0 &&
    !params.hasLineBreaks &&
    params.nameStart === params.start + NAME_MEMBER.length + 1 &&
    params.bytes[params.start + 1] === 0x22
  );
}

const NAME_MEMBER = '"name":';

function progressTokenEdit(params: Spliceable, id: number): Edit {
  const { bytes, metaStart, metaEnd } = params;
  metaScanner.scan(bytes, metaStart, metaEnd);
  const token = metaScanner.find('progressToken', bytes);
  if (token >= 0) {
    return { start: metaScanner.valueStart[token]!, end: metaScanner.valueEnd[token]!, by: String(id) };
  }
  const comma = metaScanner.count > 0 ? ',' : '';
  return { start: metaStart + 1, end: metaStart + 1, by: `"progressToken":${id}${comma}` };
}

function straightened(piece: Piece): Piece {
  return typeof piece === 'string' ? piece : onOneLine(piece);
}

/** The token text of `progressToken` in a request's `_meta`; undefined where the caller asked for no progress. */
export function progressTokenOf(params: Pick<RequestParams, 'bytes' | 'metaStart' | 'metaEnd'>): string | undefined {
  if (params.metaStart < 0) return undefined;
  metaScanner.scan(params.bytes, params.metaStart, params.metaEnd);
  const token = metaScanner.find('progressToken', params.bytes);
  if (token < 0) return undefined;
  const text = decodeText(params.bytes, metaScanner.valueStart[token]!, metaScanner.valueEnd[token]!);
  return /^["\d-]/.test(text) ? text : undefined;
}
