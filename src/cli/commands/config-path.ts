import { findConfig } from '../../runtime/node/index.js';
import type { Cli } from '../cli.js';
import { notFound } from '../load-config.js';
import type { Run } from '../parse-command-line.js';
import { errorAsJson, writeError, writePassedOver } from '../report-error.js';

/** `doorward config path`: which file is used, and why not another. */
export async function runConfigPath({ options }: Run, { environment, cwd, out, err }: Cli): Promise<number> {
  const flag = options.get('config') as string | undefined;
  const { found, looked } = await findConfig({ environment, cwd, flag });
  if (options.has('json')) {
    const places = looked.map(({ error, ...place }) => ({ ...place, ...(error && { error: errorAsJson(error) }) }));
    out.write(`${JSON.stringify({ path: found?.path ?? null, looked: places })}\n`);
    return found ? 0 : 2;
  }
  const refused = looked.flatMap(({ error }) => error ?? []);
  if (found) {
    for (const error of refused) writePassedOver(error, found.path, err);
    out.write(`${found.path}\n`);
    return 0;
  }
  for (const error of refused.length > 0 ? refused : [notFound(looked)]) writeError(error, err);
  return 2;
}
