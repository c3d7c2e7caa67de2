import { readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Looks where version managers put programs, for a command that PATH does not have: programs started from a desktop
 * get a short PATH. Only ever used to word a hint.
 */
export function findCandidates(command: string, environment: Readonly<Record<string, string | undefined>>): string[] {
  if (command.includes('/') || command.includes('\\')) return [];
  const home = environment.HOME ?? environment.USERPROFILE ?? '';
  const places = [
    ...versions(join(home, '.nvm/versions/node'), 'bin'),
    ...versions(join(home, '.local/share/fnm/node-versions'), 'installation/bin'),
    join(home, '.local/share/mise/shims'),
    join(home, '.volta/bin'),
    join(home, '.asdf/shims'),
    join(home, '.local/bin'),
    join(home, '.cargo/bin'),
    join(home, '.bun/bin'),
    join(home, '.deno/bin'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
  ];
  return places.map((place) => join(place, command)).filter(isFile);
}

/** The folders that were searched for a command. */
export function searchedPath(environment: Readonly<Record<string, string | undefined>>): string[] {
  return (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((folder) => folder !== '');
}

function versions(folder: string, below: string): string[] {
  try {
    // Newest first, v22 before v9.
    return readdirSync(folder)
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((version) => join(folder, version, below));
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
