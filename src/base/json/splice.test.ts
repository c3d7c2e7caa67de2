import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyAnatomy, anySurroundings, inChunk } from '../../../test/fixtures/json-texts.js';
import { type Edit, joinPieces, onOneLine, sliceOf, splice } from './splice.js';

const textOf = (pieces: Parameters<typeof joinPieces>[0]): string => Buffer.from(joinPieces(pieces)).toString('latin1');

/** Bytes, and edits in order that do not overlap: cut at random places, every other part is replaced. */
const anyEdits = fc
  .record({
    content: fc.uint8Array({ maxLength: 60 }),
    cuts: fc.array(fc.nat(60), { maxLength: 8 }),
    texts: fc.array(fc.constantFrom('', 'x', '{}', '"progressToken":7,'), { minLength: 4, maxLength: 4 }),
  })
  .map(({ content, cuts, texts }) => {
    const places = cuts.map((cut) => Math.min(cut, content.length)).sort((a, b) => a - b);
    const edits = texts
      .slice(0, places.length >> 1)
      .map((by, i): Edit => ({ start: places[2 * i]!, end: places[2 * i + 1]!, by }));
    return { content, edits };
  });

describe('splice', () => {
  test('keeps every byte outside the edits, in order and uncopied', () => {
    fc.assert(
      fc.property(anyEdits, anySurroundings, ({ content, edits }, around) => {
        const { bytes, start, end } = inChunk(content, around);
        const moved = edits.map((edit) => ({ ...edit, start: edit.start + start, end: edit.end + start }));
        const pieces = splice(bytes, start, end, moved);
        let expected = Buffer.from(content).toString('latin1');
        for (const edit of edits.toReversed()) {
          expected = expected.slice(0, edit.start) + edit.by + expected.slice(edit.end);
        }
        expect(textOf(pieces)).toBe(expected);
        for (const piece of pieces) {
          if (typeof piece === 'string') expect(piece).not.toBe('');
          else expect([piece.bytes === bytes, piece.end > piece.start]).toEqual([true, true]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    { why: 'nothing to do', edits: [], text: '{"id":1}' },
    { why: 'insert', edits: [{ start: 1, end: 1, by: '"a":0,' }], text: '{"a":0,"id":1}' },
    {
      why: 'at the very beginning and end',
      edits: [
        { start: 0, end: 1, by: '<' },
        { start: 7, end: 8, by: '>' },
      ],
      text: '<"id":1>',
    },
    { why: 'remove', edits: [{ start: 1, end: 7, by: '' }], text: '{}' },
    {
      why: 'two side by side',
      edits: [
        { start: 6, end: 6, by: '2' },
        { start: 6, end: 7, by: '3' },
      ],
      text: '{"id":23}',
    },
  ])('$why', ({ edits, text }) => expect(textOf(splice(Buffer.from('{"id":1}'), 0, 8, edits))).toBe(text));
});

describe('joinPieces', () => {
  test('writes text as UTF-8 and slices as they are', () => {
    const slice = { bytes: Buffer.from('__é__'), start: 2, end: 4 };
    expect(Buffer.from(joinPieces(['{"é":', slice, '}'])).toString()).toBe('{"é":é}');
    expect(joinPieces([])).toHaveLength(0);
  });
});

describe('onOneLine', () => {
  test('turns line breaks into spaces and nothing else, in a copy', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
        const { bytes, start, end } = inChunk(text, around);
        const line = onOneLine({ bytes, start, end });
        expect(textOf([line])).toBe(
          Buffer.from(text)
            .toString('latin1')
            .replace(/[\r\n]/g, ' '),
        );
        expect(JSON.stringify(JSON.parse(Buffer.from(joinPieces([line])).toString()))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
        expect(Buffer.from(bytes.subarray(start, end)).toString(), 'the original is as it was').toBe(text);
        expect(line.bytes.buffer).not.toBe(bytes.buffer);
      }),
    );
  });
});

test('sliceOf is the whole', () => {
  const bytes = Buffer.from('{}');
  expect(sliceOf(bytes)).toEqual({ bytes, start: 0, end: 2 });
});
