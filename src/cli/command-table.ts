/** Every command with its options, once: help texts are printed from it and the command line is parsed by it. */

import { AUTHOR_COMMANDS } from './author-commands.js';
import { CLIENT_COMMANDS } from './client-commands.js';
import { CHECK, CONFIG, type CommandSpec, JSON_OUTPUT, type OptionSpec, PRINT } from './command-spec.js';

export type { CommandSpec, OptionSpec } from './command-spec.js';

const PREFIX: OptionSpec = {
  name: 'prefix',
  value: 'RULE',
  summary: "When names carry their server's id: always, conflict or never",
};
const VERBOSE: OptionSpec = {
  name: 'verbose',
  short: 'v',
  summary: 'Show what happens, and what servers write to stderr',
};

const OWN_TOOLS: OptionSpec = {
  name: 'own-tools',
  summary: "List doorward's own tools as well; no configuration is needed then",
};
const START_TIMEOUT: OptionSpec = {
  name: 'timeout',
  value: 'TIME',
  summary: 'How long to wait for each server to start: 30, 500ms, 2m (default 60s)',
};

const PROGRAM: OptionSpec = {
  name: 'program',
  value: 'NAME',
  summary: 'Whose remote it is (default doorward): programs made with doorward have their own',
};

const LOG_LEVEL: OptionSpec = {
  name: 'log-level',
  value: 'LEVEL',
  summary: 'What to log: error, warn (default) or info',
};
const LOG_FORMAT: OptionSpec = {
  name: 'log-format',
  value: 'FORMAT',
  summary: 'How to log: text (default on a terminal) or json',
};

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: 'help', short: 'h', summary: 'Show help' },
  { name: 'version', short: 'V', summary: 'Show the version' },
];

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'stdio',
    minOperands: 0,
    maxOperands: 0,
    summary: 'Serve all servers on stdio, as one MCP server',
    about: [
      'This is the command an MCP client is configured with. It runs until its input ends. What goes wrong is written to stderr, a line each.',
    ],
    options: [
      CONFIG,
      PREFIX,
      OWN_TOOLS,
      { name: 'no-remote', summary: 'Do without the remote that doorward login names' },
      VERBOSE,
      LOG_LEVEL,
      LOG_FORMAT,
    ],
    takesTarget: true,
    examples: [
      ['doorward stdio --config ~/doorward.json', 'serve what this file names'],
      ['doorward stdio -- npx -y @modelcontextprotocol/server-everything', 'put the door before one server'],
    ],
    exits: [0, 1, 2],
  },
  {
    name: 'serve',
    minOperands: 0,
    maxOperands: 0,
    summary: 'Serve all servers over HTTP, as one MCP server',
    about: [
      'Prints the URL on stderr when it listens, and runs until a signal ends it: calls under way may take 15 seconds more, a second signal ends at once. Callers of every MCP version are served under the one URL.',
      'Only this machine can reach it. Any other --host needs http.auth in the configuration.',
    ],
    options: [
      CONFIG,
      { name: 'host', value: 'ADDRESS', summary: 'Listen on this address (default 127.0.0.1)' },
      { name: 'port', short: 'p', value: 'PORT', summary: 'Listen on this port; 0 takes a free one (default 7450)' },
      PREFIX,
      OWN_TOOLS,
      JSON_OUTPUT,
      VERBOSE,
      LOG_LEVEL,
      LOG_FORMAT,
    ],
    takesTarget: true,
    examples: [
      ['doorward serve', 'serve what the configuration names at http://127.0.0.1:7450/mcp'],
      ['doorward serve --port 8080 -- npx -y @modelcontextprotocol/server-everything', 'put one server on HTTP'],
    ],
    exits: [0, 1, 2],
  },
  {
    name: 'tools',
    operands: '[SERVER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'List the tools',
    about: [
      'One line a tool, its name as `call` takes it. With SERVER, its arguments and its whole description as well. Tools that were left out, and servers that cannot be reached, are named on stderr.',
    ],
    options: [CONFIG, { name: 'schema', summary: "Show each tool's schemas" }, START_TIMEOUT, JSON_OUTPUT, VERBOSE],
    takesTarget: true,
    examples: [
      ['doorward tools', 'every tool of every server'],
      ['doorward tools files --schema', 'what the tools of one server take'],
      ['doorward tools -- npx -y @modelcontextprotocol/server-everything', 'try a server without configuring it'],
    ],
    exits: [0, 1, 2, 3, 4, 124, 130],
  },
  {
    name: 'call',
    operands: 'SERVER.TOOL [KEY=TEXT | KEY:=JSON]...',
    minOperands: 1,
    maxOperands: Number.POSITIVE_INFINITY,
    summary: 'Call a tool',
    about: [
      "The arguments are checked against the tool's schema before the server sees anything; a refusal exits with 6 and names each place that is wrong.",
      'KEY=TEXT is text, unless the schema says that KEY is no text: then a number, true, false, null or JSON is read as such. KEY:=JSON is JSON, sent to the digit. --args takes them all as one JSON object.',
      'Text answers are printed as they are; --json prints the whole result. With a server after --, TOOL alone names the tool.',
    ],
    options: [
      CONFIG,
      {
        name: 'args',
        value: 'JSON|@FILE|-',
        summary: 'All arguments as a JSON object: given, from a file, from stdin',
      },
      {
        name: 'timeout',
        value: 'TIME',
        summary: 'How long to wait for the server to start, then for a sign of progress: 30, 500ms, 2m (default 60s)',
      },
      JSON_OUTPUT,
      VERBOSE,
    ],
    takesTarget: true,
    examples: [
      ['doorward call files.read_text_file path=README.md', 'an argument as text'],
      ['doorward call memory.search_nodes --args \'{"query":"Ada"}\'', 'all arguments as JSON'],
      [
        'doorward call echo message=hi -- npx -y @modelcontextprotocol/server-everything',
        'a server that is not configured',
      ],
    ],
    exits: [0, 1, 2, 3, 4, 5, 6, 8, 124, 130],
  },
  {
    name: 'check',
    operands: '[SERVER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Check the schemas of all tools',
    about: [
      'Shows the verdict on every tool. A tool whose schema cannot be used is left out of the catalog; then the exit code is 7.',
    ],
    options: [CONFIG, START_TIMEOUT, JSON_OUTPUT, VERBOSE],
    takesTarget: true,
    examples: [
      ['doorward check', 'every server'],
      ['doorward check -- node my-server.js', 'a server you are writing'],
    ],
    exits: [0, 1, 2, 3, 4, 7, 124, 130],
  },
  {
    name: 'login',
    operands: 'URL | SERVER',
    minOperands: 1,
    maxOperands: 1,
    summary: 'Log in to a remote, or to a server that asks for it',
    about: [
      'With a URL, names the remote that `doorward stdio` mounts, and logs in there if it asks for that. Its tools appear in every doorward stdio of yours that is running or will be, until you log out.',
      'With SERVER, logs in to that server of the configuration.',
      'For servers with a url that want to be authorized by OAuth. Opens a page in your browser; its URL is printed as well. What comes of it is kept for every doorward of yours: one that is running goes on with it.',
    ],
    options: [
      CONFIG,
      { name: 'token-stdin', summary: 'Read a bearer token for the remote from stdin, instead of a login' },
      PROGRAM,
      { name: 'no-browser', summary: 'Only print the URL' },
      { name: 'timeout', value: 'TIME', summary: 'How long to wait for you: 30, 90s, 10m (default 5m)' },
      JSON_OUTPUT,
    ],
    takesTarget: false,
    examples: [
      ['doorward login https://gateway.example/mcp', 'mount the tools of a team in doorward stdio'],
      ['doorward login https://gateway.example/mcp --token-stdin < token.txt', 'the same where there is no browser'],
      ['doorward login team', 'let doorward use the server team'],
    ],
    exits: [0, 1, 2, 3, 4, 124, 130],
  },
  {
    name: 'logout',
    operands: '[URL | SERVER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Forget the tokens for the remote, or for a server',
    about: [
      'Removes what a login left here, and tells the authorization server so if it wants to hear it. Without an operand it is the remote, whose tools are then gone from every doorward stdio that is running.',
    ],
    options: [CONFIG, { name: 'forget', summary: 'Forget which server the remote is, too' }, PROGRAM, JSON_OUTPUT],
    takesTarget: false,
    examples: [
      ['doorward logout', 'log out of the remote'],
      ['doorward logout team', 'undo doorward login team'],
    ],
    exits: [0, 1, 2],
  },
  {
    name: 'auth status',
    minOperands: 0,
    maxOperands: 0,
    summary: 'Show where doorward is logged in',
    about: [
      'One line for the remote, and one a server with a url: authorized, expired (its time is over), needed (the server has asked for a login), none (no login, and none asked for), header (its entry names an Authorization header), open (a remote that asks nobody to log in). Asks nobody, and shows no token.',
    ],
    options: [CONFIG, PROGRAM, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward auth status', 'whom to log in to']],
    exits: [0, 1, 2],
  },
  {
    name: 'manifest',
    operands: '[FOLDER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Write server.json for the MCP Registry',
    about: [
      'Derived from the contract that package.json names (`doorward.contract`), and checked against the rules of the Registry. Sets mcpName in package.json, by which the Registry knows whose npm package it is.',
    ],
    options: [PRINT, CHECK, JSON_OUTPUT],
    takesTarget: false,
    examples: [
      ['doorward manifest', 'write server.json'],
      ['doorward manifest --check', 'whether it is as the contract says'],
    ],
    exits: [0, 1, 2, 7],
  },
  {
    name: 'workflow',
    operands: '[FOLDER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Write the GitHub workflow that publishes',
    about: [
      'Publishes on npm and in the MCP Registry, from main, when you start it; rehearses each week. Each of its steps is a `doorward release` that other CI can run as well.',
    ],
    options: [PRINT, CHECK, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward workflow', 'write .github/workflows/publish-mcp-registry.yml']],
    exits: [0, 1, 2, 7],
  },
  {
    name: 'release',
    operands: 'STEP',
    minOperands: 1,
    maxOperands: 1,
    summary: 'Do one step of publishing',
    about: [
      'In their order: `npm` publishes the package, unless npm has this version with the same files. `wait-npm` waits until npm shows it. `fetch-publisher` fetches mcp-publisher, pinned by SHA-256. `publish-registry` validates the manifest, logs in and publishes. `read-back` waits until the Registry lists it.',
      '`dry-run` validates the manifest by mcp-publisher; `rehearse` logs in as well. Neither publishes anything.',
      'Works on package.json and server.json of the current folder. Every step can be run again.',
    ],
    options: [
      { name: 'publisher', value: 'FILE', summary: 'Where mcp-publisher is, or goes (default: mcp-publisher)' },
      { name: 'login', value: 'METHOD', summary: 'How mcp-publisher logs in (default github-oidc)' },
      { name: 'no-provenance', summary: 'Publish on npm without provenance: it can be made on GitHub and GitLab only' },
      { name: 'npm-registry', value: 'URL', summary: 'Another npm registry (NPM_REGISTRY_URL)' },
      { name: 'registry', value: 'URL', summary: 'Another MCP Registry (MCP_REGISTRY_URL)' },
      {
        name: 'timeout',
        value: 'TIME',
        summary: 'How long wait-npm and read-back wait (default 15m and 5m; RELEASE_TIMEOUT)',
      },
      { name: 'pause', value: 'TIME', summary: 'The first pause between two tries (default 15s; RELEASE_PAUSE)' },
      JSON_OUTPUT,
    ],
    takesTarget: false,
    examples: [
      ['doorward release wait-npm', 'after npm publish'],
      ['doorward release fetch-publisher --publisher ./mcp-publisher', 'into the current folder'],
    ],
    exits: [0, 1, 2, 3, 4, 7, 124, 130],
  },
  ...AUTHOR_COMMANDS,
  ...CLIENT_COMMANDS,
  {
    name: 'config validate',
    operands: '[FILE]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Check the configuration',
    about: [
      'Starts nothing, so the file need not be trusted. Every problem is named with its line; the exit code is 2 if a server or the file is unusable.',
    ],
    options: [CONFIG, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward config validate', 'before trusting ./doorward.json']],
    exits: [0, 1, 2],
  },
  {
    name: 'config trust',
    operands: '[FILE]',
    minOperands: 0,
    maxOperands: 1,
    summary: "Allow the current folder's configuration to be used",
    about: [
      'A doorward.json that lies in the current folder could start any program, so it is not used until you say so. Trust holds for this path and this content: a change asks again. Shows what the file would start.',
    ],
    options: [{ name: 'remove', summary: 'Take the trust back' }, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward config trust', 'after reading ./doorward.json']],
    exits: [0, 1, 2],
  },
  {
    name: 'config path',
    minOperands: 0,
    maxOperands: 0,
    summary: 'Show which configuration is used',
    about: ['Prints the path. With --json, every place that was looked at and what was found there.'],
    options: [CONFIG, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward config path --json', 'why this file, and why not that one']],
    exits: [0, 1, 2],
  },
];

/** The exit codes that a script may rely on. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'ok'],
  [1, 'unexpected failure'],
  [2, 'wrong usage or configuration'],
  [3, 'authorization needed'],
  [4, 'server cannot be reached'],
  [5, 'the tool answered with an error'],
  [6, 'refused: the server saw nothing of the call'],
  [7, 'a check failed'],
  [8, 'the result broke its schema, and validation.outputs is enforce'],
  [124, 'timeout'],
  [130, 'interrupted'],
];
