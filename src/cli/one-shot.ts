import { DoorError } from '../base/index.js';
import { type Problem, quoted } from '../config/index.js';
import type { Gateway, UpstreamStatus } from '../gateway/index.js';
import { logEvents } from '../runtime/node/index.js';
import { findCallTarget } from './call-target.js';
import type { Cli } from './cli.js';
import { nextCommand } from './command-hint.js';
import { readDuration } from './duration.js';
import { type LoadedConfig, loadConfig } from './load-config.js';
import { logScreen } from './log-screen.js';
import { openGateway } from './open-gateway.js';
import type { Run } from './parse-command-line.js';
import { writePassedOver, writeProblem } from './report-error.js';
import { SignOfLife } from './sign-of-life.js';
import { unknownServer } from './unknown-server.js';

/** What a command that asks servers something, and ends, works with. */
export interface OneShot {
  readonly gateway: Gateway;
  readonly loaded: LoadedConfig;
  readonly life: SignOfLife;
}

/** Loads the configuration, runs `task` before a gateway that has started nothing yet, and ends whatever was started. */
export async function runOneShot(run: Run, cli: Cli, task: (shot: OneShot) => Promise<number>): Promise<number> {
  // Whatever is wrong on the command line is found before a server is started.
  const startTimeoutMs = readTimeout(run);
  const loaded = await loadConfig(run, cli);
  for (const error of loaded.refused) writePassedOver(error, String(loaded.file?.path), cli.err);
  const isVerbose = run.options.has('verbose');
  const start = startTimeoutMs === undefined ? {} : { startTimeoutMs };
  const log = logScreen(cli.err, 'text');
  const gateway = await openGateway(loaded, { ...cli, err: log }, { ...start, isVerbose, isOneShot: true });
  if (isVerbose) logEvents(gateway.events, { format: 'text', level: 'info', stream: log });
  try {
    return await task({ gateway, loaded, life: new SignOfLife(cli.err) });
  } finally {
    await gateway.close();
  }
}

/** What `--timeout` says, in milliseconds. @throws {DoorError} `CONFIG_INVALID` where it is no time */
export function readTimeout({ options }: Run): number | undefined {
  const text = options.get('timeout');
  return typeof text === 'string' ? readDuration(text, '--timeout') : undefined;
}

/** Shows what is wrong with the file and with the servers in question. Their errors are shown by who needs them. */
export function writeProblems({ config }: LoadedConfig, servers: readonly string[], cli: Cli): void {
  const isWanted = (problem: Problem): boolean =>
    problem.severity === 'warning' && (problem.server === undefined || servers.includes(problem.server));
  for (const problem of config.problems.filter(isWanted)) writeProblem(problem, cli.err);
}

/** The ids of the servers that are not switched off. */
export function serverIds({ config }: LoadedConfig): readonly string[] {
  return config.servers.filter(({ kind }) => kind !== 'disabled').map(({ id }) => id);
}

/** The servers that a SERVER operand names: one, or all where there is none. */
export function chooseServers(loaded: LoadedConfig, operand: string | undefined, run: Run): readonly string[] {
  if (operand === undefined) return serverIds(loaded).filter((id) => id !== '');
  if (run.target) {
    throw unknownServer(operand, [], 'The server after -- is the only one; leave SERVER out.');
  }
  const ids = loaded.config.servers.map(({ id }) => id);
  const meant = ids.includes(operand) ? undefined : findCallTarget(operand, ids);
  if (meant) {
    // After a call that was refused this is what one types next.
    const line = nextCommand(run, run.command.name, meant.server, ...(run.options.has('schema') ? ['--schema'] : []));
    throw unknownServer(operand, ids, `Name the server alone: ${line}`);
  }
  return [getServer(loaded, operand)];
}

/** @throws {DoorError} `CONFIG_INVALID` where no server has this id, or it is switched off */
export function getServer({ config }: LoadedConfig, id: string): string {
  const server = config.servers.find((candidate) => candidate.id === id);
  if (server?.kind === 'disabled') {
    throw new DoorError('CONFIG_INVALID', `the server ${quoted(id)} is switched off`, {
      data: { server: id },
      hint: 'Remove "enabled": false from its entry.',
    });
  }
  if (!server)
    throw unknownServer(
      id,
      config.servers.map((candidate) => candidate.id),
    );
  return id;
}

/**
 * Starts servers and waits until each has listed its tools or failed. One that fails costs only itself.
 *
 * @param settled hears of each as it comes, in whatever order
 */
export async function settle(
  { gateway, life }: OneShot,
  servers: readonly string[],
  { signal }: Cli,
  settled?: (status: UpstreamStatus) => void,
): Promise<readonly UpstreamStatus[]> {
  const waiting = new Set(servers);
  const say = (): string => `waiting for ${[...waiting].join(', ')}`;
  const all = servers.map(async (server) => {
    const status = await gateway.whenSettled(server, { signal });
    waiting.delete(server);
    life.say(say());
    settled?.(status);
    return status;
  });
  return life.during(Promise.all(all), say());
}
