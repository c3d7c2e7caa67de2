import { decodeText, type Edit, JsonScanner, onOneLine, type Piece, splice } from '../base/index.js';
import type { CallParams } from './call-params.js';

/** `_meta` is small; its own scanner keeps the caller's index untouched. */
const metaScanner = new JsonScanner();

/**
 * The message that carries a call to its upstream: our id, the upstream's name for the tool, our progress token, `{}`
 * where there were no arguments; every other byte as the caller wrote it.
 *
 * @param quotedName the upstream's name for the tool as a JSON string
 */
export function forwardCall(params: CallParams, id: number, quotedName: string): Piece[] {
  const head = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{`;
  if (isPlain(params)) {
    const rest = { bytes: params.bytes, start: params.nameEnd, end: params.end };
    return [`${head}"_meta":{"progressToken":${id}},"name":${quotedName}`, rest, '}'];
  }
  const edits: Edit[] = [{ start: params.nameStart, end: params.nameEnd, by: quotedName }];
  if (params.nullStart >= 0) edits.push({ start: params.nullStart, end: params.nullEnd, by: '{}' });
  if (params.metaStart >= 0) edits.push(progressTokenEdit(params, id));
  edits.sort((a, b) => a.start - b.start);
  const body = splice(params.bytes, params.start + 1, params.end - 1, edits);
  return [
    params.metaStart < 0 ? `${head}"_meta":{"progressToken":${id}},` : head,
    ...(params.hasLineBreaks ? body.map(straightened) : body),
    params.argumentsStart < 0 && params.nullStart < 0 ? ',"arguments":{}}}' : '}}',
  ];
}

/** The common shape, `{"name":"x","arguments":{...}}` without `_meta`, is rebuilt from two pieces. */
function isPlain(params: CallParams): boolean {
  return (
    params.metaStart < 0 &&
    params.argumentsStart >= 0 &&
    !params.hasLineBreaks &&
    params.nameStart === params.start + NAME_MEMBER.length + 1 &&
    params.bytes[params.start + 1] === 0x22
  );
}

const NAME_MEMBER = '"name":';

function progressTokenEdit(params: CallParams, id: number): Edit {
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

/** The token text of `progressToken` in a call's `_meta`; undefined where the caller asked for no progress. */
export function progressTokenOf(params: CallParams): string | undefined {
  if (params.metaStart < 0) return undefined;
  metaScanner.scan(params.bytes, params.metaStart, params.metaEnd);
  const token = metaScanner.find('progressToken', params.bytes);
  if (token < 0) return undefined;
  const text = decodeText(params.bytes, metaScanner.valueStart[token]!, metaScanner.valueEnd[token]!);
  return /^["\d-]/.test(text) ? text : undefined;
}
