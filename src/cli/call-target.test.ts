import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCallTarget } from './call-target.js';

const LISTING = (server?: string): string => ['doorward tools', server].join(' ');
const IDS = ['files', 'my.server', 'my', 'a', 'a.b', 'x__y'];

test.each([
  { why: 'a server and its tool', text: 'files.read', server: 'files', tool: 'read' },
  { why: 'a tool with dots', text: 'files.read.all', server: 'files', tool: 'read.all' },
  { why: 'the longest id that fits', text: 'my.server.run', server: 'my.server', tool: 'run' },
  { why: 'a shorter one where the longer has no tool', text: 'my.server', server: 'my', tool: 'server' },
  { why: 'the public name', text: 'files__read', server: 'files', tool: 'read' },
  { why: 'the public name of an id with underscores', text: 'x__y__z', server: 'x__y', tool: 'z' },
])('$why', ({ text, server, tool }) => expect(splitCallTarget(text, IDS, LISTING)).toEqual({ server, tool }));

test.each([
  { why: 'a server alone', text: 'files', says: '"files" is a server, not a tool', hint: 'doorward tools files' },
  { why: 'a server and a dot', text: 'files.', says: '"files" is a server, not a tool' },
  { why: 'a misspelt server', text: 'fiels.read', says: 'there is no server "fiels"', hint: 'Did you mean files?' },
  { why: 'a tool alone', text: 'read', says: '"read" names no server and tool' },
  { why: 'a misspelt server alone', text: 'file', says: '"file" names no server and tool', hint: 'Write files.TOOL.' },
  { why: 'nothing', text: '', says: 'names no server and tool' },
])('$why is refused', ({ text, says, hint = '' }) => {
  try {
    splitCallTarget(text, IDS, LISTING);
    expect.unreachable();
  } catch (thrown) {
    expect((thrown as Error).message).toContain(says);
    expect((thrown as { hint?: string }).hint ?? '').toContain(hint);
  }
});

test('a name put together from an id and a tool is taken apart again, at the longest id', () => {
  const part = fc.stringMatching(/^[a-c.]{1,4}$/);
  fc.assert(
    fc.property(fc.uniqueArray(part, { minLength: 1 }), part, (ids, tool) => {
      for (const id of ids) {
        const split = splitCallTarget(`${id}.${tool}`, ids, LISTING);
        expect(`${split.server}.${split.tool}`).toBe(`${id}.${tool}`);
        expect(split.server.length).toBeGreaterThanOrEqual(id.length);
      }
    }),
  );
});
