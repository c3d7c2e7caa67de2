export {
  BACKSLASH,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  decodeText,
  encodeText,
  LINE_FEED,
  type NativeBytes,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  type Span,
  spells,
  useNativeBytes,
} from './bytes.js';
export { endOfString, findDuplicateName } from './duplicates.js';
export * from './exact.js';
export { isObject } from './is-object.js';
export { SCAN } from './member-index.js';
export { dropEdits, findMember, type MemberSpan, membersOf, ObjectText, stringOf } from './object-text.js';
export { elementsOf, endOfValue, type ReadOptions, readValue } from './read.js';
export { JsonScanner, type RootKind, type ScanFault, type ScanLimits } from './scan.js';
export { type Edit, type JsonSlice, joinPieces, onOneLine, type Piece, sliceOf, splice } from './splice.js';
export { hashOfName, TokenList } from './token-list.js';
