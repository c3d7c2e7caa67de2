import type { Text } from './reference.js';

/** One server as any client's file may describe it, free of the client's spelling. */
export interface ClientEntry {
  readonly connection: StdioConnection | RemoteConnection;
  readonly settings: EntrySettings;
}

export interface StdioConnection {
  readonly kind: 'stdio';
  readonly command: Text;
  readonly args: readonly Text[];
  readonly env: TextMap;
  readonly cwd?: Text;
}

export interface RemoteConnection {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse';
  readonly url: Text;
  readonly headers: TextMap;
}

export type TextMap = Readonly<Record<string, Text>>;

/** What several clients can say of a server besides how to reach it. */
export interface EntrySettings {
  /** False: the entry is there, but not used. */
  readonly enabled?: boolean;
  readonly callTimeoutMs?: number;
  readonly startTimeoutMs?: number;
  /** The server's own tool names; all others are left out. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** The texts of a connection with the place each stands at: `env.KEY`, `args[0]`. */
export function textsOf(connection: ClientEntry['connection']): readonly (readonly [place: TextPlace, text: Text])[] {
  const named = (field: 'env' | 'headers', map: TextMap): readonly (readonly [TextPlace, Text])[] =>
    Object.entries(map).map(([name, text]) => [{ field, name }, text] as const);
  if (connection.kind === 'remote') {
    return [[{ field: 'url' }, connection.url], ...named('headers', connection.headers)];
  }
  const { command, args, env, cwd } = connection;
  return [
    [{ field: 'command' }, command],
    ...args.map((text, at) => [{ field: 'args', at }, text] as const),
    ...named('env', env),
    ...(cwd === undefined ? [] : [[{ field: 'cwd' }, cwd] as const]),
  ];
}

export type TextField = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

export interface TextPlace {
  readonly field: TextField;
  /** Of an environment variable or a header. */
  readonly name?: string;
  /** Of an argument. */
  readonly at?: number;
}
