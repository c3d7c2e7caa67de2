import type { ChildProcess } from 'node:child_process';
import type { Environment } from '../../config/index.js';
import { childEnvironment } from './environment.js';

/** What opens a URL on this system. */
export function openerOf(platform: NodeJS.Platform, url: string): readonly [command: string, args: readonly string[]] {
  if (platform === 'darwin') return ['open', [url]];
  // No shell reads it, which would take the & of a URL for its own.
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]];
  return ['xdg-open', [url]];
}

/** What a browser needs to find the screen; other children have no use for it. */
const SCREEN = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'BROWSER'];

/**
 * Opens a page in the user's browser. Best effort: the URL is printed in any case.
 *
 * @param url http or https; anything else would start other programs
 * @returns whether something could be started
 */
export async function openBrowser(url: string, environment: Environment): Promise<boolean> {
  if (!/^https?:\/\//i.test(url)) return false;
  const [command, args] = openerOf(process.platform, new URL(url).href);
  const screen = SCREEN.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  const { spawn } = await import('node:child_process');
  const env = { ...childEnvironment(environment), ...Object.fromEntries(screen) };
  const child = spawn(command, args, { stdio: 'ignore', detached: true, shell: false, env });
  child.unref();
  return hasStarted(child);
}

function hasStarted(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}
