import { dirname } from 'node:path';
import { DoorError } from '../base/index.js';
import { adHocConfig, type Config, type FlagOverride, readConfig } from '../config/index.js';
import { type FoundConfig, findConfig, type LookedAt } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';

/** The configuration a command works with. */
export interface LoadedConfig {
  readonly config: Config;
  /** Absent where one server was named on the command line, or none is needed. */
  readonly file: FoundConfig | undefined;
  /** The folder that relative paths of the configuration are relative to. */
  readonly folder: string;
  /** Files that were found and not used. */
  readonly refused: readonly DoorError[];
}

/**
 * Finds, reads and checks the configuration that a command line asks for.
 *
 * @param options.isOptional there is something to do without one: where none is found, it is an empty one
 * @throws {DoorError} `CONFIG_INVALID` where there is none, or it cannot be used
 */
export async function loadConfig(
  run: Run,
  cli: Cli,
  { isOptional = () => false }: { readonly isOptional?: () => boolean } = {},
): Promise<LoadedConfig> {
  const { environment, cwd } = cli;
  const flags = flagsOf(run);
  if (run.target) {
    const [command = '', ...args] = run.target;
    const config = adHocConfig({ id: idOf(command), command, args, environment, flags });
    return { config, file: undefined, folder: cwd, refused: [] };
  }
  const flag = run.options.get('config') as string | undefined;
  const { found, looked } = await findConfig({ environment, cwd, flag });
  const refused = looked.flatMap(({ error }) => error ?? []);
  if (!found && (run.options.has('own-tools') || isOptional())) {
    return { config: readConfig({ environment, flags }), file: undefined, folder: cwd, refused };
  }
  if (!found) throw refused[0] ?? notFound(looked);
  const config = readConfig({ file: { name: found.name, bytes: found.bytes }, environment, flags });
  return { config, file: found, folder: dirname(found.path), refused };
}

/** Flags that stand for a field of the configuration. */
const FLAGS = [
  { name: 'prefix', path: ['prefix'] },
  { name: 'host', path: ['http', 'host'] },
  { name: 'port', path: ['http', 'port'] },
  { name: 'own-tools', path: ['ownTools'] },
];

function flagsOf({ options }: Run): readonly FlagOverride[] {
  return FLAGS.flatMap(({ name, path }) => {
    const text = options.get(name);
    return text === undefined ? [] : [{ flag: `--${name}`, path, text: String(text) }];
  });
}

/** The program's own name: what messages call a server that has no other. */
function idOf(command: string): string {
  return command.split(/[\\/]/).findLast((part) => part !== '') ?? command;
}

export function notFound(looked: readonly LookedAt[]): DoorError {
  const places = looked.map(({ path }) => path);
  return new DoorError('CONFIG_INVALID', 'there is no configuration', {
    data: { looked: places },
    hint: `Write one to ${places[0]} or ${places[2] ?? 'name it with --config'}, or name a server after --. See doorward --help.`,
  });
}
