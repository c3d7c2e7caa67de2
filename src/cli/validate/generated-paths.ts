import { gitPath, MANIFEST_PATH } from '../../generate/index.js';
import type { ProjectSettings } from '../../runtime/node/index.js';

/** Files and folders of a project that are generated, relative to it, without a leading `./`. */
export function generatedPaths(settings: ProjectSettings): readonly string[] {
  const { docs, clientDocs, openapi, workflow, manifest = MANIFEST_PATH } = settings;
  return [docs, clientDocs, openapi, workflow, manifest].flatMap((path) => (path === undefined ? [] : [gitPath(path)]));
}
