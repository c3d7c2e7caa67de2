/** What reads and writes other programs' files, loaded by the commands that do. */
export function loadClientFiles(): Promise<typeof import('./client-file.js')> {
  return import('./client-file.js');
}
