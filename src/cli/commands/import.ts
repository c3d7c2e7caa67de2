import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from 'node:process';
import { DoorError, toDoorError } from '../../base/index.js';
import { loadClients, userFolder } from '../../config/index.js';
import { loadClientFiles } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { errorAsJson, writeError } from '../report-error.js';
import { oneLine } from '../screen.js';
import { usageError } from '../usage-error.js';
import { type Clients, getClient } from './clients.js';

interface TakenServer {
  readonly name: string;
  readonly file: string;
  readonly client: string | undefined;
  readonly value: ReturnType<Clients['doorwardEntry']>['value'];
  /** Whether it starts doorward, which would start itself without end if it were in its own configuration. */
  readonly isItself: boolean;
}

const ITSELF = 'is doorward itself, and no server for doorward.json: it would start itself again and again';

interface Finding {
  readonly file: string;
  readonly server: string;
  readonly field?: string;
  readonly message: string;
}

/** What came of all files: servers to take over, fields that are lost, servers that are left out and why. */
interface Harvest {
  readonly servers: Map<string, TakenServer>;
  readonly losses: Finding[];
  readonly skipped: Finding[];
  readonly errors: { readonly file: string; readonly error: DoorError }[];
  hasFault: boolean;
}

/** `doorward import FILE...`: other clients' servers as a block of our own configuration. */
export async function runImport(run: Run, cli: Cli): Promise<number> {
  const clients = await loadClients();
  const files = await filesOf(run, cli, clients);
  const harvest: Harvest = { servers: new Map(), losses: [], skipped: [], errors: [], hasFault: false };
  for (const file of files) await readFile(file, { run, clients, harvest });
  const written = run.options.has('write') ? await writeServers(run, cli, clients, harvest) : undefined;
  report({ run, cli, harvest, written });
  return harvest.hasFault || harvest.errors.length > 0 ? 2 : 0;
}

/** The files that are named; without any, those that `--from` keeps here. */
async function filesOf({ operands, options }: Run, { cwd, environment }: Cli, clients: Clients) {
  if (operands.length > 0) return operands.map((name) => ({ name, path: resolve(cwd, name) }));
  const from = options.get('from');
  if (from === undefined) throw usageError('import needs a file', 'Name a file, or a client with --from.');
  const client = getClient(String(from), clients);
  const machine = { os: clients.osOf(platform), environment };
  const places = clients.scopesOf(client).flatMap((scope) => clients.candidatesFor(client, scope, machine));
  const found = places.map((name) => ({ name, path: resolve(cwd, name) })).filter(({ path }) => existsSync(path));
  if (found.length > 0) return found;
  throw new DoorError('CONFIG_INVALID', `${client.title} has no file here`, {
    data: { client: client.id, looked: places },
    hint: 'Name the file.',
  });
}

interface Reading {
  readonly run: Run;
  readonly clients: Clients;
  readonly harvest: Harvest;
}

async function readFile({ name, path }: { readonly name: string; readonly path: string }, reading: Reading) {
  const { run, clients, harvest } = reading;
  const from = run.options.get('from');
  const client = from === undefined ? undefined : getClient(String(from), clients);
  try {
    const { readClientFile } = await loadClientFiles();
    const { bytes } = readClientFile(path);
    if (bytes === undefined) {
      throw new DoorError('CONFIG_INVALID', `there is no ${name}`, {
        data: { file: name },
        hint: 'Name another file.',
      });
    }
    take(clients.importFile({ name, bytes, client }), reading);
  } catch (thrown) {
    harvest.errors.push({ file: name, error: toDoorError(thrown) });
  }
}

function take(
  { file, client, servers, skipped }: ReturnType<Clients['importFile']>,
  { run, clients, harvest }: Reading,
) {
  for (const { name, reason, isFault } of skipped) {
    harvest.skipped.push({ file, server: name, message: reason });
    harvest.hasFault ||= isFault;
  }
  const literalSecrets = run.options.has('literal-secrets');
  for (const { name, entry, losses } of servers) {
    const { value, losses: secrets } = clients.doorwardEntry(entry, { server: name, literalSecrets });
    const first = harvest.servers.get(name);
    if (first === undefined) {
      harvest.servers.set(name, { name, file, client, value, isItself: clients.isDoorward(entry) });
    } else if (!clients.isEqual(first.value, value)) {
      harvest.skipped.push({ file, server: name, message: `another server of that name is in ${first.file}` });
      harvest.hasFault = true;
      continue;
    }
    for (const loss of [...losses, ...secrets]) harvest.losses.push({ file, server: name, ...loss });
  }
}

interface WrittenServers {
  readonly file: string;
  readonly added: readonly string[];
  readonly backup: string | undefined;
}

/** Adds what is not there yet. A server of the same name stays as it is: it is the user's. */
async function writeServers(run: Run, cli: Cli, clients: Clients, harvest: Harvest): Promise<WrittenServers> {
  const { findClientFile, changeClientFile } = await loadClientFiles();
  const path = findClientFile(ownFiles(run, cli), cli.cwd)!;
  let merged: MergedServers = { added: [], skipped: [] };
  const backup = await changeClientFile({
    path,
    isPrivate: true,
    change: (bytes) => {
      const open = clients.openFile({ format: 'jsonc', name: path, bytes });
      merged = mergeServers(open, path, harvest, clients);
      return merged.added.length > 0 ? open.bytes() : undefined;
    },
  });
  for (const { isFault, ...skipped } of merged.skipped) {
    harvest.skipped.push(skipped);
    harvest.hasFault ||= isFault;
  }
  return { file: path, added: merged.added, backup };
}

interface MergedServers {
  readonly added: readonly string[];
  readonly skipped: readonly (Harvest['skipped'][number] & { readonly isFault: boolean })[];
}

function mergeServers(
  open: ReturnType<Clients['openFile']>,
  path: string,
  { servers }: Harvest,
  { valueAt, isEqual }: Clients,
): MergedServers {
  const added: string[] = [];
  const skipped: MergedServers['skipped'][number][] = [];
  for (const { name, value, file, isItself } of servers.values()) {
    if (isItself) {
      skipped.push({ file, server: name, message: ITSELF, isFault: false });
      continue;
    }
    const now = ['mcpServers', 'servers'].map((root) => valueAt(open.value, [root, name]));
    const there = now.find((entry) => entry !== undefined);
    if (there === undefined) {
      open.set(['mcpServers', name], value);
      added.push(name);
      continue;
    }
    const isSame = isEqual(there, value);
    const message = isSame ? `is in ${path} already` : `another server of that name is in ${path}, and stays`;
    skipped.push({ file, server: name, message, isFault: !isSame });
  }
  return { added, skipped };
}

function ownFiles({ options }: Run, { environment }: Cli): readonly string[] {
  const named = options.get('config') ?? environment.DOORWARD_CONFIG;
  if (named) return [String(named)];
  const folder = userFolder(environment, 'XDG_CONFIG_HOME', '.config');
  if (folder !== undefined) return ['doorward.json', 'doorward.jsonc'].map((name) => `${folder}/${name}`);
  throw new DoorError('CONFIG_INVALID', 'there is no home for a configuration', { hint: 'Name a file with --config.' });
}

interface Outcome {
  readonly run: Run;
  readonly cli: Cli;
  readonly harvest: Harvest;
  readonly written: WrittenServers | undefined;
}

function report({ run, cli, harvest, written }: Outcome): void {
  const { losses, skipped, errors } = harvest;
  const servers = [...harvest.servers.values()];
  const mcpServers = Object.fromEntries(servers.map(({ name, value }) => [name, value]));
  if (run.options.has('json')) {
    const imported = servers.map(({ name, file, client }) => ({ name, file, client: client ?? null }));
    const failed = errors.map(({ file, error }) => ({ file, error: errorAsJson(error) }));
    const facts = { mcpServers, imported, losses, skipped, failed, ...(written && { written }) };
    cli.out.write(`${JSON.stringify(facts)}\n`);
    return;
  }
  for (const { error } of errors) writeError(error, cli.err);
  const { yellow } = cli.err.colors;
  const shown = written === undefined ? servers.filter(({ isItself }) => isItself) : [];
  const itself = shown.map(({ file, name }) => ({ file, server: name, field: undefined, message: ITSELF }));
  for (const { file, server, field, message } of [...skipped, ...itself, ...losses]) {
    const where = field === undefined ? server : `${server}: ${field}`;
    cli.err.write(`${yellow('warning:')} ${oneLine(`${file}: ${where}: ${message}`)}\n`);
  }
  if (written === undefined) {
    if (servers.length > 0 || errors.length === 0) cli.out.write(`${JSON.stringify({ mcpServers }, null, 2)}\n`);
    return;
  }
  for (const name of written.added) cli.out.write(`added ${name} to ${written.file}\n`);
  if (written.added.length === 0) cli.out.write(`nothing to add to ${written.file}\n`);
  if (written.backup !== undefined) cli.err.write(`the old file is ${written.backup}\n`);
}
