import { DoorError } from '../base/index.js';

/**
 * @param where the tool, resource or prompt, as `tools/search`; `server`, `remotes/0` for the rest
 * @param path a JSON pointer into it; '' for the whole
 */
export function contractInvalid(where: string, path: string, problem: string, hint?: string): DoorError {
  const place = path === '' ? where : `${where} ${path}`;
  return new DoorError('CONTRACT_INVALID', `${place}: ${problem}`, {
    data: { where, path },
    ...(hint !== undefined && { hint }),
  });
}
