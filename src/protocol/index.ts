export { type CallParams, locateCallParams, makeCallParams } from './call-params.js';
export type { Comeback } from './comeback.js';
export { isClientMethod, toHandshakeError, toModernError } from './era-map.js';
export { declaresTasks, TASKS_EXTENSION } from './extensions.js';
export { type Envelope, forwardCall, forwardRequest, progressTokenOf } from './forward.js';
export { type FramingHandlers, LineFramer } from './framing.js';
export { type HandshakeResultOptions, toHandshakeResult } from './handshake-result.js';
export { decodeHeaderValue, encodeHeaderValue, isHeaderValueOf } from './header-values.js';
export { KnownTexts } from './known-texts.js';
export { isLogLevel, LOG_LEVELS, type LogLevel } from './log-levels.js';
export { type BadMessage, decodeMessage, type Message } from './message.js';
export { META, requestMeta, withMeta, withoutHopMeta } from './meta.js';
export {
  type CacheHints,
  type ModernResultOptions,
  NO_CACHE,
  toModernResult,
} from './modern-result.js';
export { answerIdInPassing, OversizeLine } from './oversize.js';
export {
  checkParamHeaders,
  HEADER_KEYWORD,
  type HeaderFlaw,
  type ParamHeader,
  type ParamHeaders,
  paramHeadersOf,
  readParamHeaders,
} from './param-headers.js';
export {
  locateCompletion,
  locateRequestParams,
  type RequestParams,
  resourceParams,
  taskParams,
} from './request-params.js';
export type { LocatedResult } from './result-members.js';
export { type Codec, type Era, findCodec, findModernCodec, MODERN, NEWEST, REVISIONS } from './revisions.js';
export {
  doorErrorMessage,
  errorCodeOf,
  errorHead,
  errorMessage,
  HOP_ERROR,
  isErrorObject,
  isHopErrorCode,
  notificationMessage,
  RPC,
  requestMessage,
  resultHead,
  wireCodeOf,
} from './rpc.js';
export { isWrapped, wrapOutputSchema } from './tool-projection.js';
