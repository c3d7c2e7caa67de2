import {
  cachedInstructions,
  FileCatalogCache,
  gatewayLimitsOf,
  jsonLogLine,
  logEvents,
  mountsOf,
  serveHttp,
} from '../../runtime/node/index.js';
import { BUILT_AT } from '../built-at.js';
import type { Cli } from '../cli.js';
import { leaveSoon } from '../leave-soon.js';
import { loadConfig } from '../load-config.js';
import { logConfig } from '../log-config.js';
import { type LogOptions, readLogOptions } from '../log-options.js';
import { logScreen } from '../log-screen.js';
import { openGateway } from '../open-gateway.js';
import { IDENTITY } from '../own/identity.js';
import type { Run } from '../parse-command-line.js';
import type { Screen } from '../screen.js';
import { VERSION } from '../version.js';

const DRAINING = 'ending: what is under way has 15 s, a second signal ends at once';

/** `doorward serve`: serves over HTTP until a signal comes. */
export async function runServe(run: Run, cli: Cli): Promise<number> {
  try {
    const log = logOptionsOf(run, cli);
    return await serve(run, { ...cli, err: logScreen(cli.err, log.format) }, log);
  } finally {
    leaveSoon();
  }
}

async function serve(run: Run, cli: Cli, log: LogOptions): Promise<number> {
  const loaded = await loadConfig(run, cli);
  const { config, folder } = loaded;
  logConfig(loaded, cli, log);
  cli.releaseSignals?.();
  const meta = config.ownTools ? (await import('../own/meta.js')).OWN_META : undefined;
  const contract = config.ownTools ? (await import('../own/contract.js')).contract : undefined;
  const cache = new FileCatalogCache({ environment: cli.environment });
  await serveHttp({
    identity: IDENTITY,
    ...(BUILT_AT !== undefined && { builtAt: BUILT_AT }),
    ...(contract && { contract }),
    http: config.http,
    limits: gatewayLimitsOf(config),
    info: { name: 'doorward', title: 'doorward', version: VERSION },
    ...(meta && { meta }),
    instructions: (declared) => cachedInstructions(cache, mountsOf(config, { folder }), declared),
    environment: cli.environment,
    open: async () => {
      const gateway = await openGateway(loaded, cli, { isVerbose: run.options.has('verbose'), isOneShot: false });
      logEvents(gateway.events, { ...log, stream: cli.err });
      return gateway;
    },
    listening: (url) => tell('door.listening', `listening on ${url}`, { ...log, err: cli.err, facts: { url } }),
    draining: () => tell('door.draining', DRAINING, { ...log, err: cli.err }),
  });
  return 0;
}

/** Whoever wants JSON wants it in the log too, which is all that serving says. */
function logOptionsOf(run: Run, cli: Cli): LogOptions {
  const log = readLogOptions(run, cli);
  return run.options.has('json') ? { ...log, format: 'json' } : log;
}

interface Telling extends LogOptions {
  readonly err: Screen;
  readonly facts?: object;
}

/** What whoever started us waits for: shown at every log level. */
function tell(event: string, sentence: string, { err, format, facts }: Telling): void {
  const text = `doorward: ${sentence}`;
  err.write(`${format === 'json' ? jsonLogLine('info', event, { ...facts, text }) : text}\n`);
}
