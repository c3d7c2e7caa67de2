import {
  cachedInstructions,
  FileCatalogCache,
  gatewayLimitsOf,
  isRemoteNamed,
  logEvents,
  mountsOf,
  refuseNesting,
  runStdioDoor,
} from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { leaveSoon } from '../leave-soon.js';
import { loadConfig } from '../load-config.js';
import { logConfig } from '../log-config.js';
import { type LogOptions, readLogOptions } from '../log-options.js';
import { logScreen } from '../log-screen.js';
import { openGateway } from '../open-gateway.js';
import type { Run } from '../parse-command-line.js';
import { writeError } from '../report-error.js';
import { VERSION } from '../version.js';

/** `doorward stdio`: serves until the caller leaves or a signal comes. */
export async function runStdio(run: Run, cli: Cli): Promise<number> {
  try {
    const log = readLogOptions(run, cli);
    // A client may never read our stderr, and we serve for days.
    return await serve(run, { ...cli, err: logScreen(cli.err, log.format) }, log);
  } finally {
    leaveSoon();
  }
}

async function serve(run: Run, cli: Cli, log: LogOptions): Promise<number> {
  refuseNesting(cli.environment);
  const hasRemote = !run.options.has('no-remote');
  const loaded = await loadConfig(run, cli, { isOptional: () => hasRemote && isRemoteNamed(cli) });
  logConfig(loaded, cli, log);
  if (process.stdin.isTTY) {
    cli.err.write('doorward: an MCP client speaks on this terminal; Ctrl-C ends it. By hand, try: doorward tools\n');
  }
  cli.releaseSignals?.();
  const meta = loaded.config.ownTools ? (await import('../own/meta.js')).OWN_META : undefined;
  const end = await runStdioDoor({
    limits: gatewayLimitsOf(loaded.config),
    info: { name: 'doorward', title: 'doorward', version: VERSION },
    ...(meta && { meta }),
    instructions: (declared) => {
      const { config, folder } = loaded;
      const cache = new FileCatalogCache({ environment: cli.environment });
      return cachedInstructions(cache, mountsOf(config, { folder }), declared);
    },
    open: async () => {
      const isVerbose = run.options.has('verbose');
      const gateway = await openGateway(loaded, cli, { isVerbose, isOneShot: false, hasRemote });
      logEvents(gateway.events, { ...log, stream: cli.err });
      return gateway;
    },
  });
  if (end.kind === 'broken') writeError(end.reason, cli.err);
  return end.kind === 'broken' ? 1 : 0;
}
