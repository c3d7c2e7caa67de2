import { DoorError } from '../base/index.js';
import type { GeneratedFile } from '../generate/index.js';
import { type FileState, stateOf, writeProjectFile } from '../runtime/node/index.js';
import type { Cli } from './cli.js';
import type { Run } from './parse-command-line.js';
import { usageError } from './usage-error.js';

/**
 * What a command that generates files does with them: writes them, prints them (`--print`), or compares (`--check`).
 *
 * @param folder the project's
 * @returns the exit code
 * @throws {DoorError} DRIFT (exit 7) where `--check` finds a file that is not what it should be
 */
export async function deliverFiles(
  files: readonly GeneratedFile[],
  folder: string,
  run: Run,
  cli: Cli,
): Promise<number> {
  const { options } = run;
  if (options.has('print') && options.has('check')) {
    throw usageError('--print and --check exclude each other', 'Leave one of them out.');
  }
  if (options.has('print')) return print(files, options.has('json'), cli);
  const states = files.map((file) => ({ file, state: stateOf(folder, file) }));
  const stale = states.filter(({ state }) => state !== 'same');
  if (options.has('check')) expectNone(stale, run);
  for (const { file } of stale) await writeProjectFile(folder, file);
  const isWritten = ({ state }: { readonly state: FileState }): boolean => state !== 'same';
  if (options.has('json')) {
    const facts = states.map((one) => ({ path: one.file.path, written: isWritten(one) }));
    cli.out.write(`${JSON.stringify({ files: facts })}\n`);
  } else {
    for (const one of states) cli.out.write(`${isWritten(one) ? 'written' : 'as it should be'}: ${one.file.path}\n`);
  }
  return 0;
}

function print(files: readonly GeneratedFile[], isJson: boolean, { out }: Cli): number {
  if (isJson) {
    const texts = files.map(({ path, bytes }) => ({ path, text: new TextDecoder().decode(bytes) }));
    out.write(`${JSON.stringify({ files: texts })}\n`);
    return 0;
  }
  for (const { bytes } of files) out.write(bytes);
  return 0;
}

interface Stale {
  readonly file: GeneratedFile;
  readonly state: FileState;
}

function expectNone(stale: readonly Stale[], { command }: Run): void {
  const [first] = stale;
  if (first === undefined) return;
  const issues = stale.map(({ file, state }) => ({ path: file.path, message: wordOf(state, command.name) }));
  throw new DoorError('DRIFT', `${first.file.path} ${wordOf(first.state, command.name)}`, {
    data: { issues },
    hint: `Run doorward ${command.name}, and commit what it writes.`,
  });
}

function wordOf(state: FileState, command: string): string {
  return state === 'absent' ? 'is not there' : `is not what doorward ${command} would write`;
}
