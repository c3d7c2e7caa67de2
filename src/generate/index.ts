export { clientDocsFiles } from './client-docs.js';
export type { ClientDocsFacts, ClientProgram } from './client-facts.js';
export { type GeneratedFile, gitPath } from './generated-file.js';
export {
  MANIFEST_PATH,
  type ManifestFacts,
  manifestFiles,
  type PackageFault,
  packageFaults,
} from './manifest.js';
export { checkManifest, isError, readManifest } from './manifest-rules/check-manifest.js';
export type { ManifestFinding } from './manifest-rules/finding.js';
export type { ManifestRule } from './manifest-rules/rules.js';
export { type OpenapiFacts, openapiFiles } from './openapi.js';
export { PUBLISHER, type PublisherPin } from './pins.js';
export { isSameManifest } from './same-manifest.js';
export { type ToolDocsFacts, toolDocsFiles } from './tool-docs.js';
export { WORKFLOW_PATH, type WorkflowFacts, type WorkflowSettings, workflowFiles } from './workflow.js';
