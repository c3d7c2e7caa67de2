import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contract, listedDefinition, sliceContract } from '../../contract/index.js';
import { routeTable } from '../../discovery/index.js';
import type { LiveServer } from './live-server.js';
import { introduce, type ShownTool } from './peer.js';
import { openStdioPeer } from './stdio-peer.js';
import { compareSurfaces, compareTools } from './surfaces.js';
import { AUTHOR, type Check, type Finding, Skipped, type Subject } from './types.js';

const NO_SERVER = new Skipped('package.json names no doorward.implementation');

export const SURFACE_CHECKS: readonly Check[] = [
  {
    name: 'surfaces',
    about: 'every document shows what the running server lists',
    run: (subject) => forEachServer(subject, compareSurfaces),
  },
  {
    name: 'server-version',
    about: 'the running server says the version of package.json',
    run: (subject) => {
      const { version, name } = subject.project.packageJson;
      return forEachServer(subject, ({ introduction: { serverInfo } }) =>
        serverInfo.version === version
          ? []
          : [{ message: `${name}: initialize says ${String(serverInfo.version)}, package.json says ${version}` }],
      );
    },
  },
  {
    name: 'routes',
    about: 'every route that is served is described',
    run: (subject) => forEachServer(subject, compareRoutes),
  },
  {
    name: 'stdio',
    about: 'its stdio program lists the tools of the contract',
    run: checkStdio,
  },
];

async function forEachServer(
  subject: Subject,
  check: (live: LiveServer) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[] | Skipped> {
  const servers = await subject.live();
  if (servers.length === 0) return NO_SERVER;
  const findings = await Promise.all(
    servers.map(async (live) => {
      const found = await check(live);
      const place = live.deployment === undefined ? '' : `${live.deployment}: `;
      return found.map((finding) => ({ ...finding, message: `${place}${finding.message}` }));
    }),
  );
  return findings.flat();
}

/** What is mounted comes from the table, or somebody has gone round it. */
function compareRoutes({ server, url }: LiveServer): readonly Finding[] {
  const rows = routeTable({ path: new URL(url).pathname });
  const isSpecced = ({ method, path }: LiveServer['server']['routes'][number]): boolean =>
    rows.some((row) => row.path === path && (method === 'ALL' || row.method === method.toLowerCase()));
  return server.routes
    .filter((route) => !isSpecced(route))
    .map(({ method, path }) => ({
      message: `${method} ${path} is served, and the route table has no row for it`,
      hint: 'Make it a row of discovery/routes.ts.',
    }));
}

async function checkStdio({ project, environment }: Subject): Promise<readonly Finding[] | Skipped> {
  const { contract, folder, packageJson } = project;
  const args = stdioArguments(project);
  if (args === undefined) return new Skipped('package.json names no program: neither doorward.stdio nor bin');
  const place = `the program ${args.join(' ')}`;
  // A configuration of the user's own, or a remote, would show other tools than the project's.
  const home = mkdtempSync(join(tmpdir(), 'doorward-validate-'));
  let peer: Awaited<ReturnType<typeof openStdioPeer>> | undefined;
  try {
    peer = await openStdioPeer({ command: process.execPath, args, cwd: folder, env: cleared(environment, home) });
    const { serverInfo, tools } = await introduce(peer);
    const { version } = packageJson;
    return [
      ...(serverInfo.version === version
        ? []
        : [{ message: `${place} says version ${String(serverInfo.version)}, package.json says ${version}` }]),
      ...fewest(expectedLists(contract).map((own) => compareTools({ place, tools, members: MEMBERS }, own))),
    ];
  } catch (thrown) {
    return [{ message: `${place}: ${(thrown as Error).message}`, hint: 'Run it by hand: it must speak MCP on stdio.' }];
  } finally {
    await peer?.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** What it may list: all tools, or those of one deployment; which one it serves is for the program to say. */
function expectedLists(contract: Contract): readonly (readonly ShownTool[])[] {
  return [undefined, ...contract.deployments].map((deployment) => {
    const facts = { principal: AUTHOR, ...(deployment !== undefined && { deployment }) };
    return sliceContract(contract, facts).tools.map(asJson);
  });
}

function fewest(all: readonly (readonly Finding[])[]): readonly Finding[] {
  return all.reduce((best, each) => (each.length < best.length ? each : best));
}

const MEMBERS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'];

/** As it comes over the wire: without the members that are undefined. */
function asJson(tool: Contract['tools'][number]): ShownTool {
  return JSON.parse(JSON.stringify(listedDefinition(tool))) as ShownTool;
}

function stdioArguments({ settings, packageJson: { bin } }: Subject['project']): readonly string[] | undefined {
  if (settings.stdio !== undefined) return settings.stdio;
  const program = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0];
  return program === undefined ? undefined : [program];
}

/** The author's own environment, without what would make a doorward in it serve other things than the project's. */
function cleared(environment: Subject['environment'], home: string): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || name.startsWith('DOORWARD_') ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
}
