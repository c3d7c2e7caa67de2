import { platform } from 'node:process';
import { DoorError } from '../../base/index.js';
import { loadClients, type Problem, quoted } from '../../config/index.js';
import { loadClientFiles } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { oneLine, type Screen } from '../screen.js';
import { usageError } from '../usage-error.js';
import { type WantedServer, wantedServer } from './client-entry.js';
import { type ClientSpec, type Clients, getClient } from './clients.js';

type Scope = 'project' | 'user';
type Written = Extract<ReturnType<Clients['writeEntry']>, { readonly value: unknown }>;

/** `doorward client add CLIENT`, and `doorward init-client CLIENT`: puts an entry into the client's file. */
export async function runClientAdd(run: Run, cli: Cli): Promise<number> {
  const clients = await loadClients();
  const client = getClient(run.operands[0]!, clients);
  const server = wantedServer(run, cli, clients);
  const scope = scopeOf(run, client, clients);
  const written = spell({ run, cli, client, server, scope, clients });
  const report: Report = { run, cli, clients, client, scope, server, written, notes: notesOf(client, server, written) };
  return run.options.has('print') ? print(report) : write(report);
}

interface Report {
  readonly run: Run;
  readonly cli: Cli;
  readonly clients: Clients;
  readonly client: ClientSpec;
  readonly scope: Scope;
  readonly server: WantedServer;
  readonly written: Written;
  readonly notes: readonly string[];
}

function scopeOf({ options }: Run, client: ClientSpec, { scopesOf }: Clients): Scope {
  const scopes = scopesOf(client);
  const given = options.get('scope');
  if (given !== undefined && given !== 'project' && given !== 'user') {
    throw usageError(`--scope is ${quoted(String(given))}`, 'Write project or user.');
  }
  if (scopes.length === 0 && !options.has('print')) {
    throw new DoorError('CONFIG_INVALID', `${client.title} keeps its servers in no file that can be written`, {
      hint: `${client.notes?.[0] ?? ''} Print the block with --print.`.trim(),
    });
  }
  if (given !== undefined && scopes.length > 0 && !scopes.includes(given)) {
    throw usageError(`${client.title} has no file of a ${given}`, `Leave --scope out: its file is the ${scopes[0]}'s.`);
  }
  return given ?? scopes[0] ?? 'user';
}

/** @throws {DoorError} `CONFIG_INVALID` with every reason why the client cannot be given this */
function spell({ run, cli, client, server, scope, clients }: Omit<Report, 'written' | 'notes'>): Written {
  const { environment } = cli;
  const literalSecrets = run.options.has('literal-secrets') ? (name: string) => environment[name] : undefined;
  const written = clients.writeEntry(server.entry, { client, scope, name: server.name, literalSecrets });
  if ('value' in written) return written;
  const [first] = written;
  const more = written.length > 1 ? ` (and ${written.length - 1} more)` : '';
  const problems = written.map(({ message, hint }): Problem => {
    return { severity: 'error', kind: 'not-supported', path: '', field: '', message, hint };
  });
  throw new DoorError('CONFIG_INVALID', `${first!.message}${more}`, {
    data: { client: client.id, reason: first!.kind, problems },
    hint: first!.hint,
  });
}

/** What the table does not vouch for, of the parts that are used here; and what was left out. */
function notesOf({ title, secrets, sources, notes = [] }: ClientSpec, { mode }: WantedServer, written: Written) {
  const used = [
    ['where its file lies', sources.files],
    ['the shape of the entry', mode === 'http' ? sources.remote : sources.stdio],
    ...(written.variables.length > 0 ? ([['how it refers to variables', sources.secrets]] as const) : []),
  ] as const;
  const doubts = used.flatMap(([what, source]) =>
    'unverified' in source ? [`${title}: ${what} was not verified (${source.unverified})`] : [],
  );
  const advice = written.variables.length > 0 && secrets.note !== undefined ? [secrets.note] : [];
  return [...written.losses, ...doubts, ...advice, ...notes];
}

/** Shows the block as a file that held nothing else would have it. */
function print({ run, cli, clients, client, scope, server, written, notes }: Report): number {
  const { seed: _, ...plain } = client;
  const fresh = { client: plain, fileName: client.id, bytes: undefined, name: server.name, value: written.value };
  const block = new TextDecoder().decode(clients.upsertEntry({ ...fresh, inputs: written.inputs }).bytes);
  const place = clients.candidatesFor(client, scope, machineOf(cli, clients))[0];
  const link = linkOf({ clients, client, server, written });
  if (run.options.has('json')) {
    const facts = { client: client.id, scope, mode: server.mode, name: server.name, file: place ?? null };
    cli.out.write(`${JSON.stringify({ ...facts, format: client.format, block, ...(link && { link }), notes })}\n`);
    return 0;
  }
  cli.out.write(block);
  if (place !== undefined) cli.err.write(`goes into ${place}\n`);
  if (link !== undefined) cli.err.write(`or open ${link}\n`);
  writeNotes(notes, cli.err);
  return 0;
}

async function write(report: Report): Promise<number> {
  const { run, cli, clients, client, scope, server, written, notes } = report;
  const { findClientFile, changeClientFile } = await loadClientFiles();
  const path = findClientFile(clients.candidatesFor(client, scope, machineOf(cli, clients)), cli.cwd);
  if (path === undefined) {
    throw new DoorError('CONFIG_INVALID', 'there is no home to look for the file in', { hint: 'Set HOME.' });
  }
  const { name } = server;
  const { value, inputs } = written;
  let change: keyof typeof DONE = 'unchanged';
  const backup = await changeClientFile({
    path,
    project: scope === 'project' ? cli.cwd : undefined,
    isPrivate: scope === 'user' || written.holdsSecret,
    change: (old) => {
      const upserted = clients.upsertEntry({ client, fileName: path, bytes: old, name, value, inputs });
      change = upserted.change;
      return change === 'unchanged' ? undefined : upserted.bytes;
    },
  });
  if (run.options.has('json')) {
    const facts = { client: client.id, scope, mode: server.mode, name, file: path, change, backup: backup ?? null };
    cli.out.write(`${JSON.stringify({ ...facts, notes })}\n`);
    return 0;
  }
  cli.out.write(`${DONE[change]} ${name} in ${path}\n`);
  if (backup !== undefined) cli.err.write(`the old file is ${backup}\n`);
  if (change !== 'unchanged') writeNotes(notes, cli.err);
  return 0;
}

const DONE = { created: 'added', added: 'added', updated: 'changed', unchanged: 'nothing to change:' } as const;

function machineOf({ environment }: Cli, { osOf }: Clients) {
  return { os: osOf(platform), environment };
}

/** No link is made of what holds a secret: links are passed on. */
function linkOf({ clients, client, server, written }: Pick<Report, 'clients' | 'client' | 'server' | 'written'>) {
  if (written.holdsSecret) return undefined;
  return clients.installLink(client, { name: server.name, value: written.value })?.url;
}

function writeNotes(notes: readonly string[], err: Screen): void {
  for (const note of notes) err.write(`${err.colors.dim('note:')}  ${oneLine(note)}\n`);
}
