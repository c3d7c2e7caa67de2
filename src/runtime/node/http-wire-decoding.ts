import type { Transform } from 'node:stream';

/**
 * Undoes a content encoding. None is asked for; servers and what lies before them send one at times all the same.
 *
 * @returns undefined where there is nothing to undo
 * @throws where the encoding is none we know
 */
export function decoderOf(contentEncoding: string | undefined): Transform | undefined {
  const encoding = contentEncoding?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity' ? undefined : decoderFor(encoding);
}

function decoderFor(encoding: string): Transform {
  const { constants, createBrotliDecompress, createGunzip, createInflate } = process.getBuiltinModule('node:zlib');
  // Each part is handed on as it comes: a stream of events may never end.
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(flush);
    case 'deflate':
      return createInflate(flush);
    case 'br':
      return createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      });
    default: {
      const error = new Error(`an encoding that was not asked for: ${encoding.slice(0, 40)}`);
      throw Object.assign(error, { code: 'HPE_ENCODING' });
    }
  }
}
