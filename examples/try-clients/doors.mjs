/** Where clients come in: a `doorward stdio` of their own, or the one `doorward serve`. */
import { join } from 'node:path';
import { CLI, environmentIn, ROOT, withServedDoorward } from '../../test/fixtures/served-doorward.mjs';

export { ROOT };

const CONFIG = join(ROOT, 'examples', 'three-servers.json');

/** A door that the client starts itself. */
export function stdioDoor(folder) {
  const args = [CLI, 'stdio', '--config', CONFIG];
  return { title: 'stdio', command: { command: process.execPath, args, cwd: ROOT, env: environmentIn(folder) } };
}

/** Gives `use` a door that is already open. */
export function withHttpDoor(folder, use) {
  return withServedDoorward({ config: CONFIG, folder }, (url) => use({ title: 'serve', url }));
}
