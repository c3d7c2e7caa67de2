import { expect, test } from 'vitest';
import cases from '../../test/data/cases.json' with { type: 'json' };
import { DoorError } from '../base/index.js';
import type { Environment } from './expand.js';
import { problemText } from './problem.js';
import { adHocConfig, type Config, readConfig } from './read-config.js';

/** Says nothing by itself, so that a file holds only what a test is about. */
const ONE = '"mcpServers":{"one":{"command":"x"}}';
const utf8 = new TextEncoder();

function read(text: string, environment: Environment = {}): Config {
  return readConfig({ file: { name: 'doorward.json', bytes: utf8.encode(text) }, environment });
}

function readError(text: string | Uint8Array, environment: Environment = {}): DoorError {
  const bytes = typeof text === 'string' ? utf8.encode(text) : text;
  try {
    readConfig({ file: { name: 'doorward.json', bytes }, environment });
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was accepted');
}

/** The servers as a file would write them, expanded. */
function plain(config: Config): unknown {
  const entries = config.servers.map((server) => {
    if (server.kind !== 'ready') return [server.id, server.kind];
    const { target } = server;
    if (target.kind === 'http') return [server.id, { url: target.url, headers: Object.fromEntries(target.headers) }];
    const { command, args, env, cwd } = target;
    return [server.id, { command, args, env: Object.fromEntries(env), cwd }];
  });
  return Object.fromEntries(entries);
}

function caseInput(id: string): { readonly text: string; readonly env: Environment } {
  const found = cases.cases.find((candidate) => candidate.id === id)!;
  const { text, env = {} } = found.input as { readonly text: string; readonly env?: Environment };
  return { text, env };
}

function errorPaths(config: Config): readonly string[] {
  return config.problems.filter(({ severity }) => severity === 'error').map(({ path }) => path);
}

test('f10: slashes and comment-like text inside strings survive', () => {
  const { text } = caseInput('f10');
  const config = read(text.replace('"url":"https://h.example/x//y"', '"command":"https://h.example/x//y"'));
  expect(plain(config)).toMatchObject({ a: { command: 'https://h.example/x//y', args: ['/* no */', '// no', ',]'] } });
});

test.each([
  { why: 'a UTF-8 byte order mark', text: '\ufeff{"mcpServers":{"a":{"command":"x"}}}' },
  { why: 'CRLF line ends', text: '{\r\n"mcpServers":{\r\n// a\r\n"a":{"command":"x",},\r\n}}\r\n' },
])('f11: $why is fine', ({ text }) => expect(plain(read(text))).toMatchObject({ a: { command: 'x' } }));

test.each([
  { why: 'UTF-16LE with a mark', bytes: [0xff, 0xfe, 0x7b, 0, 0x7d, 0], says: 'UTF-16LE' },
  { why: 'UTF-16BE with a mark', bytes: [0xfe, 0xff, 0, 0x7b, 0, 0x7d], says: 'UTF-16BE' },
  { why: 'UTF-16LE without a mark', bytes: [0x7b, 0, 0x7d, 0], says: 'UTF-16LE' },
  { why: 'UTF-16BE without a mark', bytes: [0, 0x7b, 0, 0x7d], says: 'UTF-16BE' },
  { why: 'UTF-32LE', bytes: [0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0], says: 'UTF-32LE' },
  { why: 'Latin-1', bytes: [0x7b, 0x22, 0xe9, 0x22], says: 'doorward.json:1:3: the file is not UTF-8 here' },
  {
    why: 'a character cut off',
    bytes: [0x7b, 0x22, 0xe2, 0x82],
    says: 'doorward.json:1:3: the file is not UTF-8 here',
  },
])('f11: $why is named', ({ bytes, says }) => {
  const error = readError(Uint8Array.from(bytes));
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(says);
  expect(error.hint).toBe('Save it as UTF-8.');
});

test('f12: a bad entry costs itself only', () => {
  const config = read(caseInput('f12').text);
  expect(plain(config)).toMatchObject({ good: { command: 'x' }, nocmd: 'broken', both: 'broken', num: 'broken' });
  expect(errorPaths(config)).toEqual(['/mcpServers/nocmd', '/mcpServers/both', '/mcpServers/num', '/mcpServers/typo']);
  expect(config.problems.find(({ server }) => server === 'typo')?.hint).toBe('Did you mean command?');
});

test('f12: the misspelt field is told once, as the error', () => {
  const config = read('{"mcpServers":{"typo":{\n"comand":"x"}}}');
  expect(config.problems.map(problemText)).toEqual([
    'doorward.json:2:1: mcpServers.typo: needs a command; "comand" is no field',
  ]);
});

test('f12: a broken file names line and column, and what was left open', () => {
  const error = readError('{"mcpServers":\n  {"a":{"command":"x"}');
  expect(error.message).toBe('doorward.json:2:23: expected a closing }');
  expect(error.hint).toBe('Close the { of line 2, column 3.');
  expect(error.data).toMatchObject({ file: 'doorward.json', line: 2, column: 23 });
});

test('f13: references are replaced in every field that may hold one, and nothing else is', () => {
  const { text, env } = caseInput('f13');
  expect(plain(read(text, env))).toEqual({
    a: { url: 'https://h.example/mcp', headers: { Authorization: 'Bearer t1', X: 't1', E: '[d]' } },
    b: { command: 'npx', args: ['--k=t1', '$TOK', '%TOK%', '{{TOK}}'], env: { K: 't1' }, cwd: '/tmp' },
  });
});

test('f14: an unset variable costs its server and is named with its field', () => {
  const config = read(caseInput('f14').text);
  expect(plain(config)).toMatchObject({ a: 'broken', ok: { command: 'x' } });
  expect(config.problems).toMatchObject([
    { path: '/mcpServers/a/headers/Authorization', variable: 'MISSING', kind: 'unset-variable', server: 'a' },
  ]);
});

test('f15: expansion happens once', () => {
  const { text, env } = caseInput('f15');
  expect(plain(read(text, env))).toMatchObject({ p: { args: ['${SECRET}', '${A}', '$${A}'] } });
});

test('c07: an id of any text is kept, with a warning where names cannot carry it', () => {
  const ids = ['my server', 'my.server', '我的', '🚀', 'x"y', 'plain-id_1'];
  const entries = ids.map((id) => [id, { command: 'x' }]);
  const config = read(JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  expect(config.servers.map(({ id, kind }) => [id, kind])).toEqual(ids.map((id) => [id, 'ready']));
  expect(config.problems.map(({ severity, server }) => [severity, server])).toEqual(
    ids.slice(0, 5).map((id) => ['warning', id]),
  );
});

test('ids that every object has are ids like any other', () => {
  const config = read('{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"},"toString":5}}');
  expect(config.servers.map(({ id, kind }) => [id, kind])).toEqual([
    ['__proto__', 'ready'],
    ['constructor', 'ready'],
    ['toString', 'broken'],
  ]);
});

test('fields that every object has are unknown fields', () => {
  const config = read('{"__proto__":1,"constructor":2,"mcpServers":{"a":{"command":"x","toString":1,"__proto__":{}}}}');
  expect(config.problems.map(({ kind, path }) => [kind, path])).toEqual([
    ['unknown-field', '/__proto__'],
    ['unknown-field', '/constructor'],
    ['unknown-field', '/mcpServers/a/toString'],
    ['unknown-field', '/mcpServers/a/__proto__'],
  ]);
  expect(Object.getPrototypeOf(config.limits)).toBe(Object.prototype);
});

test.each([
  {
    why: 'a misspelt field',
    text: '{"prefx":"never"}',
    says: 'prefx: unknown field, ignored',
    hint: 'Did you mean prefix?',
  },
  {
    why: "another program's name for the servers",
    text: '{"context_servers":{}}',
    says: 'context_servers: unknown field, ignored',
    hint: 'Did you mean mcpServers?',
  },
  {
    why: 'a name like no other',
    text: '{"limits":{"zzzzzzzz":1}}',
    says: 'limits.zzzzzzzz: unknown field, ignored',
    hint: /^Known here: maxMessageBytes, /,
  },
  {
    why: "another program's switch",
    text: '{"mcpServers":{"a":{"command":"x","disabled":true}}}',
    says: 'mcpServers.a.disabled: unknown field, ignored',
    hint: 'Did you mean enabled: false?',
  },
])('$why is warned about', ({ text, says, hint }) => {
  const [problem] = read(text).problems;
  expect(problem).toMatchObject({ severity: 'warning', hint: expect.stringMatching(hint) });
  expect(problemText(problem!)).toContain(says);
});

test.each([
  { why: 'no object', text: '[1]', says: 'doorward.json:1:1: the configuration is an array, not an object' },
  { why: 'nothing at all', text: ' // empty\n', says: 'the file is empty' },
  {
    why: 'servers as an array',
    text: '{"mcpServers":[{"command":"x"}]}',
    says: 'mcpServers: expected an object of servers by id, got an array',
  },
  {
    why: 'an unknown choice',
    text: '{\n  "prefix": "allways"\n}',
    says: 'doorward.json:2:13: prefix: expected one of always, conflict, never',
  },
  {
    why: 'a number out of range',
    text: '{"limits":{"maxInFlight":0}}',
    says: 'limits.maxInFlight: expected a whole number of calls from 1 to 65536',
  },
  { why: 'a fraction', text: '{"limits":{"maxCallMs":1.5}}', says: 'limits.maxCallMs: expected a whole number of ms' },
  {
    why: 'a number as text',
    text: '{"limits":{"maxCallMs":"5"}}',
    says: 'limits.maxCallMs: expected a number of ms, got a string',
  },
  { why: 'a group as text', text: '{"validation":"strict"}', says: 'validation: expected an object, got a string' },
  {
    why: 'single quotes',
    text: "{'prefix':1}",
    says: 'doorward.json:1:2: unexpected text; strings are written in double quotes',
  },
  { why: 'two documents', text: '{} {}', says: 'doorward.json:1:4: unexpected text after the end' },
  { why: 'a string never closed', text: '{"prefix": "al\n}', says: 'a string is never closed' },
  { why: 'a comment never closed', text: '{} /* ', says: 'a comment is never closed' },
  { why: 'nesting of a hundred thousand levels', text: '['.repeat(100_000), says: 'nested too deeply' },
])('a file that cannot be used says why: $why', ({ text, says }) => {
  const error = readError(text);
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(says);
});

test('a file with several mistakes tells all of them', () => {
  const error = readError('{"prefix":1,"expose":2,"mcpServers":{"a":5}}');
  expect(error.message).toContain('(and 1 more)');
  expect((error.data.problems as { path: string }[]).map(({ path }) => path)).toEqual(['/prefix', '/expose']);
});

test.each([
  {
    why: 'a number in env',
    entry: { command: 'x', env: { PORT: 3000 } },
    says: 'env.PORT: expected a string, got a number',
    hint: 'Put it in double quotes.',
  },
  {
    why: 'args as text',
    entry: { command: 'x', args: '-y' },
    says: 'args: expected an array of strings, got a string',
  },
  { why: 'a null argument', entry: { command: 'x', args: ['a', null] }, says: 'args[1]: expected a string, got null' },
  { why: 'an empty command', entry: { command: ' ' }, says: 'command: the command is empty' },
  { why: 'a NUL character', entry: { command: 'x', args: ['a\0b'] }, says: 'args[0]: holds a NUL character' },
  { why: 'a name no variable can have', entry: { command: 'x', env: { 'A=B': '1' } }, says: 'env: "A=B" cannot name' },
  {
    why: 'a type that contradicts',
    entry: { command: 'x', type: 'http' },
    says: 'a: has a command, but its type is http',
  },
  {
    why: 'a url with the type of a program',
    entry: { url: 'https://h.example', type: 'stdio' },
    says: 'a: has a url, but its type is stdio',
  },
  {
    why: 'a misspelt type',
    entry: { url: 'https://h.example', type: 'streamableHttp' },
    says: 'type: expected one of',
    hint: 'Did you mean streamable-http?',
  },
  { why: 'no http address', entry: { url: 'file:///etc/passwd' }, says: 'url: is not an http or https address' },
  {
    why: 'a header of two lines',
    entry: { url: 'https://h.example', headers: { A: 'x\r\nB: y' } },
    says: 'headers: "A" cannot be sent',
  },
  {
    why: 'a bad filter',
    entry: { command: 'x', tools: { deny: 'all' } },
    says: 'tools.deny: expected an array of strings',
  },
  {
    why: 'a bad timeout',
    entry: { command: 'x', callTimeoutMs: -1 },
    says: 'callTimeoutMs: expected a whole number of ms',
  },
  { why: 'a reference never closed', entry: { command: 'x', args: ['${A'] }, says: 'args[0]: a `${` is never closed' },
  {
    why: "another program's reference",
    entry: { command: 'x', args: ['${input:key}'] },
    says: 'args[0]: a `${…}` that is no reference',
  },
])('a server with $why is broken, and says so', ({ entry, says, hint }) => {
  const config = read(JSON.stringify({ mcpServers: { a: entry, ok: { command: 'x' } } }));
  const [broken, ok] = config.servers;
  expect(ok?.kind).toBe('ready');
  expect(broken?.kind).toBe('broken');
  if (broken?.kind !== 'broken') return;
  expect(broken.error.code).toBe('CONFIG_INVALID');
  expect(broken.error.message).toContain(`mcpServers.a`);
  expect(broken.error.message).toContain(says);
  if (hint !== undefined) expect(broken.error.hint).toBe(hint);
});

test.each([
  { why: 'a command with its arguments in it', entry: { command: 'npx -y server' }, path: '/mcpServers/a/command' },
  { why: 'a home folder only a shell knows', entry: { command: 'x', cwd: '~/here' }, path: '/mcpServers/a/cwd' },
  { why: 'headers beside a command', entry: { command: 'x', headers: {} }, path: '/mcpServers/a/headers' },
  {
    why: 'a doubled dollar that is no escape',
    entry: { command: 'x', env: { A: 'pa$$word' } },
    path: '/mcpServers/a/env/A',
  },
])('$why is used, with a warning', ({ entry, path }) => {
  const config = read(JSON.stringify({ mcpServers: { a: entry } }));
  expect(config.servers[0]?.kind).toBe('ready');
  expect(config.problems).toMatchObject([{ severity: 'warning', path }]);
});

test('a path with spaces is a program, not a command line', () => {
  expect(read('{"mcpServers":{"a":{"command":"C:\\\\Program Files\\\\nodejs\\\\npx.cmd"}}}').problems).toEqual([]);
});

test('what the environment holds never reaches a message', () => {
  const environment = { SECRET: 'hunter2\0', URL: 'ftp://hunter2@h.example' };
  const config = read('{"mcpServers":{"a":{"command":"${SECRET}"},"b":{"url":"${URL}"}}}', environment);
  expect(errorPaths(config)).toEqual(['/mcpServers/a/command', '/mcpServers/b/url']);
  expect(JSON.stringify([config.problems, config.servers])).not.toContain('hunter2');
});

test('a file without servers is told so', () => {
  expect(read('{ "prefix": "never" }').problems.map(problemText)).toEqual([
    'doorward.json:1:1: mcpServers: no servers are configured',
  ]);
  expect(readConfig({ environment: {} }).problems).toEqual([]);
});

test('a file whose servers are all switched off is warned about', () => {
  const { problems } = read('{"mcpServers":{"a":{"enabled":false},"b":{"enabled":false}}}');
  expect(problems).toMatchObject([{ severity: 'warning', message: 'every server is switched off' }]);
});

test('a server that is switched off may be half-written', () => {
  const config = read('{"mcpServers":{"a":{"enabled":false,"comand":"${NOPE}"},"b":{"command":"x"}}}');
  expect(config.servers).toMatchObject([{ id: 'a', kind: 'disabled' }, { id: 'b' }]);
  expect(config.problems).toEqual([]);
});

test('an entry with a url is read', () => {
  const config = read('{"servers":{"team":{"type":"sse","url":"https://h.example/mcp"}}}');
  expect(config.servers[0]).toMatchObject({ kind: 'ready', target: { kind: 'http', type: 'sse' } });
  expect(config.problems).toEqual([]);
});

test('servers is another name of mcpServers; where both name one, the proper name counts', () => {
  const config = read('{"servers":{"a":{"command":"old"},"b":{"command":"b"}},"mcpServers":{"a":{"command":"new"}}}');
  expect(plain(config)).toMatchObject({ a: { command: 'new' }, b: { command: 'b' } });
  expect(config.problems).toMatchObject([{ kind: 'duplicate-key', path: '/mcpServers/a' }]);
});

test('of a key written twice the last counts, and the first is warned about', () => {
  const config = read('{"mcpServers":{"a":{"command":"one"},\n"a":{"command":"two"}}}');
  expect(plain(config)).toMatchObject({ a: { command: 'two' } });
  expect(config.problems.map(problemText)).toEqual([
    'doorward.json:1:16: mcpServers.a: written twice; only the one on line 2 counts',
  ]);
});

test('what is not written has its default', () => {
  expect(read('{}')).toMatchObject({
    servers: [],
    prefix: 'always',
    expose: 'tools',
    validation: { invalidArguments: 'protocol-error', outputs: 'warn', uncompilableOutput: 'exclude' },
    limits: { maxMessageBytes: 33_554_432, maxDepth: 512, startTimeoutMs: 60_000, callTimeoutMs: 60_000, pageSize: 0 },
  });
});

test("a server's overrides have no default of their own", () => {
  const [server] = read('{"mcpServers":{"a":{"command":"x","validation":{"outputs":"enforce"}}}}').servers;
  expect(server).toMatchObject({ kind: 'ready', options: { validation: { outputs: 'enforce' } } });
  expect(server?.kind === 'ready' && Object.keys(server.options.validation ?? {})).toEqual(['outputs']);
});

test('fields of later versions are read, and said to have no effect', () => {
  const config = read('{"store":"sqlite","telemetry":{},"mcpServers":{"a":{"command":"x"}}}');
  expect(config.servers[0]?.kind).toBe('ready');
  expect(config.problems.map(({ path, kind, severity }) => [path, kind, severity])).toEqual(
    ['/store', '/telemetry'].map((path) => [path, 'not-supported', 'warning']),
  );
});

test('flags stand above variables, variables above the file, the file above defaults; each value knows where it is from', () => {
  const config = readConfig({
    file: { name: 'd.json', bytes: utf8.encode('{"prefix":"never","limits":{"maxDepth":9,\n"pageSize":7}}') },
    environment: { DOORWARD_PREFIX: 'conflict', DOORWARD_LIMITS_MAX_DEPTH: '10', DOORWARD_EXPOSE: '' },
    flags: [{ flag: '--prefix', path: ['prefix'], text: 'always' }],
  });
  expect(config).toMatchObject({ prefix: 'always', limits: { maxDepth: 10, pageSize: 7 }, expose: 'tools' });
  expect(config.originOf('/prefix')).toEqual({ kind: 'flag', flag: '--prefix' });
  expect(config.originOf('/limits/maxDepth')).toEqual({ kind: 'environment', variable: 'DOORWARD_LIMITS_MAX_DEPTH' });
  expect(config.originOf('/limits/pageSize')).toEqual({ kind: 'file', place: { file: 'd.json', line: 2, column: 12 } });
  expect(config.originOf('/expose')).toEqual({ kind: 'default' });
});

test('an expanded value knows its line and its variables', () => {
  const config = read('{"mcpServers":{"a":{"command":"x","args":["${A}${B:-b}"]}}}', { A: '1' });
  expect(config.originOf('/mcpServers/a/args/0')).toMatchObject({ kind: 'file', variables: ['A', 'B'] });
});

test.each([
  { variable: 'DOORWARD_PREFIX', value: 'sometimes', says: 'DOORWARD_PREFIX: expected one of always' },
  { variable: 'DOORWARD_LIMITS_MAX_DEPTH', value: '1e2', says: 'DOORWARD_LIMITS_MAX_DEPTH: expected a whole number' },
])('a bad $variable is refused by its name', ({ variable, value, says }) => {
  const error = readError('{}', { [variable]: value });
  expect(error.message).toContain(says);
  expect(error.data.variable).toBe(variable);
});

test('a variable that looks like one of ours is warned about', () => {
  const { problems } = read(`{${ONE}}`, { DOORWARD_PREFX: 'never', DOORWARD_UNRELATED_THING: '1' });
  expect(problems.map(({ variable, hint }) => [variable, hint])).toEqual([
    ['DOORWARD_PREFX', 'Did you mean DOORWARD_PREFIX?'],
  ]);
});

test('a server named on the command line keeps its names, unless a flag or variable says otherwise', () => {
  const target = { id: 'target', command: 'npx', args: ['${A}'], environment: {} };
  const [server] = adHocConfig(target).servers;
  // A shell has expanded what was to be expanded.
  expect(server).toMatchObject({ kind: 'ready', target: { args: ['${A}'] }, options: { prefix: 'never' } });
  const flagged = adHocConfig({ ...target, flags: [{ flag: '--prefix', path: ['prefix'], text: 'always' }] });
  expect(flagged.servers[0]).toMatchObject({ options: {} });
});
