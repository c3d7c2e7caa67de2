import { CHECK, type CommandSpec, JSON_OUTPUT, PRINT } from './command-spec.js';

/** For authors of servers: what checks their projects, and writes what is derived from their contracts. */
export const AUTHOR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'validate',
    operands: '[FOLDER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Check a server of your own before you publish it',
    about: [
      'Starts the server that package.json names (`doorward`), and holds it to everything that is derived from it: version, manifest, workflow, documents, generated files. Calls every tool that only reads, builds twice. One line a fault; then the exit code is 7.',
    ],
    options: [
      { name: 'call-writes', summary: 'Call the tools that change something, too' },
      { name: 'no-build', summary: 'Leave the two builds out' },
      JSON_OUTPUT,
    ],
    takesTarget: false,
    examples: [
      ['doorward validate', 'the project of the current folder'],
      ['doorward validate --no-build', 'within seconds'],
    ],
    exits: [0, 1, 2, 7, 130],
  },
  {
    name: 'docs',
    operands: '[FOLDER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Write the reference of your tools',
    about: ['Writes what package.json names: `doorward.docs` (default docs/tools.md), and `doorward.clientDocs`.'],
    options: [PRINT, CHECK, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward docs', 'write docs/tools.md']],
    exits: [0, 1, 2, 7],
  },
  {
    name: 'openapi',
    operands: '[FOLDER]',
    minOperands: 0,
    maxOperands: 1,
    summary: 'Write the OpenAPI document of your server',
    about: ['What its door answers over HTTP. Goes to `doorward.openapi` of package.json (default openapi.json).'],
    options: [PRINT, CHECK, JSON_OUTPUT],
    takesTarget: false,
    examples: [['doorward openapi --print', 'look at it']],
    exits: [0, 1, 2, 7],
  },
];
