import { expect, test } from 'vitest';
import { resultText } from './call-result.js';

test.each([
  { why: 'text as it is', result: { content: [{ type: 'text', text: 'a\nb\n' }] }, shown: 'a\nb\n' },
  {
    why: 'each text on its own line',
    result: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    shown: 'a\nb\n',
  },
  { why: 'nothing for an empty text', result: { content: [{ type: 'text', text: '' }] }, shown: '' },
  {
    why: 'an image by its size',
    result: { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
    shown: '[image image/png, 3 bytes]\n',
  },
  {
    why: 'a resource by its text',
    result: { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'hi' } }] },
    shown: 'hi\n',
  },
  {
    why: 'a resource of bytes by its address',
    result: { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } }] },
    shown: '[resource file:///a, 1 bytes]\n',
  },
  {
    why: 'a link by its address',
    result: { content: [{ type: 'resource_link', uri: 'file:///a', name: 'A' }] },
    shown: '[resource file:///a, A]\n',
  },
  { why: 'a kind nobody knows by its name', result: { content: [{ type: 'hologram' }] }, shown: '[hologram]\n' },
  { why: 'a block that is none', result: { content: [{}] }, shown: '[unknown content]\n' },
  {
    why: 'what is structured where nothing is said',
    result: { content: [], structuredContent: { a: 1 } },
    shown: '{\n  "a": 1\n}\n',
  },
  { why: 'the whole result where there is nothing else', result: { content: 5 }, shown: '{\n  "content": 5\n}\n' },
])('shows $why', ({ result, shown }) => expect(resultText(JSON.stringify(result))).toBe(shown));

test('what is structured keeps every digit', () => {
  expect(resultText('{"structuredContent":{"n":12345678901234567890,"d":1.50},"content":[]}')).toBe(
    '{\n  "n": 12345678901234567890,\n  "d": 1.50\n}\n',
  );
});
