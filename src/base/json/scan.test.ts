import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemberPlace } from '../../../test/fixtures/json-anatomy.js';
import {
  anyAnatomy,
  anyEdit,
  anyNumberToken,
  anySurroundings,
  edited,
  type InChunk,
  inChunk,
  isJson,
} from '../../../test/fixtures/json-texts.js';
import { SCAN } from './member-index.js';
import { JsonScanner } from './scan.js';

const scanner = new JsonScanner();

function scan(text: string | Uint8Array): boolean {
  const bytes = Buffer.from(text);
  return scanner.scan(bytes, 0, bytes.length);
}

function accepts({ bytes, start, end }: InChunk): boolean {
  return scanner.scan(bytes, start, end);
}

describe('accepts what JSON.parse accepts of checked UTF-8', () => {
  test('any text, anywhere in a chunk', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
        expect(isJson(Buffer.from(text)), 'the text is JSON by construction').toBe(true);
        expect(accepts(inChunk(text, around))).toBe(true);
        expect(scanner.fault).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test('any text with some of its bytes changed', () => {
    const tally = { good: 0, bad: 0 };
    fc.assert(
      fc.property(
        anyAnatomy,
        fc.array(anyEdit, { minLength: 1, maxLength: 3 }),
        anySurroundings,
        (whole, edits, around) => {
          const bytes = edits.reduce(edited, Buffer.from(whole.text));
          const isGood = isJson(bytes);
          tally[isGood ? 'good' : 'bad']++;
          expect(accepts(inChunk(bytes, around))).toBe(isGood);
        },
      ),
      { numRuns: 1_500 },
    );
    expect(Math.min(tally.good, tally.bad), 'both kinds were tried').toBeGreaterThan(30);
  });

  test('any text cut anywhere, though the rest of it follows in memory', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text }, around) => {
        const { bytes, start, end } = inChunk(text.slice(0, 400), around);
        for (let cut = start; cut <= end; cut++) {
          const isGood = isJson(bytes.subarray(start, cut));
          if (scanner.scan(bytes, start, cut) !== isGood) expect.fail(`cut at ${cut - start}: ${text}`);
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each(['', ' ', '\r\n\t ', '\ufeff{}', '{}\u0000', '\u00a0{}', '[1,]', '{"a":1,}', '[,1]', '{,}', '{"a" 1}'])(
    'refuses %j',
    (text) => expect(scan(text)).toBe(false),
  );
  test.each(['{1:2}', '{a:1}', "{'a':1}", '[1 2]', '[1}', '{"a":1]', '1 2', '"a" "b"', 'nul', 'nulll', 'True', 'NaN'])(
    'refuses %j',
    (text) => expect(scan(text)).toBe(false),
  );
  test.each(['-', '+1', '01', '-01', '1.', '.5', '1e', '1e+', '0x1', '1_000', '--1', '1.e5', 'Infinity', '0e', '00'])(
    'refuses the number %s',
    (text) => {
      expect(scan(text)).toBe(false);
      expect(scan(`[${text}]`)).toBe(false);
    },
  );
  test.each([
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\',
    '"\\"',
    '"\t"',
    '"\n"',
    '"\u0000"',
    '"\u001f"',
    '"\\U0041"',
    '"\\0"',
  ])('refuses the string %j', (text) => expect(scan(text)).toBe(false));
});

test('sees every byte that matters at every place of a string, at every alignment', () => {
  for (const special of ['"', '\\', '\n', '\u001f', 'é', '\\"', '\\n', '"}']) {
    for (let shift = 0; shift < 4; shift++) {
      for (let before = 0; before < 48; before++) {
        const text = Buffer.from(`"${'#]'.repeat(24).slice(0, before)}${special}${'!['.repeat(20)}"`);
        if (accepts(inChunk(text, { shift, before: '', after: '"' })) !== isJson(text)) {
          expect.fail(`${JSON.stringify(special)} after ${before} bytes, ${shift} past a word`);
        }
      }
    }
  }
});

describe('UTF-8', () => {
  const isUtf8 = (bytes: Uint8Array): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  };

  test('every pair of bytes after a lead byte that matters, judged as TextDecoder does', () => {
    const seconds = [0x00, 0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
    for (let lead = 0x80; lead <= 0xff; lead++) {
      for (const second of seconds) {
        for (const rest of [[], [0x80], [0xbf], [0x80, 0x80], [0xbf, 0xbf], [0x41, 0x80], [0x80, 0x41], [0x80, 0xc0]]) {
          const content = Buffer.from([lead, second, ...rest]);
          // A quote or a control character among them is another matter.
          if (content.includes(0x22) || content.some((byte) => byte < 0x20)) continue;
          for (const tail of ['', 'abc']) {
            const text = Buffer.concat([Buffer.from('"'), content, Buffer.from(`${tail}"`)]);
            if (scan(text) !== isUtf8(content)) expect.fail(text.toString('hex'));
          }
        }
      }
    }
  });

  test('every code point there is', () => {
    for (let from = 0x20; from < 0x11_0000; from += 0x1000) {
      const points = Array.from({ length: 0x1000 }, (_, i) => from + i).filter(
        (point) => point < 0x11_0000 && (point < 0xd800 || point > 0xdfff) && point !== 0x22 && point !== 0x5c,
      );
      expect(scan(`"${String.fromCodePoint(...points)}"`), from.toString(16)).toBe(true);
    }
  });

  test('random bytes in a string, wherever they fall', () => {
    fc.assert(
      fc.property(fc.nat(80), fc.uint8Array({ maxLength: 6 }), fc.nat(80), anySurroundings, (a, middle, b, around) => {
        const text = Buffer.concat([Buffer.from(`"${'x'.repeat(a)}`), middle, Buffer.from(`${'y'.repeat(b)}"`)]);
        expect(accepts(inChunk(text, around))).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is checked in names too', () => {
    const bad = Buffer.concat([Buffer.from('{"a'), Buffer.from([0xff]), Buffer.from('":1}')]);
    expect(scan(bad)).toBe(false);
    expect(scanner.fault).toBe('utf-8');
  });
});

describe('the index', () => {
  test('has every member of level 1 and 2, where it lies and under its name', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, (anatomy, around) => {
        const chunk = inChunk(anatomy.text, around);
        expect(accepts(chunk)).toBe(true);
        expect(indexed(chunk)).toEqual(anatomy.members.map(placeOf));
        const first = anatomy.text.trimStart()[0];
        expect(scanner.root).toBe(first === '{' ? 'object' : first === '[' ? 'array' : 'scalar');
      }),
      { numRuns: 500 },
    );
  });

  test('finds the last member of a name, however it is spelled', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text, members }, around) => {
        const chunk = inChunk(text, around);
        accepts(chunk);
        const meanings = members.map(({ nameToken }) => JSON.parse(nameToken) as string);
        const parents = members.map((_, i) => members.findLastIndex(({ level }, k) => k <= i && level === 1));
        for (const [i, name] of meanings.entries()) {
          if (!/^[\x20-\x7e]*$/.test(name)) continue;
          const of = members[i]!.level === 2 ? parents[i] : undefined;
          const twins = members.filter(
            ({ level }, k) =>
              meanings[k] === name && level === members[i]!.level && (of === undefined || parents[k] === of),
          );
          expect(scanner.find(name, chunk.bytes, of)).toBe(members.indexOf(twins.at(-1)!));
        }
        expect(scanner.find('nothing is called so', chunk.bytes)).toBe(-1);
        if (members.length > 0) expect(scanner.find('nothing is called so', chunk.bytes, 0)).toBe(-1);
      }),
    );
  });

  test.each([
    { why: 'the name of another level is not found', text: '{"a":{"b":1},"c":2}', name: 'b', of: undefined, at: -1 },
    { why: 'nor the member of a neighbour', text: '{"a":{"x":1},"c":{"b":2}}', name: 'b', of: 0, at: -1 },
    { why: 'an object in an array has no level', text: '{"a":[{"b":1}]}', name: 'b', of: 0, at: -1 },
    { why: 'an escaped spelling', text: '{"\\u0069d":1}', name: 'id', of: undefined, at: 0 },
    { why: 'a surrogate pair is not ASCII', text: '{"\\ud83d\\ude00":1}', name: '=', of: undefined, at: -1 },
  ])('$why', ({ text, name, of, at }) => {
    scan(text);
    expect(scanner.find(name, Buffer.from(text), of)).toBe(at);
  });

  test('grows with the members, and begins anew with the next text', () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`);
    const text = `{${names.map((name) => `"${name}":{"x":${name.length}}`).join(',')}}`;
    scan(text);
    expect(scanner.count).toBe(1_000);
    for (const [i, name] of names.entries()) {
      const at = scanner.find(name, Buffer.from(text));
      expect(at).toBe(2 * i);
      expect(text.slice(scanner.valueStart[at], scanner.valueEnd[at])).toBe(`{"x":${name.length}}`);
    }
    scan('{"a":1}');
    expect(scanner.count).toBe(1);
  });

  test('notes the objects four deep and where their type begins; beyond 16 it only counts', () => {
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text, blocks, types }, around) => {
        const chunk = inChunk(text, around);
        accepts(chunk);
        const kept = (positions: Int32Array, count: number) =>
          [...positions.subarray(0, Math.min(count, 16))].map((at) => at - chunk.start);
        expect([scanner.blockCount, scanner.typeCount]).toEqual([blocks.length, types.length]);
        expect(kept(scanner.blockStart, scanner.blockCount)).toEqual(blocks.slice(0, 16));
        expect(kept(scanner.typeStart, scanner.typeCount)).toEqual(types.slice(0, 16));
      }),
    );
    const text = `{"result":{"content":[${Array.from({ length: 20 }, () => '{"type":"text"}').join(',')}]}}`;
    scan(text);
    expect([scanner.blockCount, scanner.typeCount]).toEqual([20, 20]);
    expect([...scanner.blockStart]).toEqual(Array.from({ length: 16 }, (_, i) => 22 + 16 * i));
  });
});

const placeOf = ({ level, nameStart, nameEnd, valueStart, valueEnd }: MemberPlace) =>
  [level, nameStart, nameEnd, valueStart, valueEnd] as const;

function indexed({ start }: InChunk) {
  const { level, nameStart, nameEnd, valueStart, valueEnd } = scanner;
  return Array.from({ length: scanner.count }, (_, i) => [
    level[i],
    ...[nameStart, nameEnd, valueStart, valueEnd].map((positions) => positions[i]! - start),
  ]);
}

/** What `SCAN.riskyNumber` says of itself, written as slowly as can be. */
function isRisky(token: string): boolean {
  const [, whole = '', fraction, exponent] = /^-?(\d+)(?:\.(\d+))?([eE].*)?$/.exec(token)!;
  if (exponent !== undefined || whole.length > 15) return true;
  if (fraction === undefined) return false;
  return `${whole}${fraction}`.replace(/^0+/, '').length > 17 || fraction.length > 300;
}

describe('flags', () => {
  test('say of each member what is in its value', () => {
    const limits = { nestingLimit: 3 };
    const own = new JsonScanner(limits);
    fc.assert(
      fc.property(anyAnatomy, anySurroundings, ({ text, members, root }, around) => {
        const { bytes, start, end } = inChunk(text, around);
        expect(own.scan(bytes, start, end)).toBe(true);
        for (const [i, member] of members.entries()) {
          const { value } = member;
          const has = (flag: number): boolean => (own.flags[i]! & flag) !== 0;
          const spelled = Buffer.from(text).subarray(member.valueStart, member.valueEnd).toString();
          expect(has(SCAN.riskyNumber), `riskyNumber ${spelled}`).toBe(value.numbers.some(isRisky));
          expect(has(SCAN.lineBreak), `lineBreak ${spelled}`).toBe(/[\r\n]/.test(spelled));
          expect(has(SCAN.deep), `deep ${spelled}`).toBe(value.depth > limits.nestingLimit);
          expect(has(SCAN.escapedName), `escapedName ${member.nameToken}`).toBe(member.nameToken.includes('\\'));
          // A suspicion may be false where names are spelled with escapes; it must never be missing.
          if (value.repeatsNames) expect(has(SCAN.duplicateName), `duplicateName ${spelled}`).toBe(true);
          else if (!value.hasEscapedNames) expect(has(SCAN.duplicateName), `no duplicateName ${spelled}`).toBe(false);
        }
        const names = members
          .filter(({ level }) => level === 1)
          .map(({ nameToken }) => JSON.parse(nameToken) as string);
        const isSuspect = (own.rootFlags & SCAN.duplicateName) !== 0;
        if (own.root === 'object' && new Set(names).size < names.length) expect(isSuspect, 'root').toBe(true);
        if (own.root === 'array' && root.repeatsNames) expect(isSuspect, 'an array at the root').toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    { why: 'sixteen digits', token: '1000000000000000', risky: true },
    { why: 'fifteen digits', token: '-999999999999999', risky: false },
    { why: 'an exponent', token: '1e2', risky: true },
    { why: 'a float as programs print it', token: '0.12345678901234567', risky: false },
    { why: 'eighteen digits with a point', token: '1.23456789012345678', risky: true },
    { why: 'a whole part past 2^53 is not made safe by its point', token: '9007199254740993.5', risky: true },
    { why: 'so many zeros that the double is 0', token: `0.${'0'.repeat(400)}1`, risky: true },
    { why: 'minus zero', token: '-0', risky: false },
    { why: 'zeros behind the point are no digits in front', token: '0.0000000000000000000001', risky: false },
  ])('riskyNumber: $why', ({ token, risky }) => {
    scan(`{"a":${token}}`);
    expect((scanner.flags[0]! & SCAN.riskyNumber) !== 0).toBe(risky);
    expect(isRisky(token), 'the slow rule agrees').toBe(risky);
  });

  test('riskyNumber: an integer without it is held by a double, to the digit', () => {
    fc.assert(
      fc.property(anyNumberToken, (token) => {
        scan(`{"a":${token}}`);
        if ((scanner.flags[0]! & SCAN.riskyNumber) !== 0 || token.includes('.')) return;
        expect(String(Number(token))).toBe(token === '-0' ? '0' : token);
      }),
    );
  });

  test.each([65_535, 65_536, 65_537])('longString: over 64 KiB only (%i)', (length) => {
    for (const unit of ['x', '\\n', 'é']) {
      const size = Buffer.byteLength(unit);
      const content = unit.repeat(Math.floor(length / size)) + 'x'.repeat(length % size);
      scan(`{"a":{"b":"${content}"},"c":1}`);
      const expected = length > 65_536 ? [SCAN.longString, SCAN.longString, 0] : [0, 0, 0];
      expect([...scanner.flags.subarray(0, 3)], `${unit} up to ${length}`).toEqual(expected);
    }
  });

  test('longStrings says where they are, in order; names are not among them', () => {
    const long = `"${'x'.repeat(65_537)}"`;
    const { bytes, start, end } = inChunk(`{"a":[${long},"x",{${long}:${long}}]}`, {
      shift: 2,
      before: '{}',
      after: '"',
    });
    scanner.scan(bytes, start, end);
    const first = start + 6;
    const second = first + long.length + 6 + long.length + 1;
    expect(scanner.longStrings).toEqual([first, second].map((at) => ({ start: at, end: at + long.length })));
    scan('{}');
    expect(scanner.longStrings).toEqual([]);
  });

  test('lineBreak belongs to the value the break is in, not to what stands beside it', () => {
    const flagsOf = (text: string) => {
      scan(text);
      return [...scanner.flags.subarray(0, scanner.count)].map((flags) => (flags & SCAN.lineBreak) !== 0);
    };
    expect(flagsOf('\n{\r"a"\n:\n1\n}\n')).toEqual([false]);
    expect(flagsOf('{"a":{"b":\r1}}')).toEqual([true, false]);
    expect(flagsOf('{"a":{"b":[\n]},"c":1}')).toEqual([true, true, false]);
  });
});

describe('names that occur twice', () => {
  const isSuspect = (text: string): boolean => {
    expect(scan(text)).toBe(true);
    return (scanner.flags[0]! & SCAN.duplicateName) !== 0;
  };

  test('are suspected however many other names there are', () => {
    for (const count of [1, 2, 15, 16, 17, 18, 40, 127, 128, 129, 300, 2_000, 20_000]) {
      const names = Array.from({ length: count }, (_, i) => `"k${i}":0`);
      expect(isSuspect(`{"a":{${names.join(',')}}}`), `${count} names, none twice`).toBe(false);
      for (const twice of new Set([0, count >> 1, count - 1])) {
        expect(isSuspect(`{"a":{${[...names, `"k${twice}":1`].join(',')}}}`), `k${twice} of ${count}`).toBe(true);
      }
    }
  });

  test('are suspected across nested objects that have the same names', () => {
    // Sizes on both sides of where names move to a table, and the repeated name behind the nested object.
    const nested = (sizes: readonly number[], twice: string): string => {
      const [size = 0, ...rest] = sizes;
      const names = Array.from({ length: size }, (_, i) => `"k${i}":0`);
      const inner = rest.length === 0 ? '0' : nested(rest, '"z":0');
      return `{${[...names, `"inner":${inner}`, ...names.map((name) => name.replace('k', 'later-')), twice].join(',')}}`;
    };
    for (const sizes of [
      [5, 40, 5],
      [40, 40, 40],
      [10, 300, 10, 300],
      [2_000, 9, 2_000],
    ]) {
      expect(isSuspect(`{"a":${nested(sizes, '"z":0')}}`)).toBe(false);
      for (const twice of ['"k0":1', `"k${sizes[0]! - 1}":1`, '"inner":1']) {
        expect(isSuspect(`{"a":${nested(sizes, twice)}}`), `${twice} in ${sizes}`).toBe(true);
      }
    }
  });
});
