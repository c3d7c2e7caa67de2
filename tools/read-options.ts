import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Given extends Options> = ReturnType<typeof parseArgs<{ options: Given }>>['values'];

/**
 * Reads the options of a script. `--help` shows how it is used, and so does an option that it does not know (exit 2).
 *
 * @param usage one line: the command and its options
 */
export function readOptions<const Given extends Options>(usage: string, options: Given): Values<Given> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`usage: ${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (thrown) {
    process.stderr.write(`${(thrown as Error).message}\nusage: ${usage}\n`);
    process.exit(2);
  }
}
