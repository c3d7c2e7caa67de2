export { decodeText, encodeText } from './bytes.js';
export { findDuplicateName } from './duplicates.js';
export * from './exact.js';
export { elementsOf, type ReadOptions, readValue, type Span } from './read.js';
export { JsonScanner, type RootKind, SCAN, type ScanFault, type ScanLimits } from './scan.js';
export { type Edit, joinPieces, onOneLine, type Piece, sliceOf, splice } from './splice.js';
