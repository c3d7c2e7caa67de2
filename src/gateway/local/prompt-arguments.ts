import { DoorError } from '../../base/index.js';
import type { PromptDefinition } from '../../contract/index.js';

/**
 * What a prompt's handler is given: an object of strings, those that are required among them (MCP schema,
 * GetPromptRequestParams).
 *
 * @throws {DoorError} INVALID_ARGUMENTS
 */
export function promptArguments(definition: PromptDefinition, given: unknown): Readonly<Record<string, string>> {
  const refuse = (problem: string): DoorError =>
    new DoorError('INVALID_ARGUMENTS', `Invalid arguments for ${definition.name}: ${problem}`, {
      data: { prompt: definition.name },
      hint: 'Give an object of strings, as prompts/list describes them.',
    });
  const args = given ?? {};
  if (typeof args !== 'object' || Array.isArray(args)) throw refuse('they are not an object');
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') throw refuse(`${JSON.stringify(name.slice(0, 100))} is not a string`);
  }
  const missing = definition.arguments?.find(({ name, required }) => required && !Object.hasOwn(args, name));
  if (missing !== undefined) throw refuse(`${missing.name} is missing`);
  return args as Readonly<Record<string, string>>;
}
