// @ts-check
/** Features of a tool call: what goes there, what comes back, what is said meanwhile. */
import { createHash } from 'node:crypto';
import { memberText } from '../../test/fixtures/feature-json.mjs';
import { madeUpText, ODD_RESULT, toolDefinitions } from '../../test/fixtures/feature-tools.mjs';
import { World } from '../../test/fixtures/feature-world.mjs';
import { encodeHeader, ok } from './caller.mjs';
import { same, sameMembers, that } from './expect.mjs';

/** @typedef {import('./stage.mjs').Trial} Trial */
/** @typedef {{ id: string, title: string, absent?: (pair: import('./stage.mjs').Pair) => string | undefined, run: (trial: Trial) => Promise<void> }} Feature `absent` says why a pair has not got it */

const LARGE_BYTES = 10_000_000;
const NUMBERS = '{"n":12345678901234567890, "d":0.1000000000000000055511151231257827,"e":1.50E+2,"z":-0,"f":1e-7}';
const HINTS = {
  'vendor.example/trace': { a: [1] },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
};

/** @type {readonly Feature[]} */
export const CALL_FEATURES = [
  {
    id: 'call',
    title: 'tools/call: arguments, text, structuredContent, isError',
    async run(trial) {
      const { value, result } = ok(await trial.call('mirror', { a: [1, 'é"\\', null], b: {} }));
      same(memberText(result ?? '', 'structuredContent', 'arguments'), '{"a":[1,"é\\"\\\\",null],"b":{}}', 'arguments');
      same(value.content, [{ type: 'text', text: memberText(result ?? '', 'structuredContent') }], 'content');
      same(value.resultType, trial.caller.era === 'modern' ? 'complete' : undefined, 'resultType');
      const failed = ok(await trial.call('fail_tool', {}));
      same([failed.value.isError, failed.value.content[0].text], [true, 'it went wrong'], 'isError');
    },
  },
  {
    id: 'errors',
    title: "the server's own errors, with their data; unknown tools",
    async run(trial) {
      const { error } = await trial.call('fail_protocol', {});
      const data = { why: ['a', 1], 'vendor.example/x': true };
      same(error, { code: 4711, message: 'refused by the server', data }, 'error');
      same((await trial.call('no_such_tool', {})).error?.code, -32602, 'unknown tool');
    },
  },
  {
    id: 'refused',
    title: 'arguments that break the schema: refused, the server sees nothing',
    absent: ({ isDirect }) => (isDirect ? 'no judge in between' : undefined),
    async run(trial) {
      const { error } = await trial.call('payload', { bytes: 'many' });
      same([error?.code, error?.data?.code], [-32602, 'INVALID_ARGUMENTS'], 'error');
    },
  },
  {
    id: 'progress',
    title: 'progress: all of it, in order, before the result',
    async run(trial) {
      const { heard } = ok(await trial.call('report_progress', { steps: 4 }, { meta: { progressToken: 'token-1' } }));
      const seen = trial.transport.caller === 'http' ? heard : trial.caller.heard;
      const params = seen.filter(({ method }) => method === 'notifications/progress').map((one) => one.params);
      same(
        params.map(({ progressToken, progress, total, message }) => [progressToken, progress, total, message]),
        [1, 2, 3, 4].map((step) => ['token-1', step, 4, `step ${step}`]),
        'progress',
      );
      const count = trial.caller.heard.length;
      ok(await trial.call('report_progress', { steps: 2 }));
      same(trial.caller.heard.length, count, 'notifications without a token');
    },
  },
  {
    id: 'cancel',
    title: 'cancellation: reaches the server, for the right call',
    async run(trial) {
      const other = trial.start('hold', { key: 'other', ms: 400 });
      const held = trial.start('hold', { key: 'cancelled' }, { meta: { progressToken: 7 } });
      await trial.caller.until(
        () => trial.caller.heard.some(({ params }) => params?.progressToken === 7),
        'the call to begin',
      );
      held.cancel('no longer wanted');
      const { value } = ok(await trial.call('what_was_cancelled', { key: 'cancelled' }));
      same(
        value.structuredContent.cancelled.map((/** @type {any} */ { key }) => key),
        ['cancelled'],
        'cancelled',
      );
      same((await other.answer).value?.content[0].text, 'nobody cancelled', 'the call beside it');
      const late = await Promise.race([
        held.answer.catch(() => 'none'),
        new Promise((resolve) => setTimeout(resolve, 30, 'none')),
      ]);
      same(late, 'none', 'an answer to the cancelled call');
    },
  },
  {
    id: 'logging',
    title: 'logging: from the level asked for, on the right call',
    async run(trial) {
      const sending = await trial.caller.setLevel('warning');
      const start = trial.caller.heard.length;
      ok(await trial.call('speak', { say: 'aloud' }, sending));
      const heard = () => trial.caller.heard.slice(start).filter(({ method }) => method === 'notifications/message');
      const levels = ['warning', 'error', 'critical', 'alert', 'emergency'];
      await trial.caller.until(() => heard().length >= levels.length, 'the messages');
      same(
        heard().map(({ params }) => params.level),
        levels,
        'levels',
      );
      same(
        heard()[0]?.params,
        { level: 'warning', logger: 'feature', data: { level: 'warning', say: 'aloud' } },
        'message',
      );
      if (trial.caller.era === 'handshake') return;
      ok(await trial.call('speak', { say: 'unasked' }));
      same(heard().length, levels.length, 'messages for a call that asked for none');
    },
  },
  {
    id: 'binary',
    title: 'binary content: image, audio, embedded resource, link',
    async run(trial) {
      const { value } = ok(await trial.call('binary', {}));
      const data = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');
      same(
        value.content.map((/** @type {any} */ { type, data: own, resource, uri }) => [
          type,
          own ?? resource?.blob ?? uri,
        ]),
        [
          ['image', data],
          ['audio', data],
          ['resource', data],
          ['resource_link', 'feature://text'],
        ],
        'content',
      );
    },
  },
  {
    id: 'payload',
    title: '10 MB both ways',
    async run(trial) {
      const text = madeUpText(LARGE_BYTES);
      const { value } = ok(await trial.call('payload', { bytes: LARGE_BYTES, text }));
      const sha256 = createHash('sha256').update(text).digest('hex');
      that(value.content[0].text === text, 'what was said is not what came');
      same(value.structuredContent, { said: sha256, heard: { length: LARGE_BYTES, sha256 } }, 'digests');
    },
  },
  {
    id: 'numbers',
    title: 'numbers, digit by digit, both ways',
    async run(trial) {
      const { result } = ok(await trial.call('mirror', undefined, { members: `"arguments":${NUMBERS}` }));
      same(memberText(result ?? '', 'structuredContent', 'arguments'), NUMBERS, 'arguments');
      const odd = ok(await trial.call('odd_result', {}));
      same(
        memberText(odd.result ?? '', 'vendor.example/first'),
        memberText(ODD_RESULT, 'vendor.example/first'),
        'result',
      );
    },
  },
  {
    id: 'unknown',
    title: 'members nobody knows, order and spelling, both ways; `_meta`; definitions',
    async run(trial) {
      const { value } = ok(await trial.call('mirror', { 'x-unknown': [{}] }, { meta: HINTS }));
      const { _meta, arguments: input } = value.structuredContent;
      same(
        [input, ...Object.keys(HINTS).map((key) => _meta[key])],
        [{ 'x-unknown': [{}] }, ...Object.values(HINTS)],
        'seen',
      );
      const odd = ok(await trial.call('odd_result', {}));
      sameMembers(odd.result, ODD_RESULT, ['vendor.example/first', 'content', 'structuredContent', 'isError']);
      same(odd.value._meta['vendor.example/k'], 'v', '_meta');
      const wanted = toolDefinitions('modern', new World()).find(({ name }) => name === 'mirror');
      const seen = (await trial.tools()).find(({ name }) => name === 'mirror');
      same({ ...seen }, JSON.parse(JSON.stringify(wanted)), 'definition');
    },
  },
  {
    id: 'series',
    title: 'outputs that are no object: as they are, or wrapped for an older revision, with their text',
    async run(trial) {
      const tool = (await trial.tools()).find(({ name }) => name === 'series');
      const { value } = ok(await trial.call('series', {}));
      const isBare = trial.caller.era === 'modern' && trial.upstreamEra === 'modern';
      same(value.structuredContent, isBare ? [1, 2, 3] : { result: [1, 2, 3] }, 'structuredContent');
      if (!isBare) same(value.content[0]?.text, '[1,2,3]', 'text');
      same(
        tool?.outputSchema.type,
        trial.upstreamEra === 'modern' && isBare ? 'array' : 'object',
        'type of outputSchema',
      );
    },
  },
  {
    id: 'headers',
    title: 'x-mcp-header: the parameter repeated as a header',
    absent: ({ upstreamEra, upstreamTransport }) =>
      upstreamEra === 'modern' && upstreamTransport === 'http'
        ? undefined
        : 'headers are of the newer revision, over HTTP',
    async run(trial) {
      for (const region of ['eu-1', 'Zürich ']) {
        const headers = { 'Mcp-Param-Region': encodeHeader(region) };
        const { value } = ok(await trial.call('in_region', { region }, { headers }));
        same(value.structuredContent.headers['mcp-param-region'], headers['Mcp-Param-Region'], 'header');
        same(value.structuredContent.headers['mcp-name'], 'in_region', 'Mcp-Name');
      }
    },
  },
];
