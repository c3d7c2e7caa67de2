import type { PublicTool } from '../types.js';
import { looseParameters } from './loose.js';
import { namesFor } from './names.js';
import { strictParameters } from './strict.js';
import type { ProjectedTool, Target } from './types.js';

/** Tools as a target's models are to see them. */
export function projectTools(tools: readonly PublicTool[], target: Target): readonly ProjectedTool[] {
  const names = namesFor(
    target,
    tools.map(({ name }) => name),
  );
  return tools.map((tool) => {
    const loose = looseParameters(tool.inputSchema, target);
    const strict = strictParameters(tool.inputSchema, target);
    return {
      name: tool.name,
      as: names.get(tool.name)!,
      loose,
      strict:
        'schema' in strict
          ? strict
          : { ...loose, fidelity: { kind: 'unsupported', path: strict.path, why: strict.why } },
    };
  });
}
