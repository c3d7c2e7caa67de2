import { decodeText, type Edit, JsonScanner, onOneLine, type Piece, type Retry, splice } from '../base/index.js';
import type { CallParams } from './call-params.js';
import { ownMemberEdits } from './comeback.js';
import { metaEdits } from './meta.js';
import type { RequestParams } from './request-params.js';

/** `_meta` is small; its own scanner keeps the caller's index untouched. */
const metaScanner = new JsonScanner();

/** What a request says to the next neighbour that its caller did not write. */
export interface Envelope {
  /** Members of `_meta` beside the progress token (`requestMeta`); '' for none. */
  readonly meta: string;
  readonly retry?: Retry | undefined;
}

/**
 * The message that carries a call to its upstream: our id, the upstream's name for the tool, our progress token, `{}`
 * where there were no arguments; every other byte as the caller wrote it.
 *
 * @param quotedName the upstream's name for the tool as a JSON string
 */
export function forwardCall(params: CallParams, id: number, quotedName: string, envelope: Envelope): Piece[] {
  if (isPlain(params) && envelope.retry === undefined) {
    const rest = { bytes: params.bytes, start: params.nameEnd, end: params.end };
    return [`${headOf('tools/call', id)}${metaOf(id, envelope)},"name":${quotedName}`, rest, '}'];
  }
  const edits: Edit[] = [{ start: params.nameStart, end: params.nameEnd, by: quotedName }];
  if (params.nullStart >= 0) edits.push({ start: params.nullStart, end: params.nullEnd, by: '{}' });
  const hasArguments = params.argumentsStart >= 0 || params.nullStart >= 0;
  return spliced('tools/call', params, id, edits, envelope, hasArguments ? '' : ',"arguments":{}');
}

/**
 * The message that carries any other request: our id, the upstream's own key for what is asked for, our progress token;
 * every other byte as the caller wrote it.
 *
 * @param quotedKey the upstream's name or URI as a JSON string
 */
export function forwardRequest(
  method: string,
  params: RequestParams,
  id: number,
  quotedKey: string,
  envelope: Envelope,
): Piece[] {
  return spliced(method, params, id, [{ start: params.keyStart, end: params.keyEnd, by: quotedKey }], envelope, '');
}

function headOf(method: string, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{`;
}

function metaOf(id: number, { meta }: Envelope): string {
  return meta === '' ? `"_meta":{"progressToken":${id}}` : `"_meta":{"progressToken":${id},${meta}}`;
}

type Spliceable = Pick<
  RequestParams,
  'bytes' | 'start' | 'end' | 'metaStart' | 'metaEnd' | 'hasLineBreaks' | 'hasOwnMembers'
>;

function spliced(
  method: string,
  params: Spliceable,
  id: number,
  edits: Edit[],
  envelope: Envelope,
  added: string,
): Piece[] {
  const { bytes, start, end, metaStart, metaEnd } = params;
  if (metaStart >= 0) edits.push(...metaEdits(bytes, metaStart, metaEnd, id, envelope.meta));
  if (params.hasOwnMembers) edits.push(...ownMemberEdits(bytes, start, end));
  if (!isInOrder(edits)) edits.sort((a, b) => a.start - b.start);
  const body = splice(bytes, start + 1, end - 1, edits);
  const head = headOf(method, id);
  return [
    metaStart < 0 ? `${head}${metaOf(id, envelope)},` : head,
    ...(params.hasLineBreaks ? body.map(straightened) : body),
    `${added}${retryMembers(envelope.retry)}}}`,
  ];
}

/** The order in which programs write: to sort two or three edits costs more than to see that nothing is to be done. */
function isInOrder(edits: readonly Edit[]): boolean {
  for (let i = 1; i < edits.length; i++) if (edits[i]!.start < edits[i - 1]!.start) return false;
  return true;
}

/** There is a member before it: the name or key of what is asked for. */
function retryMembers(retry: Retry | undefined): string {
  if (retry === undefined) return '';
  const { inputResponses, requestState } = retry;
  const responses = inputResponses === undefined ? '' : `,"inputResponses":${inputResponses}`;
  return requestState === undefined ? responses : `${responses},"requestState":${requestState}`;
}

/** The common shape, `{"name":"x","arguments":{...}}` without `_meta`, is rebuilt from two pieces. */
function isPlain(params: CallParams): boolean {
  return (
    params.metaStart < 0 &&
    !params.hasOwnMembers &&
    params.argumentsStart >= 0 &&
    !params.hasLineBreaks &&
    params.nameStart === params.start + NAME_MEMBER.length + 1 &&
    params.bytes[params.start + 1] === 0x22
  );
}

const NAME_MEMBER = '"name":';

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
