import {
  type Implementation,
  listedDefinition,
  type PromptDefinition,
  type PromptHandler,
  type ResourceDefinition,
  type ResourceHandler,
  type SliceFacts,
  sliceContract,
  type Tool,
  type ToolHandler,
} from '../../contract/index.js';
import { OWNER } from '../owner.js';
import { ResourceTemplate } from './resource-template.js';

export interface LocalTool {
  readonly tool: Tool;
  readonly handler: ToolHandler;
}

export interface LocalResource {
  readonly definition: ResourceDefinition;
  /** Absent where it has a URI of its own. */
  readonly template: ResourceTemplate | undefined;
  readonly handler: ResourceHandler;
}

export interface LocalPrompt {
  readonly definition: PromptDefinition;
  readonly handler: PromptHandler;
}

/** What of an implementation is served in one place: made once, used by each connection to it. */
export interface LocalOffer {
  /** The result of initialize. */
  readonly hello: string;
  /** The results of the list methods, by method. */
  readonly lists: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, LocalTool>;
  readonly resources: readonly LocalResource[];
  readonly prompts: ReadonlyMap<string, LocalPrompt>;
}

/** The revision that it speaks: the last in which a server can ask while it works. */
export const LOCAL_REVISION = '2025-11-25';

/**
 * Lays out what an implementation has for one place. Who may see and call a tool is for the gateway to say (`Mount.access`),
 * so private tools are among them.
 *
 * @throws {DoorError} CONTRACT_INVALID
 */
export function localOffer({ contract, handlers }: Implementation, facts: Omit<SliceFacts, 'principal'>): LocalOffer {
  const { tools, resources, prompts } = sliceContract(contract, { ...facts, principal: OWNER });
  const { name, title, version, instructions } = contract.server;
  const serverInfo = { name, ...(title !== undefined && { title }), version };
  const capabilities = {
    ...(tools.length > 0 && { tools: {} }),
    ...(resources.length > 0 && { resources: {} }),
    ...(prompts.length > 0 && { prompts: {} }),
  };
  const hello = { protocolVersion: LOCAL_REVISION, capabilities, serverInfo, ...(instructions && { instructions }) };
  const listOf = (kind: string, members: readonly unknown[]): string => `{"${kind}":${JSON.stringify(members)}}`;
  return {
    hello: JSON.stringify(hello),
    lists: new Map([
      ['tools/list', listOf('tools', tools.map(listedDefinition))],
      ['resources/list', listOf('resources', resources.filter(({ uri }) => uri !== undefined).map(shown))],
      [
        'resources/templates/list',
        listOf('resourceTemplates', resources.filter(({ uri }) => uri === undefined).map(shown)),
      ],
      ['prompts/list', listOf('prompts', prompts.map(shown))],
    ]),
    tools: new Map(tools.map((tool) => [tool.name, { tool, handler: handlers.tools[tool.name]! }])),
    resources: resources.map((definition) => ({
      definition,
      template: definition.uriTemplate === undefined ? undefined : new ResourceTemplate(definition.uriTemplate),
      handler: handlers.resources[definition.name]!,
    })),
    prompts: new Map(
      prompts.map((definition) => [definition.name, { definition, handler: handlers.prompts[definition.name]! }]),
    ),
  };
}

/** A resource or prompt as lists show it. */
function shown({ availability: _, locality: __, meta, ...rest }: ResourceDefinition | PromptDefinition): object {
  return { ...rest, ...(meta !== undefined && { _meta: meta }) };
}
