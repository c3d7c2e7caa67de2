import { COMMANDS, type CommandSpec, EXIT_CODES, GLOBAL_OPTIONS, type OptionSpec } from './command-table.js';

const WIDTH = 80;

type Row = readonly [left: string, right: string];

/** The text of `doorward --help`. */
export function mainHelp(version: string): string {
  return sections([
    `doorward ${version}\nOne front door for MCP: many servers behind one entry, and every call checked\nagainst the tool's own schema before the server sees it.`,
    'Usage: doorward COMMAND [OPTIONS] [-- SERVER COMMAND]',
    titled('Commands:', table(COMMANDS.map((command) => [shortSignatureOf(command), command.summary]))),
    titled('Options:', table([...GLOBAL_OPTIONS, configOption()].map(optionRow))),
    titled('Try it, without configuring anything:', [
      '  doorward tools -- npx -y @modelcontextprotocol/server-everything',
      '  doorward call echo message=hi -- npx -y @modelcontextprotocol/server-everything',
    ]),
    titled('Configuration, in ~/.config/doorward/doorward.json or a trusted ./doorward.json:', [
      '  { "mcpServers": {',
      '      "everything": { "command": "npx",',
      '                      "args": ["-y", "@modelcontextprotocol/server-everything"] } } }',
    ]),
    'See doorward COMMAND --help for the options and examples of a command.',
  ]);
}

/** The text of `doorward COMMAND --help`. */
export function commandHelp(command: CommandSpec): string {
  const target = command.takesTarget ? ' [-- SERVER COMMAND]' : '';
  const exits = EXIT_CODES.filter(([code]) => command.exits.includes(code));
  return sections([
    `${command.summary}.`,
    ...command.about.map((paragraph) => wrap(paragraph, WIDTH).join('\n')),
    `Usage: doorward ${signatureOf(command)} [OPTIONS]${target}`,
    titled('Options:', table([...command.options, GLOBAL_OPTIONS[0]!].map(optionRow))),
    titled(
      'Examples:',
      command.examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    ),
    titled('Exit codes:', table(exits.map(([code, meaning]) => [String(code), meaning]))),
  ]);
}

/** The text of `doorward config --help`: a word that only groups commands. */
export function groupHelp(group: string): string {
  const commands = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  return sections([
    `Usage: doorward ${group} COMMAND [OPTIONS]`,
    titled('Commands:', table(commands.map((command) => [signatureOf(command), command.summary]))),
    `See doorward ${group} COMMAND --help for the options and examples of a command.`,
  ]);
}

/** How a command is written: `tools [SERVER]`. */
export function signatureOf({ name, operands }: CommandSpec): string {
  return operands === undefined ? name : `${name} ${operands}`;
}

/** In characters: `[URL | SERVER]` is shown whole. */
const SHORT_OPERANDS = 14;

/** The same, cut after the first operand where there are more than a line of the overview has room for. */
function shortSignatureOf({ name, operands = '' }: CommandSpec): string {
  if (operands.length <= SHORT_OPERANDS) return `${name} ${operands}`.trimEnd();
  const [first = '', ...others] = operands.split(' ');
  return [name, first, others.length > 0 ? '...' : ''].filter(Boolean).join(' ');
}

function configOption(): OptionSpec {
  return COMMANDS[0]!.options.find(({ name }) => name === 'config')!;
}

function optionRow({ name, short, value, summary }: OptionSpec): Row {
  const names = short === undefined ? `    --${name}` : `-${short}, --${name}`;
  return [value === undefined ? names : `${names} ${value}`, summary];
}

function sections(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function titled(title: string, lines: readonly string[]): string {
  return [title, ...lines].join('\n');
}

/** Two columns; a left side that is too wide has its right side below it. */
function table(rows: readonly Row[]): readonly string[] {
  const widest = 24;
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= widest));
  const indent = ' '.repeat(width + 4);
  return rows.flatMap(([left, right]) => {
    const [first = '', ...others] = wrap(right, WIDTH - width - 4);
    const lines = others.map((line) => `${indent}${line}`);
    return left.length > widest
      ? [`  ${left}`, `${indent}${first}`, ...lines]
      : [`  ${left.padEnd(width)}  ${first}`, ...lines];
  });
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
