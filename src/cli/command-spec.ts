/** What there is to say of a command, and what several commands take. */

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in the help text; absent for a switch. */
  readonly value?: string;
  readonly summary: string;
  /** It may be given several times; its values are `Run.lists`. */
  readonly isRepeatable?: true;
}

export interface CommandSpec {
  /** One word, or two for a command with sub-commands. */
  readonly name: string;
  /** What follows the name: `SERVER.TOOL [ARGUMENTS]`. */
  readonly operands?: string;
  readonly minOperands: number;
  readonly maxOperands: number;
  readonly summary: string;
  /** Paragraphs of the command's own help. */
  readonly about: readonly string[];
  readonly options: readonly OptionSpec[];
  /** Whether one server can be named after `--`, instead of a configuration. */
  readonly takesTarget: boolean;
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The exit codes it may end with. */
  readonly exits: readonly number[];
}

export const CONFIG: OptionSpec = {
  name: 'config',
  short: 'c',
  value: 'FILE',
  summary: 'Use this configuration instead of looking for one',
};
export const JSON_OUTPUT: OptionSpec = { name: 'json', summary: 'Print JSON, errors too' };
/** Of commands that write files of a project. */
export const PRINT: OptionSpec = { name: 'print', summary: 'Print it instead of writing it' };
export const CHECK: OptionSpec = {
  name: 'check',
  summary: 'Write nothing; exit with 7 if it is not what would be written',
};
