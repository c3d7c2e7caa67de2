import { toDoorError } from '../../base/index.js';
import type { Environment } from '../../config/index.js';
import {
  type AuthStatus,
  authStatusOf,
  GIVEN,
  hasOwnToken,
  isRemoteNamed,
  oauthServerOf,
  type RemoteStatus,
  remoteLoginCommand,
  remoteStatusOf,
  shownUrl,
} from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { nextCommand } from '../command-hint.js';
import { loadConfig } from '../load-config.js';
import type { Run } from '../parse-command-line.js';
import { readProgram } from '../remote-operand.js';
import { writeError } from '../report-error.js';
import { oneLine, type Screen } from '../screen.js';

interface Row {
  readonly server: string;
  readonly status: AuthStatus | { readonly state: 'header' } | { readonly state: 'open' };
  /** The command that logs in, of a remote. */
  readonly login?: string;
}

const MAX_ID = 32;

/** `doorward auth status`: where doorward is logged in. Asks nobody, and shows no token. */
export async function runAuthStatus(run: Run, cli: Cli): Promise<number> {
  const { environment } = cli;
  const program = readProgram(run);
  const isOptional = (): boolean => isRemoteNamed({ environment, program });
  const { config } = await loadConfig(run, cli, { isOptional });
  const remote = await findRemote(environment, program, cli);
  for (const entry of config.servers) if (entry.kind === 'broken') writeError(entry.error, cli.err);
  const servers = config.servers.flatMap((entry) => oauthServerOf(entry) ?? []);
  const rows = await Promise.all(
    servers.map(async (server): Promise<Row> => {
      // Its own token never runs out as far as we know, and a login would change nothing.
      const status = hasOwnToken(server) ? { state: 'header' as const } : await authStatusOf(server, cli.environment);
      return { server: server.id, status };
    }),
  );
  if (run.options.has('json')) {
    cli.out.write(`${JSON.stringify({ servers: rows.map(rowAsJson), ...(remote && remoteAsJson(remote)) })}\n`);
    return 0;
  }
  if (remote) {
    rows.unshift({
      server: shownUrl(remote.url),
      status: remote.status,
      login: remoteLoginCommand(remote.url, program),
    });
  }
  if (rows.length === 0) cli.err.write('No server is reached over HTTP: there is nothing to log in to.\n');
  const width = Math.min(MAX_ID, Math.max(0, ...rows.map(({ server }) => oneLine(server).length)));
  for (const row of rows) writeRow(row, { width, run, out: cli.out });
  return 0;
}

/** One that cannot be read costs only itself. */
async function findRemote(environment: Environment, program: string, { err }: Cli): Promise<RemoteStatus | undefined> {
  try {
    return await remoteStatusOf(environment, program);
  } catch (thrown) {
    writeError(toDoorError(thrown), err);
    return undefined;
  }
}

function remoteAsJson({ url, status }: RemoteStatus): object {
  const { server: _, ...facts } = rowAsJson({ server: '', status }) as { readonly server: string };
  return { remote: { url: shownUrl(url), ...facts } };
}

function rowAsJson({ server, status }: Row): object {
  if (status.state === 'header' || status.state === 'open') return { server, state: status.state };
  const { expiresAtMs, ...rest } = status;
  return { server, ...rest, ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }) };
}

interface Layout {
  readonly width: number;
  readonly run: Run;
  readonly out: Screen;
}

function writeRow({ server, status, login }: Row, { width, run, out }: Layout): void {
  out.write(`${oneLine(server).padEnd(width)}  ${stateText(status, out)}  ${factsText(status)}`.trimEnd().concat('\n'));
  const isWanted =
    status.state === 'needed' || status.state === 'expired' || ('wantedScope' in status && status.wantedScope);
  if (isWanted) out.write(`${' '.repeat(width)}  Run: ${login ?? nextCommand(run, 'login', server)}\n`);
}

/** As wide as the longest, so that what follows stands in one column. */
function stateText({ state }: Row['status'], { colors }: Screen): string {
  const text = state.padEnd('authorized'.length);
  if (state === 'authorized') return colors.green(text);
  return state === 'needed' || state === 'expired' ? colors.yellow(text) : colors.dim(text);
}

function factsText(status: Row['status']): string {
  if (status.state === 'header') return 'its entry names an Authorization header';
  if (status.state === 'open') return 'the remote; it asks nobody to log in';
  const { issuer, scope, expiresAtMs, wantedScope } = status;
  const parts = [
    issuer === GIVEN ? 'with a token that was handed over' : issuer,
    scope === undefined ? undefined : `for ${scope}`,
    expiresAtMs === undefined ? undefined : `until ${new Date(expiresAtMs).toISOString()}`,
    wantedScope === undefined ? undefined : `wanted: ${wantedScope}`,
  ];
  return oneLine(parts.filter((part) => part !== undefined).join(', '));
}
