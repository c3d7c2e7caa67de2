import type { Contract, PackageDefinition } from '../contract/index.js';

/** A program, as a client starts it. */
export interface ClientProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables it is given; each keeps its name and is referred to, never written out. */
  readonly variables?: readonly string[];
}

/** What pages about clients say of a server. */
export interface ClientFacts {
  /** Where the pages go. Default: `docs/clients`. */
  readonly folder?: string;
  /** What clients are to call it: `repo-tools`. */
  readonly name: string;
  readonly title: string;
  /** The program that serves it on stdio; absent where it has none. */
  readonly stdio?: ClientProgram | undefined;
  /** Where it is served over HTTP. */
  readonly remote?: { readonly url: string; readonly headers: readonly string[] } | undefined;
  /** A second server of this machine only, beside it. */
  readonly local?: ({ readonly name: string } & ClientProgram) | undefined;
  /** The arguments of the command that adds it; `doorward client add CLIENT` adds doorward itself. */
  readonly isDoorward?: boolean;
}

export interface ClientDocsFacts {
  /** Where the pages go. Default: `docs/clients`. */
  readonly folder?: string;
  /** What the package is started with, where that is not what its manifest says. */
  readonly args?: readonly string[];
  readonly local?: ClientFacts['local'];
  /** The project's README: what stands between its marks is written anew, nothing where it has none. */
  readonly readme?: { readonly path: string; readonly text: string };
}

const RUNNERS: Readonly<Record<string, string>> = { npm: 'npx', pypi: 'uvx' };

/** What a contract says of how its server is reached: its npm or PyPI package, and its first Streamable HTTP remote. */
export function clientFactsOf(contract: Contract, { folder, args, local }: ClientDocsFacts = {}): ClientFacts {
  const { server, packages, remotes } = contract;
  const found = packages.find(({ registryType, transport }) => registryType in RUNNERS && transport.type === 'stdio');
  const remote = remotes.find(({ type, url }) => type === 'streamable-http' && !url.includes('{'));
  const name = server.name.slice(server.name.indexOf('/') + 1);
  return {
    name,
    title: server.title ?? name,
    stdio: found && programOf(found, server.version, args),
    remote: remote && { url: remote.url, headers: (remote.headers ?? []).map((header) => header.name) },
    isDoorward: server.name === 'io.github.doorward/doorward',
    ...(folder !== undefined && { folder }),
    ...(local !== undefined && { local }),
  };
}

function programOf(found: PackageDefinition, serverVersion: string, given?: readonly string[]): ClientProgram {
  const { registryType, identifier, version = serverVersion, packageArguments = [], environmentVariables = [] } = found;
  const command = found.runtimeHint ?? RUNNERS[registryType]!;
  const runner = command === 'npx' ? ['-y', `${identifier}@${version}`] : [`${identifier}@${version}`];
  const own = packageArguments.flatMap((argument) => {
    const value = argument.value ?? argument.default;
    const words = argument.type === 'named' ? [argument.name, value] : [value];
    return words.flatMap((word) => (word === undefined ? [] : [String(word)]));
  });
  return { command, args: [...runner, ...(given ?? own)], variables: environmentVariables.map((field) => field.name) };
}
