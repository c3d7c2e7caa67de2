import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from 'node:process';
import { type Environment, loadClients } from '../../config/index.js';
import type { Cli } from '../cli.js';
import type { Run } from '../parse-command-line.js';
import { cut } from '../screen.js';
import type { ClientSpec, Clients } from './clients.js';

/** `doorward client list`: the table of clients, as this machine sees it. */
export async function runClientList({ options }: Run, cli: Cli): Promise<number> {
  const clients = await loadClients();
  const rows = clients.CLIENTS.map((client) => rowOf(client, clients, cli));
  if (options.has('json')) {
    cli.out.write(`${JSON.stringify({ clients: rows.map(({ line: _, ...row }) => row) })}\n`);
    return 0;
  }
  const columns = [0, 1, 2, 3].map((at) => Math.max(...rows.map(({ line }) => line[at]!.length)));
  for (const { line } of rows) {
    const text = line.map((cell, at) => cell.padEnd(columns[at] ?? 0)).join('  ');
    cli.out.write(`${cut(text, cli.out.columns).trimEnd()}\n`);
  }
  return 0;
}

function rowOf(client: ClientSpec, clients: Clients, { environment, cwd }: Cli) {
  const machine = { os: clients.osOf(platform), environment };
  const { id, title, format, aliases = [], remote, secrets, link, ownCommand, sources, notes = [] } = client;
  const files = clients.scopesOf(client).map((scope) => {
    const paths = clients.candidatesFor(client, scope, machine).map((path) => ({ path, full: resolve(cwd, path) }));
    const found = paths.find(({ full }) => existsSync(full));
    return { scope, path: (found ?? paths[0])?.path ?? null, isThere: found !== undefined };
  });
  const hasRemote = clients.isRemoteShape(remote);
  const modes = ['stdio', ...(hasRemote ? ['http'] : []), 'local'];
  const places = files.map(({ path, isThere }) => `${shortened(path, environment)}${isThere ? ' *' : ''}`);
  return {
    id,
    title,
    aliases,
    format,
    modes,
    files,
    root: client.roots[0]!,
    secrets: secrets.dialect,
    ...(!hasRemote && { instead: remote.instead }),
    ...(link && { link }),
    ...(ownCommand && { ownCommand }),
    sources,
    notes,
    line: [id, title, format, modes.join(' '), places.length === 0 ? '(in its window)' : places.join(', ')],
  };
}

function shortened(path: string | null, { HOME }: Environment): string {
  if (path === null) return '(no home)';
  return HOME && path.startsWith(`${HOME}/`) ? `~${path.slice(HOME.length)}` : path;
}
