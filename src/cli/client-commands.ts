import { CONFIG, type CommandSpec, JSON_OUTPUT, type OptionSpec } from './command-spec.js';

const ADD_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'mode',
    value: 'MODE',
    summary: 'stdio: doorward itself (default); http: a URL; local: the program after --',
  },
  {
    name: 'scope',
    value: 'SCOPE',
    summary: "Whose file: project (this folder's) or user (default where there is one)",
  },
  { name: 'name', value: 'NAME', summary: 'What the client calls the server (default doorward)' },
  { name: 'url', value: 'URL', summary: 'The address, for --mode http (default http://127.0.0.1:7450/mcp)' },
  {
    name: 'header',
    value: "'NAME: VALUE'",
    summary: 'A header for --mode http; ${VAR} refers to a variable. Repeatable',
    isRepeatable: true,
  },
  {
    name: 'env',
    value: 'NAME[=VALUE]',
    summary: 'A variable for the program; without a value, a reference to your own of that name. Repeatable',
    isRepeatable: true,
  },
  { name: 'literal-secrets', summary: 'Allow secrets to be written out; references too, where a client has none' },
  { name: 'print', summary: 'Print the block and write nothing' },
  { ...CONFIG, summary: 'The configuration that doorward is started with, for --mode stdio' },
  JSON_OUTPUT,
];

const ADD: Omit<CommandSpec, 'name' | 'summary' | 'examples'> = {
  operands: 'CLIENT',
  minOperands: 1,
  maxOperands: 1,
  about: [
    "Adds an entry to the client's own file, or changes the one of that name; all else in it stays as it is, comments too. The old file is kept beside it, as FILE.bak. Doing it twice changes nothing.",
    'Secrets are written as references, in the way the client spells them. A client that knows none is refused the entry, with what to do instead.',
    'CLIENT is a name that doorward client list shows.',
  ],
  options: ADD_OPTIONS,
  takesTarget: true,
  exits: [0, 1, 2],
};

/** The commands about other programs' files. */
export const CLIENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'client list',
    minOperands: 0,
    maxOperands: 0,
    summary: 'List the MCP clients that doorward can be added to',
    about: [
      'One line a client: its name for the other commands, the format of its file, what it can be given, and where the file lies. A star marks a file that is there.',
      'With --json, the whole table: where each claim comes from, and what nobody could check.',
    ],
    options: [JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward client list', 'which clients there are']],
    exits: [0, 1, 2],
  },
  {
    ...ADD,
    name: 'client add',
    summary: 'Add doorward, or another server, to an MCP client',
    examples: [
      ['doorward client add cursor', 'doorward, for all your projects'],
      ['doorward client add vscode --scope project --print', 'see what would be written'],
      [
        "doorward client add codex --mode http --url https://h.example/mcp --header 'Authorization: Bearer ${TOKEN}'",
        'a remote server, its token in a variable',
      ],
      ['doorward client add zed --mode local --name notes -- node notes.js', 'a second server of this machine'],
    ],
  },
  {
    ...ADD,
    name: 'init-client',
    summary: 'The same as client add',
    examples: [['doorward init-client claude-code', 'doorward, for all your projects']],
  },
  {
    name: 'import',
    operands: '[FILE]...',
    minOperands: 0,
    maxOperands: Number.POSITIVE_INFINITY,
    summary: "Take servers over from other clients' files",
    about: [
      'Reads the file of any client, in JSON, TOML or YAML, and prints the mcpServers block for doorward.json. References to variables become ours; nothing is looked up, nothing is started.',
      'What cannot be taken over is named on stderr, each by its field. A server that cannot be read costs itself only; then the exit code is 2.',
      'Secrets that are written out become references to variables, which you then set.',
    ],
    options: [
      {
        name: 'from',
        value: 'CLIENT',
        summary: 'The client it is from (default: told by the path); alone: its own files',
      },
      { name: 'write', summary: 'Put them into your doorward.json; what is there stays as it is' },
      { ...CONFIG, summary: 'The doorward.json to write to (default: the one in your home)' },
      { name: 'literal-secrets', summary: 'Let secrets that are written out stand' },
      JSON_OUTPUT,
    ],
    takesTarget: false,
    examples: [
      ['doorward import ~/.cursor/mcp.json', 'see what would come of it'],
      ['doorward import --from claude-desktop --write', 'take over what Claude Desktop has'],
    ],
    exits: [0, 1, 2],
  },
];
