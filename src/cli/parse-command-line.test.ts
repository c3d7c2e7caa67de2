import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DoorError } from '../base/index.js';
import { COMMANDS } from './command-table.js';
import { parseCommandLine } from './parse-command-line.js';

function parsed(line: string) {
  const invocation = parseCommandLine(line.split(' ').filter(Boolean));
  if (invocation.kind !== 'run') return invocation;
  const { command, operands, options, target } = invocation;
  return { name: command.name, operands, options: Object.fromEntries(options), target };
}

function refusal(line: string): DoorError {
  try {
    parsed(line);
  } catch (thrown) {
    if (thrown instanceof DoorError) return thrown;
    throw thrown;
  }
  throw new Error(`${line} was understood`);
}

test.each([
  { why: 'a command', line: 'tools', name: 'tools', operands: [], options: {} },
  { why: 'a command of two words', line: 'config path', name: 'config path', operands: [], options: {} },
  { why: 'options before the command', line: '-c f tools x', name: 'tools', operands: ['x'], options: { config: 'f' } },
  { why: 'a value after =', line: 'tools --config=a=b', name: 'tools', operands: [], options: { config: 'a=b' } },
  { why: 'shorts together', line: 'tools -vc f', name: 'tools', operands: [], options: { verbose: true, config: 'f' } },
  {
    why: 'arguments that begin with other signs',
    line: 'call a.b k=-1 j:=-2',
    name: 'call',
    operands: ['a.b', 'k=-1', 'j:=-2'],
    options: {},
  },
  { why: 'a dash as a value', line: 'call a.b --args -', name: 'call', operands: ['a.b'], options: { args: '-' } },
])('$why is understood', ({ line, why: _, ...wanted }) => {
  expect(parsed(line)).toEqual({ ...wanted, target: undefined });
});

test('everything behind -- is the server, options of ours or not', () => {
  expect(parsed('tools --json -- npx -y pkg --json -- x')).toEqual({
    name: 'tools',
    operands: [],
    options: { json: true },
    target: ['npx', '-y', 'pkg', '--json', '--', 'x'],
  });
});

test('an option that may be repeated keeps all its values, in order', () => {
  const words = ['client', 'add', 'cursor', '--env', 'B=1', '--env=A', '--header', 'X: y'];
  const invocation = parseCommandLine(words);
  expect(invocation.kind === 'run' && Object.fromEntries(invocation.lists)).toEqual({
    env: ['B=1', 'A'],
    header: ['X: y'],
  });
});

test.each([
  { line: '', about: undefined },
  { line: '--help', about: undefined },
  { line: 'help', about: undefined },
  { line: 'tools --help', about: 'tools' },
  { line: '-h call', about: 'call' },
  { line: 'help config trust', about: 'config trust' },
  { line: 'config --help', about: 'config' },
  { line: 'config path -h', about: 'config path' },
  { line: 'help nonsense', about: undefined },
  { line: 'call --help --no-such-option', about: 'call' },
])('"$line" asks for help about $about', ({ line, about }) => {
  const invocation = parseCommandLine(line.split(' ').filter(Boolean));
  expect(invocation.kind).toBe('help');
  if (invocation.kind !== 'help') return;
  expect(typeof invocation.about === 'object' ? invocation.about.name : invocation.about).toBe(about);
});

test.each(['--version', '-V'])('%s asks for the version', (line) => expect(parsed(line)).toEqual({ kind: 'version' }));

test.each([
  { line: 'tolls', says: 'there is no command "tolls"', hint: 'Did you mean doorward tools?' },
  { line: 'xyzzy', says: 'there is no command "xyzzy"', hint: 'Commands: stdio, serve, tools' },
  { line: 'config', says: 'config needs a command', hint: 'validate, trust, path' },
  { line: 'auth', says: 'auth needs a command', hint: 'Write status after it.' },
  { line: 'auth xyzzy', says: 'there is no command "xyzzy"', hint: 'Commands: status. See doorward auth --help.' },
  { line: 'config pth', says: 'there is no command "pth"', hint: 'Did you mean doorward config path?' },
  { line: '--json', says: 'no command was given', hint: 'Write one of stdio' },
  { line: 'stdio --json', says: 'stdio has no option --json', hint: 'doorward stdio --help' },
  { line: 'stdio --confg x', says: 'stdio has no option --confg', hint: 'Did you mean --config?' },
  { line: 'call zap run --params {"to":1}', says: 'call has no option --params', hint: 'key=text or key:=json' },
  { line: 'tools --json=yes', says: '--json takes no value' },
  { line: 'tools --config --json', says: '--config needs a value', hint: '--config FILE' },
  { line: 'tools -c a -c b', says: '-c is given twice' },
  { line: 'stdio extra', says: 'stdio does not know what to do with "extra"' },
  { line: 'call', says: 'call needs SERVER.TOOL' },
  { line: 'config path -- x', says: 'config path takes no server after --' },
  { line: 'tools --', says: 'nothing stands after --' },
  { line: 'tools -c f -- x', says: 'exclude each other' },
])('"$line" is refused: $says', ({ line, says, hint = '' }) => {
  const error = refusal(line);
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain(says);
  expect(error.hint ?? '').toContain(hint);
});

test('any words are understood or refused with exit 2, nothing else', () => {
  const known = fc.constantFrom(
    'tools',
    'call',
    'config',
    'path',
    'help',
    '--',
    '-',
    '--config',
    '-c',
    '--json',
    '-vc',
    '--no-json',
    '--__proto__',
    '--constructor=1',
    '--=',
    '-=',
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          known,
          fc.string(),
          fc.string().map((text) => `--${text}`),
        ),
      ),
      (words) => {
        try {
          expect(['run', 'help', 'version']).toContain(parseCommandLine(words).kind);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(DoorError);
          expect((thrown as DoorError).code).toBe('CONFIG_INVALID');
        }
      },
    ),
    { numRuns: 1000 },
  );
});

describe('the table', () => {
  test('an option means the same in every command: parsing does not know the command yet', () => {
    const seen = new Map<string, string>();
    for (const { name, short, value } of COMMANDS.flatMap(({ options }) => options)) {
      const shape = `${short} ${value === undefined}`;
      expect(seen.get(name) ?? shape, name).toBe(shape);
      seen.set(name, shape);
    }
  });

  test('every example is a command line that is understood', () => {
    for (const [line] of COMMANDS.flatMap(({ examples }) => examples)) {
      const [typed = ''] = line.split(' < '); // what stands behind it is the shell's
      const words = (typed.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", '')).slice(1);
      expect(parseCommandLine(words).kind, line).toBe('run');
    }
  });
});
