import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptsOf, isJson } from './negotiation.js';

test.each([
  [undefined, true, true],
  ['', true, true],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream,application/json;q=0.5', true, true],
  ['*/*', true, true],
  ['application/*', true, false],
  ['text/*', false, true],
  ['APPLICATION/JSON', true, false],
  ['*/*, text/event-stream;q=0', true, false],
  ['text/event-stream;q=0, */*', true, false],
  ['application/json;q=0.0', false, false],
  ['text/html, application/xhtml+xml', false, false],
  ['text/html, */*;q=0.8', true, true],
])('Accept: %s takes JSON: %s, a stream: %s', (accept, json, stream) =>
  expect(acceptsOf(accept)).toEqual({ json, stream }),
);

test('whoever names both types gets both, whatever stands beside them', () => {
  const range = fc.constantFrom('text/html', 'image/*', 'application/xml;q=0.9', '*/*;q=0.1', 'x', '');
  fc.assert(
    fc.property(fc.array(range), fc.array(range), (before, behind) => {
      const accept = [...before, 'application/json', 'text/event-stream', ...behind].join(', ');
      expect(acceptsOf(accept)).toEqual({ json: true, stream: true });
    }),
  );
});

test.each([
  ['application/json', true],
  ['Application/JSON', true],
  ['application/json; charset=utf-8', true],
  ['application/json;charset="UTF-8"', true],
  ['application/json; charset=latin1', false],
  ['application/json, text/plain', false],
  ['text/plain', false],
  ['application/jsonp', false],
  [undefined, false],
])('Content-Type %s: %s', (type, wanted) => expect(isJson(type)).toBe(wanted));
