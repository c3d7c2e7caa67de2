import { basename, resolve } from 'node:path';
import { type Config, type Problem, readConfig, type ServerEntry } from '../../config/index.js';
import { type FoundConfig, findConfig, readConfigFile } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { notFound } from '../load-config.js';
import type { Run } from '../parse-command-line.js';
import { reportError, writePassedOver, writeProblem } from '../report-error.js';
import type { Screen } from '../screen.js';
import { usageError } from '../usage-error.js';

const EXIT_INVALID = 2;

/** `doorward config validate [FILE]`: every problem of the configuration. Starts nothing. */
export async function runConfigValidate({ operands, options }: Run, cli: Cli): Promise<number> {
  const [operand] = operands;
  const option = options.get('config') as string | undefined;
  if (operand !== undefined && option !== undefined) throw usageError('the file is named twice', 'Leave --config out.');
  const { environment, cwd, out, err } = cli;
  const { found, looked } = await findConfig({ environment, cwd, flag: operand ?? option });
  // Looking at a file asks for no trust, and before trusting it is when one wants to.
  const untrusted = looked.find(({ error }) => error?.data.trust !== undefined);
  const file = untrusted ? readUntrusted(untrusted.path) : found;
  const refused = looked.flatMap(({ error }) => (error && error !== untrusted?.error ? [error] : []));
  if (!file) throw refused[0] ?? notFound(looked);
  for (const error of refused) writePassedOver(error, file.path, err);
  const isJson = options.has('json');
  let config: Config;
  try {
    config = readConfig({ file: { name: file.name, bytes: file.bytes }, environment });
  } catch (thrown) {
    return reportError(thrown, cli, { isJson });
  }
  const { problems, servers } = config;
  if (isJson) {
    const states = servers.map((server) => ({ id: server.id, state: stateOf(server, problems) }));
    out.write(
      `${JSON.stringify({ path: resolve(cwd, file.path), ...(untrusted && { trusted: false }), servers: states, problems })}\n`,
    );
  } else {
    for (const problem of problems) writeProblem(problem, err);
    out.write(`${file.name}: ${summaryOf(config)}\n`);
    if (untrusted) writeUntrusted(file.name, found, err);
  }
  return problems.some(isError) ? EXIT_INVALID : 0;
}

function readUntrusted(path: string): Pick<FoundConfig, 'name' | 'path' | 'bytes'> {
  const name = basename(path);
  return { name, path, bytes: readConfigFile(path, name) };
}

function writeUntrusted(name: string, found: FoundConfig | undefined, err: Screen): void {
  const used = found ? `${found.path} is used until then` : 'no other command reads it until then';
  err.write(`note: ${name} is not trusted: look at it, then run \`doorward config trust\`; ${used}\n`);
}

/** An entry that is sound but that this version cannot serve is of no more use than a broken one. */
function stateOf({ id, kind }: ServerEntry, problems: readonly Problem[]): ServerEntry['kind'] {
  return problems.some((problem) => problem.server === id && isError(problem)) ? 'broken' : kind;
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

function summaryOf({ servers, problems }: Config): string {
  const errors = problems.filter(isError).length;
  const warnings = problems.length - errors;
  const off = servers.filter(({ kind }) => kind === 'disabled').length;
  const parts = [
    counted(servers.length, 'server'),
    off > 0 && `${off} switched off`,
    errors > 0 && counted(errors, 'error'),
    warnings > 0 && counted(warnings, 'warning'),
    problems.length === 0 && 'no problems',
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
