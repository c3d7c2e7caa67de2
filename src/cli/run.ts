import { CallSignal, DoorError } from '../base/index.js';
import { type Cli, Interrupted } from './cli.js';
import { atCommandLine } from './command-hint.js';
import { leaveSoon } from './leave-soon.js';
import { type Invocation, parseCommandLine, type Run } from './parse-command-line.js';
import { reportError } from './report-error.js';
import { type Screen, screenOf } from './screen.js';
import { usageError } from './usage-error.js';
import { VERSION } from './version.js';

const EXIT_INTERRUPTED = 130;

/** Runs the command line of this process and leaves its exit code. */
export async function runProcess(): Promise<void> {
  const words = process.argv.slice(2);
  const signal = new CallSignal();
  // Nobody reads any more (`doorward tools | head`): that is no failure, there is just nothing left to do. Whatever else
  // keeps the output from being written (a full disk) is.
  let unwritten: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    unwritten ??= error;
    signal.abort(new Interrupted('the output cannot be written'));
  });
  process.stderr.on('error', () => {});
  const code = await run(words, processCli(signal, holdSignals(signal)));
  const isFailure = unwritten !== undefined && unwritten.code !== 'EPIPE';
  if (isFailure) process.stderr.write(`error: the output cannot be written: ${unwritten?.message}\n`);
  process.exitCode = isFailure ? 1 : unwritten !== undefined && code === EXIT_INTERRUPTED ? 0 : code;
  // A reader that is slow gets a command's whole output, but not against a signal.
  if (signal.aborted) leaveSoon();
}

/**
 * The first signal ends the command in good order; the second one at once, and its servers with it.
 *
 * @returns a function for a command that ends by itself: it gives the signals back
 */
function holdSignals(signal: CallSignal): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (name: NodeJS.Signals): void => {
    if (signal.aborted) void killAndExit();
    signal.abort(new Interrupted(`ended by ${name}`));
  };
  for (const name of names) process.on(name, onSignal);
  return () => {
    for (const name of names) process.off(name, onSignal);
  };
}

async function killAndExit(): Promise<never> {
  const { killGroups } = await import('../runtime/node/index.js');
  killGroups();
  process.exit(EXIT_INTERRUPTED);
}

function processCli(signal: CallSignal, releaseSignals: () => void): Cli {
  const environment = process.env;
  return {
    environment,
    cwd: process.cwd(),
    out: screenOf(process.stdout, environment),
    err: screenOf(process.stderr, environment),
    signal,
    releaseSignals,
    readStdin,
    createGateway: async (options) => {
      const { createGateway } = await import('../gateway/index.js');
      return createGateway(options);
    },
  };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** Runs one command line. Never throws. @returns the exit code */
export async function run(words: readonly string[], cli: Cli): Promise<number> {
  let invocation: Invocation;
  try {
    invocation = parseCommandLine(words);
  } catch (thrown) {
    const own = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
    return reportError(thrown, cli, { isJson: own.includes('--json') });
  }
  try {
    if (invocation.kind === 'version') return showVersion(cli.out);
    if (invocation.kind === 'help') return await showHelp(invocation.about, words, cli);
    return await runCommand(invocation, cli);
  } catch (thrown) {
    if (thrown instanceof Interrupted) return EXIT_INTERRUPTED;
    const has = (option: string): boolean => invocation.kind === 'run' && invocation.options.has(option);
    const failure =
      thrown instanceof DoorError && invocation.kind === 'run' ? atCommandLine(thrown, invocation) : thrown;
    return reportError(failure, cli, { isJson: has('json'), isVerbose: has('verbose') });
  }
}

function showVersion(out: Screen): number {
  out.write(`${VERSION}\n`);
  return 0;
}

type About = Extract<Invocation, { readonly kind: 'help' }>['about'];

async function showHelp(about: About, words: readonly string[], { out }: Cli): Promise<number> {
  // A client that forgot the command must not be sent prose as if it were messages.
  if (words.length === 0 && !out.isTerminal && !process.stdin.isTTY) {
    throw usageError('no command was given', 'For an MCP client, write doorward stdio. See doorward --help.');
  }
  const { commandHelp, groupHelp, mainHelp } = await import('./help-text.js');
  const text =
    about === undefined ? mainHelp(VERSION) : typeof about === 'string' ? groupHelp(about) : commandHelp(about);
  out.write(text);
  return 0;
}

/** Each command is loaded at use: none pays for another. */
async function runCommand(run: Run, cli: Cli): Promise<number> {
  switch (run.command.name) {
    case 'stdio':
      return (await import('./commands/stdio.js')).runStdio(run, cli);
    case 'serve':
      return (await import('./commands/serve.js')).runServe(run, cli);
    case 'tools':
      return (await import('./commands/tools.js')).runTools(run, cli);
    case 'call':
      return (await import('./commands/call.js')).runCall(run, cli);
    case 'check':
      return (await import('./commands/check.js')).runCheck(run, cli);
    case 'login':
      return (await import('./commands/login.js')).runLogin(run, cli);
    case 'logout':
      return (await import('./commands/logout.js')).runLogout(run, cli);
    case 'auth status':
      return (await import('./commands/auth-status.js')).runAuthStatus(run, cli);
    case 'validate':
      return withAuthor(cli, async (hosted) => (await import('./commands/validate.js')).runValidate(run, hosted));
    case 'docs':
      return withAuthor(cli, async (hosted) => (await import('./commands/docs.js')).runDocs(run, hosted));
    case 'openapi':
      return withAuthor(cli, async (hosted) => (await import('./commands/openapi.js')).runOpenapi(run, hosted));
    case 'manifest':
      return withAuthor(cli, async (hosted) => (await import('./commands/manifest.js')).runManifest(run, hosted));
    case 'workflow':
      return withAuthor(cli, async (hosted) => (await import('./commands/workflow.js')).runWorkflow(run, hosted));
    case 'release':
      return (await import('./commands/release.js')).runRelease(run, cli);
    case 'client list':
      return (await import('./commands/client-list.js')).runClientList(run, cli);
    case 'client add':
    case 'init-client':
      return (await import('./commands/client-add.js')).runClientAdd(run, cli);
    case 'import':
      return (await import('./commands/import.js')).runImport(run, cli);
    case 'config validate':
      return (await import('./commands/config-validate.js')).runConfigValidate(run, cli);
    case 'config trust':
      return (await import('./commands/config-trust.js')).runConfigTrust(run, cli);
    default:
      return (await import('./commands/config-path.js')).runConfigPath(run, cli);
  }
}

/** Commands that run what an author wrote. */
async function withAuthor(cli: Cli, task: (hosted: Cli) => Promise<number>): Promise<number> {
  const { hostAuthor } = await import('./host-author.js');
  return hostAuthor(cli, task);
}
