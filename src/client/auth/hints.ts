/** The command that helps, as a shell takes it. */
export function loginCommand(server: string): string {
  return `doorward login ${/^[\w@%+=:,./-]+$/.test(server) ? server : `'${server.replaceAll("'", "'\\''")}'`}`;
}
