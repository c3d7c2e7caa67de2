import { findNearest, quoted } from '../config/index.js';
import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from './command-table.js';
import { type OptionShape, readWords, type Word } from './read-words.js';
import { usageError } from './usage-error.js';

/** A command line that was understood. */
export type Invocation =
  | { readonly kind: 'version' }
  /** `about` is a command, a word that groups commands, or undefined for the whole. */
  | { readonly kind: 'help'; readonly about: CommandSpec | string | undefined }
  | Run;

export interface Run {
  readonly kind: 'run';
  readonly command: CommandSpec;
  readonly operands: readonly string[];
  /** By name; a switch that was given is `true`. */
  readonly options: ReadonlyMap<string, string | true>;
  /** The values of options that may be given several times, in order. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** What stood after `--`: a program and its arguments. */
  readonly target: readonly string[] | undefined;
}

type OptionWord = Extract<Word, { readonly kind: 'option' }>;

/**
 * Reads the words of a command line.
 *
 * @throws {DoorError} `CONFIG_INVALID` (exit 2) naming the word that is not understood
 */
export function parseCommandLine(words: readonly string[]): Invocation {
  const { own, target } = splitTarget(words);
  const read = readWords(own, everyOption());
  const given = read.filter((word) => word.kind === 'option');
  const positionals = read.flatMap((word) => (word.kind === 'operand' ? [word.value] : []));
  const has = (name: string): boolean => given.some((word) => word.name === name);
  if (positionals.length === 0) {
    if (has('version')) return { kind: 'version' };
    if (has('help') || given.length === 0) return { kind: 'help', about: undefined };
    throw usageError('no command was given', `Write one of ${topLevelNames().join(', ')} first.`);
  }
  if (positionals[0] === 'help') return { kind: 'help', about: findAbout(positionals.slice(1)) };
  if (has('help')) return { kind: 'help', about: findAbout(positionals) };
  const { command, operands } = findCommand(positionals);
  const { options, lists } = readOptions(command, given);
  checkOperands(command, operands);
  if (target && !command.takesTarget) throw usageError(`${command.name} takes no server after --`);
  if (target?.length === 0) {
    throw usageError('nothing stands after --', 'Write the program that is the server, and its arguments.');
  }
  if (target && options.has('config')) {
    throw usageError('--config and a server after -- exclude each other', 'Leave one of them out.');
  }
  return { kind: 'run', command, operands, options, lists, target };
}

function splitTarget(words: readonly string[]): { own: readonly string[]; target: readonly string[] | undefined } {
  const at = words.indexOf('--');
  return at < 0 ? { own: [...words], target: undefined } : { own: words.slice(0, at), target: words.slice(at + 1) };
}

/** Options mean the same wherever they stand, so all are known before the command is. */
function everyOption(): readonly OptionShape[] {
  const specs = [...GLOBAL_OPTIONS, ...COMMANDS.flatMap(({ options }) => options)];
  return specs.map(({ name, short, value }) => ({ name, takesValue: value !== undefined, ...(short && { short }) }));
}

function topLevelNames(): readonly string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))];
}

function findCommand(positionals: readonly string[]): { command: CommandSpec; operands: readonly string[] } {
  const [first = '', second] = positionals;
  const single = COMMANDS.find(({ name }) => name === first);
  if (single) return { command: single, operands: positionals.slice(1) };
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0) throw unknownCommand(first, topLevelNames());
  const names = group.map(({ name }) => name.slice(first.length + 1));
  if (second === undefined) {
    const what = names.length === 1 ? names[0] : `one of ${names.join(', ')}`;
    throw usageError(`${first} needs a command`, `Write ${what} after it.`);
  }
  const double = group.find(({ name }) => name === `${first} ${second}`);
  if (!double) throw unknownCommand(second, names, first);
  return { command: double, operands: positionals.slice(2) };
}

function unknownCommand(word: string, names: readonly string[], group?: string) {
  const nearest = findNearest(word, names);
  const line = ['doorward', group, nearest].filter(Boolean).join(' ');
  const hint = nearest ? `Did you mean ${line}?` : `Commands: ${names.join(', ')}. See ${line} --help.`;
  return usageError(`there is no command ${quoted(word)}`, hint);
}

/** What help is wanted about; a word that is no command gets the whole. */
function findAbout(words: readonly string[]): CommandSpec | string | undefined {
  const [first, second] = words;
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  return command ?? (topLevelNames().includes(first ?? '') ? first : undefined);
}

function readOptions(command: CommandSpec, given: readonly OptionWord[]): Pick<Run, 'options' | 'lists'> {
  const options = new Map<string, string | true>();
  const lists = new Map<string, readonly string[]>();
  for (const { name, rawName, value } of given) {
    const spec = [...command.options, ...GLOBAL_OPTIONS].find((option) => option.name === name);
    if (!spec) throw unknownOption(command, rawName);
    if (options.has(name)) throw usageError(`${rawName} is given twice`);
    const read = readValue(spec, rawName, value);
    if (spec.isRepeatable) lists.set(name, [...(lists.get(name) ?? []), String(read)]);
    else options.set(name, read);
  }
  return { options, lists };
}

function readValue(spec: OptionSpec, rawName: string, value: string | undefined): string | true {
  if (spec.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value`);
    return true;
  }
  // A value that looks like an option is a forgotten value.
  if (value === undefined || value.startsWith('--')) {
    throw usageError(`${rawName} needs a value`, `Write ${rawName} ${spec.value}.`);
  }
  return value;
}

function unknownOption(command: CommandSpec, rawName: string) {
  const names = [...command.options, ...GLOBAL_OPTIONS].map(({ name }) => `--${name}`);
  const nearest = findNearest(rawName, names);
  const hint = nearest
    ? `Did you mean ${nearest}?`
    : command.name === 'call'
      ? "Write the tool's arguments as key=text or key:=json, without dashes."
      : `See doorward ${command.name} --help.`;
  return usageError(`${command.name} has no option ${rawName.slice(0, 80)}`, hint);
}

function checkOperands(command: CommandSpec, operands: readonly string[]): void {
  const { name, minOperands, maxOperands } = command;
  if (operands.length < minOperands) {
    throw usageError(`${name} needs ${command.operands?.split(' ')[0]}`, `See doorward ${name} --help.`);
  }
  if (operands.length > maxOperands) {
    const surplus = quoted(operands[maxOperands]!);
    throw usageError(`${name} does not know what to do with ${surplus}`, `See doorward ${name} --help.`);
  }
}
