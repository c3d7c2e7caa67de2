import { resolve } from 'node:path';
import { decodeText, encodeText, type JsonSlice } from '../../base/index.js';
import type { CatalogEntry, ToolAnswer } from '../../gateway/index.js';
import {
  argumentsText,
  readArgumentsFile,
  readArgumentsObject,
  readTypedArguments,
  SHELL_HINT,
  surprisesIn,
  type TypedArgument,
} from '../call-arguments.js';
import { resultText } from '../call-result.js';
import { type CallTarget, splitCallTarget } from '../call-target.js';
import type { Cli } from '../cli.js';
import { nextCommand } from '../command-hint.js';
import { getServer, type OneShot, readTimeout, runOneShot, settle, writeProblems } from '../one-shot.js';
import type { Run } from '../parse-command-line.js';
import { ToolParameters } from '../property-types.js';
import { oneLine, printable } from '../screen.js';
import { findMemberText } from '../tool-definition.js';
import { usageError } from '../usage-error.js';

const EXIT_TOOL_ERROR = 5;
const EXIT_OUTPUT_VIOLATION = 8;

/** What stands for the arguments on the command line. */
type Given =
  | { readonly kind: 'words'; readonly words: readonly TypedArgument[] }
  | { readonly kind: 'object'; readonly text: string };

/** `doorward call SERVER.TOOL …`: one call, judged and answered. */
export async function runCall(run: Run, cli: Cli): Promise<number> {
  // Everything that can be wrong on the command line is found before a server is started.
  const given = await readGiven(run, cli);
  const timeoutMs = readTimeout(run);
  return runOneShot(run, cli, async (shot) => {
    const target = findTarget(run, shot);
    writeProblems(shot.loaded, [target.server], cli);
    const [status] = await settle(shot, [target.server], cli);
    if (status?.state.kind === 'failed') throw status.state.error;
    const entry = findEntry(shot, target);
    const text = textOf(given, entry, cli);
    const answer = await shot.life.during(
      shot.gateway.callTool(
        { mount: target.server, tool: entry?.tool.name ?? target.tool, arguments: encodeText(text) },
        {
          principal: { id: `local:${process.getuid?.() ?? 'user'}`, kind: 'local' },
          door: 'cli',
          signal: cli.signal,
          progress: (params) => shot.life.say(progressText(params, `${target.server}.${target.tool}`)),
          ...(timeoutMs !== undefined && { timeoutMs }),
        },
      ),
      `calling ${target.server}.${target.tool}`,
    );
    return writeAnswer(answer, { name: `${target.server}.${target.tool}`, isJson: run.options.has('json') }, cli);
  });
}

async function readGiven({ operands, options }: Run, cli: Cli): Promise<Given> {
  const words = operands.slice(1);
  const object = options.get('args');
  if (typeof object !== 'string') return { kind: 'words', words: readTypedArguments(words) };
  if (words.length > 0) throw usageError('--args and key=text exclude each other', 'Put all arguments into --args.');
  if (object === '-') return { kind: 'object', text: readArgumentsObject(await cli.readStdin(), 'the input') };
  if (!object.startsWith('@'))
    return { kind: 'object', text: readArgumentsObject(encodeText(object), '--args', SHELL_HINT) };
  const path = object.slice(1);
  return { kind: 'object', text: readArgumentsObject(readArgumentsFile(path, resolve(cli.cwd, path)), path) };
}

/** With one server after `--` there is nothing to tell apart: the operand is the tool. */
function findTarget(run: Run, { loaded }: OneShot): CallTarget {
  const { operands, target } = run;
  const [operand = ''] = operands;
  const [server] = loaded.config.servers;
  if (target && server) return { server: server.id, tool: operand };
  const split = splitCallTarget(
    operand,
    loaded.config.servers.map(({ id }) => id),
    (server) => nextCommand(run, 'tools', server),
  );
  return { ...split, server: getServer(loaded, split.server) };
}

/** By the server's own name, or by the public one. */
function findEntry({ gateway }: OneShot, { server, tool }: CallTarget): CatalogEntry | undefined {
  const snapshot = gateway.snapshot();
  const own = snapshot.findTool(server, tool);
  const named = own ?? snapshot.find(`${server}__${tool}`);
  return named?.mount === server ? named : undefined;
}

function textOf(given: Given, entry: CatalogEntry | undefined, { err }: Cli): string {
  if (given.kind === 'object') return given.text;
  const schema: unknown = JSON.parse((entry && findMemberText(entry.tool.definition, 'inputSchema')) ?? '{}');
  const parameters = new ToolParameters(schema);
  const text = argumentsText(given.words, parameters);
  for (const surprise of surprisesIn(given.words, parameters)) {
    err.write(`${err.colors.yellow('warning:')} ${oneLine(surprise)}\n`);
  }
  return text;
}

function progressText(params: JsonSlice, name: string): string {
  const { progress, total, message } = JSON.parse(decodeText(params.bytes, params.start, params.end)) as {
    readonly progress?: unknown;
    readonly total?: unknown;
    readonly message?: unknown;
  };
  const share = typeof progress !== 'number' ? '' : `${progress}${typeof total === 'number' ? ` of ${total}` : ''}`;
  return [`calling ${name}`, share, typeof message === 'string' ? message : ''].filter(Boolean).join(': ');
}

interface AnswerContext {
  readonly name: string;
  readonly isJson: boolean;
}

function writeAnswer(answer: ToolAnswer, { name, isJson }: AnswerContext, { out, err }: Cli): number {
  const json = decodeText(answer.json.bytes, answer.json.start, answer.json.end);
  const failure = failureOf(answer);
  // Enforced, they are the answer itself.
  for (const { path, message } of failure ? [] : answer.violations) {
    const text = `the result breaks the tool's outputSchema: ${path}: ${message}`;
    err.write(`${err.colors.yellow('warning:')} ${oneLine(text)}\n`);
  }
  const screen = failure ? err : out;
  if (isJson) out.write(`${answer.kind === 'error' ? `{"error":${json}}` : json}\n`);
  else {
    const text = answer.kind === 'error' ? errorText(json) : resultText(json);
    if (failure) err.write(`${err.colors.red(err.colors.bold('error:'))} ${oneLine(name)} ${failure.says}\n`);
    screen.write(screen.isTerminal ? printable(text) : text);
  }
  return failure?.exit ?? 0;
}

function failureOf({
  kind,
  isError,
  violations,
}: ToolAnswer): { readonly exit: number; readonly says: string } | undefined {
  if (kind === 'error') return { exit: EXIT_TOOL_ERROR, says: 'was answered with an error of JSON-RPC:' };
  if (!isError) return undefined;
  if (violations.length > 0)
    return { exit: EXIT_OUTPUT_VIOLATION, says: 'answered with what its schema does not allow:' };
  return { exit: EXIT_TOOL_ERROR, says: 'answered with an error:' };
}

function errorText(json: string): string {
  const { code, message } = JSON.parse(json) as { readonly code?: unknown; readonly message?: unknown };
  return `${typeof message === 'string' ? message : json} (${code})\n`;
}
