/** Requests that name one thing: where its key lies, and how they are sent on under another. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText, JsonScanner, joinPieces } from '../base/index.js';
import { forwardRequest } from './forward.js';
import { locateCompletion, locateRequestParams, type RequestParams } from './request-params.js';

type Names = Exclude<RequestParams['names'], 'task'>;

function locate(names: Names, params: string): RequestParams | string {
  const bytes = encodeText(`{"jsonrpc":"2.0","id":9,"method":"m","params":${params}}`);
  const scanner = new JsonScanner();
  if (!scanner.scan(bytes, 0, bytes.length)) throw new Error(`not JSON: ${params}`);
  const at = scanner.find('params', bytes);
  return names === 'template' ? locateCompletion(scanner, bytes, at) : locateRequestParams(scanner, bytes, at, names);
}

function located(names: Names, params: string): RequestParams {
  const found = locate(names, params);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('what is no good is told by its place', () => {
  test.each<{ names: Names; params: string; says: string }>([
    { names: 'prompt', params: '{}', says: 'params.name is missing' },
    { names: 'prompt', params: '{"name":5}', says: 'params.name is not a string' },
    { names: 'resource', params: '{"name":"x"}', says: 'params.uri is missing' },
    { names: 'resource', params: '{"uri":"x","_meta":[]}', says: 'params._meta is not an object' },
    { names: 'resource', params: 'null', says: 'params are not an object' },
    { names: 'prompt', params: '{"name":"a","name":"b"}', says: 'the name "name" occurs twice' },
    { names: 'template', params: '{"argument":{}}', says: 'params.ref is not an object' },
    { names: 'template', params: '{"ref":{"type":"ref/tool"}}', says: 'params.ref.type is neither' },
    { names: 'template', params: '{"ref":{"type":"ref/prompt"}}', says: 'params.ref.name is missing' },
    { names: 'template', params: '{"ref":{"type":"ref/resource","uri":{}}}', says: 'params.ref.uri is not a string' },
  ])('$params', ({ names, params, says }) => {
    expect(locate(names, params)).toContain(says);
  });
});

test('a completion says by its ref what its key is', () => {
  expect(located('template', '{"ref":{"type":"ref/prompt","name":"p"}}')).toMatchObject({ names: 'prompt', key: 'p' });
  expect(located('template', '{"ref":{"uri":"x://{a}","type":"ref/resource"}}')).toMatchObject({
    names: 'template',
    key: 'x://{a}',
  });
});

const anyWord = fc.string({ unit: 'binary', maxLength: 12 });

test("a request is sent on with our id, the upstream's key and our token; all else as its caller wrote it", () => {
  const anyParams = fc.record({
    names: fc.constantFrom<Names>('prompt', 'resource', 'template'),
    key: anyWord,
    theirs: anyWord,
    meta: fc.option(fc.dictionary(anyWord, fc.jsonValue()), { nil: undefined }),
    rest: fc.dictionary(
      anyWord.map((word) => `x${word}`),
      fc.jsonValue(),
    ),
    isKeyFirst: fc.boolean(),
    isSpread: fc.boolean(),
  });
  fc.assert(
    fc.property(anyParams, ({ names, key, theirs, meta, rest, isKeyFirst, isSpread }) => {
      const naming = (value: string): object =>
        names === 'prompt'
          ? { name: value }
          : names === 'resource'
            ? { uri: value }
            : { ref: { type: 'ref/resource', uri: value } };
      const whole = (value: string, own: object | undefined): object => {
        const others = { ...rest, ...(own && { _meta: own }) };
        return isKeyFirst ? { ...naming(value), ...others } : { ...others, ...naming(value) };
      };
      const params = located(names, JSON.stringify(whole(key, meta), undefined, isSpread ? 1 : 0));
      expect(params.key).toBe(key);
      const sent = decodeText(joinPieces(forwardRequest('m', params, 7, JSON.stringify(theirs), { meta: '' })));
      expect(sent).not.toContain('\n');
      expect(JSON.parse(sent)).toEqual({
        jsonrpc: '2.0',
        id: 7,
        method: 'm',
        params: JSON.parse(JSON.stringify(whole(theirs, { ...meta, progressToken: 7 }))) as object,
      });
    }),
    { numRuns: 500 },
  );
});
