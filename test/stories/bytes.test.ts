/** The first promise, seen from both ends of the pipe: what is valid arrives byte for byte, in both directions. */
import { describe, expect, test } from 'vitest';
import { anyTool, namesOf, openDoor, upstreamWith } from '../fixtures/open-door.js';
import { numberTokens, rawMember } from '../fixtures/raw-json.js';

/** Arguments whose spelling a parser and a serializer would not give back. */
const SPELLINGS = [
  '{}',
  '{ }',
  '{ "a" : 1 ,\t"b":[ 1 , 2 ] }',
  '{"n":1.0,"m":1.50,"e":1E5,"f":1e+05,"z":-0,"y":-0.0,"tiny":5e-324,"huge":1e400}',
  '{"n":12345678901234567890,"m":0.1000000000000000055511151231257827,"k":-9007199254740993}',
  '{"n":123456789012345678901234567890123456789012345678901234567890.000000000000000000000000000001}',
  '{"a":"\\u0041\\/\\b\\f\\u00e9\\u2028\\u2029\\ud83d\\ude00","b":"/é😀\u2028"}',
  '{"lone":"\\ud800","nul":"\\u0000","\\u0061":1}',
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}},"toString":"s","hasOwnProperty":1}',
  '{"z":1,"a":2,"10":3,"9":4,"":5}',
  '{"id":9,"method":"x","jsonrpc":"1","params":{"arguments":{}},"name":"other","_meta":{"progressToken":1}}',
  '{"s":"}{][,:\\"\\\\","t":"\\\\\\""}',
  '{"deep":[[[[[[[[[[[[[[[[[[[[{"a":null}]]]]]]]]]]]]]]]]]]]]}',
  '{"bidi":"\u202e\u200f\u202c","zwj":"👩‍👩‍👧","combining":"e\u0301","bom":"\ufeff"}',
  '{"true":true,"false":false,"null":null,"date":"2026-02-30T25:61:00+05:30"}',
];

describe('arguments', () => {
  test('arrive as they were spelled', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    for (const spelling of SPELLINGS)
      expect((await door.call('u__t', spelling)).message?.result, spelling).toBeDefined();
    const forwarded = folder.received('u', 'tools/call').map((line) => rawMember(line, 'params', 'arguments'));
    expect(forwarded).toEqual(SPELLINGS);
  });

  test('omitted or null are sent as {}', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    await door.call('u__t');
    await door.call('u__t', 'null');
    const forwarded = folder.received('u', 'tools/call').map((line) => rawMember(line, 'params', 'arguments'));
    expect(forwarded).toEqual(['{}', '{}']);
  });

  test('of 1 MB with every kind of character arrive whole', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    const item = '{"text":"line\\nwith \\"quotes\\", \\u00e9, é, 😀 and 1.0","n":[1.0,2e0,12345678901234567890]}';
    const spelling = `{"items":[${Array.from({ length: 10_000 }, () => item).join(', ')}]}`;
    await door.call('u__t', spelling);
    const line = folder.received('u', 'tools/call')[0] ?? '';
    expect(rawMember(line, 'params', 'arguments') === spelling).toBe(true);
  });

  test('that were written over several lines reach a line-based upstream on one, otherwise unchanged', async (test) => {
    // A caller on stdio cannot send such a line itself; CR is the only line break that can stand inside one.
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('t')]) } });
    await door.call('u__t', '{"a":1,\r"b":2}');
    const line = folder.received('u', 'tools/call')[0] ?? '';
    expect(rawMember(line, 'params', 'arguments')?.replace('\r', ' ')).toBe('{"a":1, "b":2}');
  });
});

describe('the envelope that an upstream sees', () => {
  test('has its own name for the tool, an id of the door, and the rest of params untouched', async (test) => {
    const { door, folder } = await openDoor(test, { upstreams: { u: upstreamWith([anyTool('odd name.x')]) } });
    const listed = await door.request('tools/list');
    const [name] = namesOf(listed);
    const meta = '{"example.com/trace":"a b","n":1.0,"big":12345678901234567890}';
    door.send(
      `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"x.unknown":[1.0, 2],"_meta":${meta},"arguments":{"a":1},"name":"${name}"}}`,
    );
    await door.answer('mine');
    const line = folder.received('u', 'tools/call')[0] ?? '';
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'odd name.x' } });
    expect(rawMember(line, 'id')).not.toBe('"mine"');
    expect(rawMember(line, 'params', 'x.unknown')).toBe('[1.0, 2]');
    for (const key of ['example.com/trace', 'n', 'big']) {
      expect(rawMember(line, 'params', '_meta', key)).toBe(rawMember(meta, key));
    }
  });
});

/** Results whose spelling must come back; the tool's schema leaves everything open. */
const RESULTS = [
  '{"content":[]}',
  '{ "content" : [ ] , "x" : { "unknown" : 1.0 } }',
  '{"content":[{"type":"text","text":"\\u0041\\/ é 😀"}],"structuredContent":{"Id":1917043659912705297,"price":0.10,"exp":1.5e+300,"z":-0.0}}',
  '{"content":[{"type":"hologram","data":{"n":1e400}},{"type":"image","data":"***","mimeType":"image/png"},7,null]}',
  '{"content":[],"_meta":{"x.example/seq":9007199254740995,"progressToken":3},"isError":false}',
  '{"content":[],"id":5,"jsonrpc":"1.0","result":{},"error":{"code":1}}',
  '{"content":[],"structuredContent":[1.0,{"a":1,"a":2}]}',
];

describe('results', () => {
  test('arrive as they were spelled', async (test) => {
    const tools = RESULTS.map((_, at) => anyTool(`t${at}`));
    const answers = RESULTS.map((result, at) => ({
      on: 'tools/call',
      tool: `t${at}`,
      emit: [`{ "result" :${result}, "id": $ID ,"jsonrpc":"2.0"}`],
    }));
    const list = upstreamWith(tools).rules[0];
    const { door } = await openDoor(test, { upstreams: { u: { rules: [list, ...answers] } } });
    for (const [at, result] of RESULTS.entries()) {
      expect(rawMember((await door.call(`u__t${at}`)).raw, 'result')).toBe(result);
    }
  });

  test('of 12 MiB in one line pass', async (test) => {
    const rules = upstreamWith([anyTool('t')]).rules.slice(0, 1);
    const call = { on: 'tools/call', emit: [{ generated: 'text result of 12 MiB' }] };
    const { door } = await openDoor(test, { upstreams: { u: { rules: [...rules, call] } } });
    const answer = await door.call('u__t');
    expect(answer.raw.length).toBeGreaterThan(12 * 1024 * 1024);
  });

  test('keep every number of a structured result that is judged', async (test) => {
    const tool =
      '{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807},"d":{"multipleOf":0.01}}}}';
    const result = '{"content":[],"structuredContent":{"n":9223372036854775807,"d":19.99,"more":[1.0,-0.0,1E2]}}';
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([tool], result) } });
    const answer = await door.call('u__t');
    expect(numberTokens(rawMember(answer.raw, 'result') ?? '')).toEqual(numberTokens(result));
    expect(door.stderr).not.toContain('output.violation');
  });
});

describe('definitions', () => {
  test('are listed as the upstream wrote them, under their public name', async (test) => {
    const definition =
      '{ "title":"T\\u0069tle", "name":"t", "inputSchema": {"type":"object","properties":{"n":{"maximum":9223372036854775807,"default":1.0}}}, "x.extra":{"n":1.50}, "annotations":{"readOnlyHint":true},"icons":[{"src":"data:,"}],"_meta":{"a":1e0}}';
    const { door } = await openDoor(test, { upstreams: { u: upstreamWith([definition]) } });
    const list = await door.request('tools/list');
    expect(rawMember(list.raw, 'result', 'tools', 0)).toBe(definition.replace('"name":"t"', '"name":"u__t"'));
  });
});
