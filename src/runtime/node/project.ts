import type { Project } from './project-types.js';

/**
 * Reads an author's project and imports its contract and, where it names one, its implementation.
 *
 * @throws {DoorError} CONFIG_INVALID for package.json and the files that it names, CONTRACT_INVALID for what they hold;
 * `data.file` and `data.field` say where
 */
export async function loadProject(folder: string): Promise<Project> {
  // Loaded when there is a project: `stdio` has none.
  return (await import('./project-loading.js')).loadProject(folder);
}
