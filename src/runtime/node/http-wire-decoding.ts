import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';

/**
 * The body of a response with its content encoding undone. None is asked for; servers and what lies before them send one
 * at times all the same.
 *
 * @param failed hears what is wrong with the encoded bytes
 * @throws where the encoding is none we know
 */
export function decodedBody(response: IncomingMessage, failed: (error: Error) => void): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return response;
  const decoder = decoderFor(encoding);
  decoder.on('error', failed);
  // Not pipeline: a body that breaks off is to be told by its own error, which the response has.
  return response.pipe(decoder);
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
