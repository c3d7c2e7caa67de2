import type { PublicTool } from '../types.js';
import { strictParameters } from './strict.js';
import type { Parameters, ProjectedTool, Variant } from './types.js';

/** The forms in which vendors' APIs take tools. */
export type Form = 'openai' | 'openai-responses' | 'anthropic' | 'gemini';
export const FORMS: readonly Form[] = ['openai', 'openai-responses', 'anthropic', 'gemini'];

/** A tool as a vendor's API takes it. */
export type Definition = Readonly<Record<string, unknown>>;

export interface DefinitionSource {
  readonly tool: PublicTool;
  readonly projected: ProjectedTool;
  readonly variant: Variant;
}

/** Writes one tool in a form: nothing in it that the vendor's own types do not have. */
export function definitionIn(form: Form, source: DefinitionSource): Definition {
  const parameters = source.projected[source.variant];
  const isStrict = source.variant === 'strict' && parameters.fidelity.kind !== 'unsupported';
  const { as: name } = source.projected;
  const { outputSchema } = source.tool;
  const described = source.tool.description === undefined ? {} : { description: source.tool.description };
  switch (form) {
    case 'openai':
      return {
        type: 'function',
        function: { name, ...described, parameters: parameters.schema, strict: isStrict },
      };
    case 'openai-responses':
      return {
        type: 'function',
        name,
        ...described,
        parameters: parameters.schema,
        strict: isStrict,
        ...(outputSchema && { output_schema: withoutDialect(outputSchema) }),
      };
    case 'anthropic':
      return { name, ...described, input_schema: parameters.schema, ...(isStrict && { strict: true }) };
    case 'gemini':
      return { name, ...described, parametersJsonSchema: parameters.schema, ...responseOf(source, isStrict) };
  }
}

/** An array that a vendor's SDK takes as it is, as `tools`. */
export function toolsIn(form: Form, definitions: readonly Definition[]): readonly Definition[] {
  return form === 'gemini' ? [{ functionDeclarations: definitions }] : definitions;
}

/** What a tool gives, by the same rules as what it takes; unsaid where these have no words for it. */
function responseOf({ tool: { outputSchema } }: DefinitionSource, isStrict: boolean): Definition {
  if (outputSchema === undefined) return {};
  if (!isStrict) return { responseJsonSchema: withoutDialect(outputSchema) };
  const said: Parameters | object = strictParameters(outputSchema, 'gemini');
  return 'schema' in said ? { responseJsonSchema: said.schema } : {};
}

function withoutDialect({ $schema: _, ...schema }: Definition): Definition {
  return schema;
}
