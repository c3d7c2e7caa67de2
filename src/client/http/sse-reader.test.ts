import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, encodeText } from '../../base/index.js';
import { SseReader } from './sse-reader.js';

interface Read {
  readonly events: readonly (readonly [type: string, data: string])[];
  readonly reader: SseReader;
  readonly oversize: readonly (string | undefined)[];
}

function read(chunks: readonly Uint8Array[], maxBytes = 1_000_000): Read {
  const events: [string, string][] = [];
  const oversize: (string | undefined)[] = [];
  const reader = new SseReader(maxBytes, {
    event: (type, { bytes, start, end }) => events.push([type, decodeText(bytes, start, end)]),
    oversize: ({ id }) => oversize.push(id),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { events, reader, oversize };
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.slice(from, at[i] ?? bytes.length));
}

describe('what a stream says', () => {
  test.each([
    { why: 'an event', text: 'data: a\n\n', events: [['message', 'a']] },
    { why: 'with a name', text: 'event: endpoint\ndata: /m\n\n', events: [['endpoint', '/m']] },
    { why: 'CR LF', text: 'event: message\r\ndata: a\r\n\r\n', events: [['message', 'a']] },
    {
      why: 'CR alone',
      text: 'data: a\r\rdata: b\r\r',
      events: [
        ['message', 'a'],
        ['message', 'b'],
      ],
    },
    { why: 'several lines of data', text: 'data: {\ndata: }\n\n', events: [['message', '{\n}']] },
    { why: 'no space behind the colon', text: 'data:a\n\n', events: [['message', 'a']] },
    { why: 'one space only is taken away', text: 'data:  a\n\n', events: [['message', ' a']] },
    { why: 'data without a colon', text: 'data\n\n', events: [['message', '']] },
    { why: 'a field that only begins like data', text: 'datax: a\n\n', events: [] },
    { why: 'comments that keep the connection alive', text: ': ping\n\n:\n\ndata: a\n\n', events: [['message', 'a']] },
    { why: 'a byte order mark', text: '\ufeffdata: a\n\n', events: [['message', 'a']] },
    { why: 'an event that has not ended does not count', text: 'data: a\n\ndata: b\n', events: [['message', 'a']] },
    { why: 'an event without data', text: 'event: x\n\ndata: a\n\n', events: [['message', 'a']] },
    {
      why: 'the name does not outlive its event',
      text: 'event: x\ndata: 1\n\ndata: 2\n\n',
      events: [
        ['x', '1'],
        ['message', '2'],
      ],
    },
  ])('$why', ({ text, events }) => expect(read([encodeText(text)]).events).toEqual(events));

  test('ids and the time to wait are kept for whoever comes back', () => {
    const { reader } = read([encodeText('id: 1\ndata: a\n\nid: 2\ndata:\nretry: 250\n\ndata: b\n\nid: 3\n')]);
    expect(reader.lastEventId).toBe('2');
    expect(reader.retryMs).toBe(250);
  });

  test('an empty id takes the last one back', () => {
    expect(read([encodeText('id: 1\ndata: a\n\nid:\ndata: b\n\n')]).reader.lastEventId).toBeUndefined();
  });

  test('a stream taken up again drops what had not ended, and nothing else', () => {
    const { reader, events } = read([encodeText('id: 1\ndata: a\n\ndata: lost')]);
    reader.restart();
    reader.push(encodeText('data: b\n\n'));
    expect(events).toEqual([
      ['message', 'a'],
      ['message', 'b'],
    ]);
    expect(reader.lastEventId).toBe('1');
  });

  test('bytes that are no UTF-8 are handed on for the client to refuse, not replaced', () => {
    const seen: Uint8Array[] = [];
    const reader = new SseReader(100, { event: (_type, { bytes, start, end }) => seen.push(bytes.slice(start, end)) });
    reader.push(Uint8Array.from([...encodeText('data: "'), 0xff, 0xc0, 0x22, 0x0a, 0x0a]));
    expect([...seen[0]!]).toEqual([0x22, 0xff, 0xc0, 0x22]);
  });

  test('data of one chunk is not copied', () => {
    const chunk = encodeText('data: {"a":1}\n\n');
    const seen: Uint8Array[] = [];
    new SseReader(100, { event: (_type, { bytes }) => seen.push(bytes) }).push(chunk);
    expect(seen[0]).toBe(chunk);
  });
});

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'data',
    'data:',
    'id: 7',
    'id:',
    'retry: 12',
    'event: endpoint',
    ': comment',
    'data:\t{',
    'dat: a',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\r\n]/g, '')),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 })
  // The library waits behind a last CR for what may follow; here the line has ended.
  .map((lines) => `${lines.map(([text, end]) => text + end).join('')}\n`);

describe('for any stream', () => {
  test('however it is cut, it says what eventsource-parser reads in the whole text', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (text, places) => {
        const expected: [string, string][] = [];
        let id: string | undefined;
        const parser = createParser({
          onEvent: (event) => {
            expected.push([event.event ?? 'message', event.data]);
            if (event.id !== undefined) id = event.id || undefined;
          },
        });
        parser.feed(text);
        const { events, reader } = read(cut(encodeText(text), places));
        expect(events).toEqual(expected);
        expect(reader.lastEventId).toBe(id);
      }),
    );
  });

  test('bytes one by one come through', () => {
    const message = JSON.stringify({ text: 'é€😀'.repeat(500) });
    const chunks = Array.from(encodeText(`data: ${message}\n\n`), (byte) => Uint8Array.of(byte));
    expect(read(chunks).events).toEqual([['message', message]]);
  });
});

describe('an event over the limit', () => {
  const large = `data: {"jsonrpc":"2.0","id":7,"result":{"text":"${'x'.repeat(300)}"}}\n\n`;
  const text = `data: before\n\nid: 9\n${large}data: after\n\n`;

  test('costs that event only, and its id can be read, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        const { events, oversize, reader } = read(cut(encodeText(text), places), 200);
        expect(events).toEqual([
          ['message', 'before'],
          ['message', 'after'],
        ]);
        expect(oversize).toEqual(['7']);
        expect(reader.lastEventId).toBe('9');
      }),
    );
  });

  test('is told of while it comes in, and can be the end', () => {
    let told = 0;
    const events: string[] = [];
    const reader = new SseReader(200, {
      event: (type) => events.push(type),
      tooLarge: () => {
        told++;
        reader.stop();
      },
    });
    const bytes = encodeText(text);
    for (const chunk of cut(bytes, [100, 250])) reader.push(chunk);
    expect([told, events]).toEqual([1, ['message']]);
  });

  test.each([
    { why: 'many lines of data', text: `${'data: 0123456789\n'.repeat(50)}\n` },
    { why: 'many empty lines of data', text: `${'data:\n'.repeat(50)}\n` },
  ])('$why count together', ({ text }) => expect(read([encodeText(text)], 200).events).toEqual([]));

  test('fields without end are not kept', () => {
    const { events } = read([encodeText(`${`event: ${'x'.repeat(90)}\n`.repeat(2_000)}data: a\n\n`)], 200);
    expect(events).toEqual([['x'.repeat(90), 'a']]);
  });
});
