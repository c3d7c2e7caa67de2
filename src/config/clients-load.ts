/** The table of clients and what edits their files, loaded by the commands that need it: nothing else starts with it. */
export function loadClients(): Promise<typeof import('./clients/index.js')> {
  return import('./clients/index.js');
}
