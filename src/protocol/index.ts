export { type CallParams, locateCallParams, makeCallParams } from './call-params.js';
export { forwardCall, forwardRequest, progressTokenOf } from './forward.js';
export { type FramingHandlers, LineFramer } from './framing.js';
export { LOG_LEVELS, type LogLevel } from './log-levels.js';
export { type BadMessage, decodeMessage, type Message } from './message.js';
export { answerIdInPassing, OversizeLine } from './oversize.js';
export { locateCompletion, locateRequestParams, type RequestParams } from './request-params.js';
export { type Codec, type Era, findCodec, findModernCodec, MODERN, NEWEST, REVISIONS } from './revisions.js';
export {
  doorErrorMessage,
  errorHead,
  errorMessage,
  isErrorObject,
  notificationMessage,
  RPC,
  requestMessage,
  resultHead,
} from './rpc.js';
