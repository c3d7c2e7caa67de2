import {
  cachedInstructions,
  FileCatalogCache,
  gatewayLimitsOf,
  jsonLogLine,
  logEvents,
  mountsOf,
  serveHttp,
} from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { leaveSoon } from '../leave-soon.js';
import { loadConfig } from '../load-config.js';
import { logConfig } from '../log-config.js';
import { type LogOptions, readLogOptions } from '../log-options.js';
import { logScreen } from '../log-screen.js';
import { openGateway } from '../open-gateway.js';
import type { Run } from '../parse-command-line.js';
import { VERSION } from '../version.js';

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
  const cache = new FileCatalogCache({ environment: cli.environment });
  await serveHttp({
    http: config.http,
    limits: gatewayLimitsOf(config),
    info: { name: 'doorward', title: 'doorward', version: VERSION },
    instructions: (declared) => cachedInstructions(cache, mountsOf(config, { folder }), declared),
    environment: cli.environment,
    open: async () => {
      const gateway = await openGateway(loaded, cli, { isVerbose: run.options.has('verbose'), isOneShot: false });
      logEvents(gateway.events, { ...log, stream: cli.err });
      return gateway;
    },
    listening: (url) => tellListening(url, cli, log),
  });
  return 0;
}

/** Whoever wants JSON wants it in the log too, which is all that serving says. */
function logOptionsOf(run: Run, cli: Cli): LogOptions {
  const log = readLogOptions(run, cli);
  return run.options.has('json') ? { ...log, format: 'json' } : log;
}

/** The one line that whoever started us waits for. */
function tellListening(url: string, { err }: Cli, { format }: LogOptions): void {
  const text = `doorward: listening on ${url}`;
  err.write(`${format === 'json' ? jsonLogLine('info', 'door.listening', { url, text }) : text}\n`);
}
