import { contractInvalid } from './contract-invalid.js';
import { withFingerprint } from './fingerprint.js';
import { deepFreeze } from './json-schema.js';
import { holdPlainJson, holdTexts } from './plain-json.js';
import type { Contract, ContractDefinition, PromptDefinition, ResourceDefinition, Tool } from './types.js';

/**
 * Puts tools, resources and prompts together as one server: checks what no tool can check alone.
 *
 * @throws {DoorError} CONTRACT_INVALID names the tool, resource or prompt and the path in it
 */
export function defineContract<
  const Tools extends readonly Tool[] = readonly [],
  const Resources extends readonly ResourceDefinition[] = readonly [],
  const Prompts extends readonly PromptDefinition[] = readonly [],
>(definition: ContractDefinition<Tools, Resources, Prompts>): Contract<Tools, Resources, Prompts> {
  checkParts(definition);
  const { server, remotes = [], packages = [], deployments = [] } = definition;
  const tools = (definition.tools ?? []) as Tools;
  const resources = (definition.resources ?? []) as Resources;
  const prompts = (definition.prompts ?? []) as Prompts;
  checkServer(definition);
  checkToolNames(tools);
  checkNames('resources', resources);
  checkNames('prompts', prompts);
  checkAddresses(resources);
  for (const [kind, members] of Object.entries({ tools, resources, prompts })) {
    for (const member of members) checkAvailability(kind, member, deployments);
  }
  const contract = {
    server: deepFreeze({ ...server }),
    tools: Object.freeze([...tools]) as unknown as Tools,
    resources: deepFreeze([...resources]) as unknown as Resources,
    prompts: deepFreeze([...prompts]) as unknown as Prompts,
    remotes: deepFreeze([...remotes]),
    packages: deepFreeze([...packages]),
    deployments: deepFreeze([...deployments]),
  };
  return withFingerprint(contract, contract);
}

/** What types hold to where programs are compiled. */
function checkParts({ server, tools = [], resources = [], prompts = [], ...rest }: Partial<ContractDefinition>): void {
  const { remotes = [], packages = [], deployments } = rest;
  if (typeof server !== 'object' || server === null) throw contractInvalid('server', '', 'is missing');
  holdPlainJson(server, 'server', '');
  if (!Array.isArray(tools)) throw contractInvalid('tools', '', 'must be a list');
  const odd = tools.findIndex((tool) => (tool as Partial<Tool> | null)?.judges === undefined);
  if (odd >= 0) throw contractInvalid(`tools/${odd}`, '', 'is no tool', 'Make it by defineTool.');
  for (const [kind, members] of Object.entries({ resources, prompts, remotes, packages })) {
    if (!Array.isArray(members)) throw contractInvalid(kind, '', 'must be a list');
    for (const [at, member] of members.entries()) {
      if (typeof member !== 'object' || member === null)
        throw contractInvalid(`${kind}/${at}`, '', 'must be an object');
      holdPlainJson(member, `${kind}/${at}`, '');
      holdTexts((member as ResourceDefinition).availability, `${kind}/${at}`, '/availability');
    }
  }
  holdTexts(deployments, 'deployments', '');
}

/** What the Registry will not take is a fault of the contract already (MCP Registry server.json, 2025-12-11). */
function checkServer({ server }: ContractDefinition): void {
  const { name, version, description, title } = server;
  if (!/^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]\/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$/.test(name)) {
    const hint = 'Use a reversed domain, a slash and a name: io.github.OWNER/NAME.';
    throw contractInvalid('server', '/name', `${JSON.stringify(name)} is no name of the MCP Registry`, hint);
  }
  if (typeof version !== 'string' || version.trim() === '') throw contractInvalid('server', '/version', 'is missing');
  checkLength(description, '/description');
  if (title !== undefined) checkLength(title, '/title');
}

const MAX_LENGTH = 100;

function checkLength(text: string, path: string): void {
  if (typeof text !== 'string' || text.trim() === '') throw contractInvalid('server', path, 'is missing');
  const length = [...text].length;
  if (length <= MAX_LENGTH) return;
  throw contractInvalid('server', path, `has ${length} characters, ${MAX_LENGTH} are allowed`, 'Shorten it.');
}

/** A name means one tool: a second one, as a name or as an old name, would make it two. */
function checkToolNames(tools: readonly Tool[]): void {
  const owners = new Map<string, Tool>();
  for (const tool of tools) {
    for (const [at, name] of [tool.name, ...tool.aliases].entries()) {
      const path = at === 0 ? '/name' : `/aliases/${at - 1}`;
      const owner = owners.get(name);
      if (owner !== undefined) throw contractInvalid(`tools/${tool.name}`, path, twice(name, owner, tool));
      owners.set(name, tool);
    }
  }
}

function twice(name: string, owner: Tool, tool: Tool): string {
  if (owner === tool) return `the name ${name} is given twice`;
  if (owner.locality === tool.locality) return `the name ${name} is taken by another tool`;
  return `the name ${name} is both local and remote; a tool is one of the two`;
}

function checkNames(kind: string, members: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of members) {
    if (typeof name !== 'string' || name === '') throw contractInvalid(kind, '/name', 'is missing');
    if (names.has(name)) throw contractInvalid(`${kind}/${name}`, '/name', 'there is another one of that name');
    names.add(name);
  }
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const VARIABLE = /\{[A-Za-z_][A-Za-z0-9_]*\}/g;

/** An address leads to one resource, and can be read back. */
function checkAddresses(resources: readonly ResourceDefinition[]): void {
  const owners = new Set<string>();
  for (const { name, uri, uriTemplate } of resources) {
    const where = `resources/${name}`;
    const [path, address] = uri === undefined ? (['/uriTemplate', uriTemplate] as const) : (['/uri', uri] as const);
    if (address === undefined || (uri !== undefined && uriTemplate !== undefined)) {
      throw contractInvalid(where, '/uri', 'give one of uri and uriTemplate');
    }
    if (typeof address !== 'string' || !SCHEME.test(address)) {
      throw contractInvalid(where, path, 'begins with no scheme', 'Write it as notes://today or https://….');
    }
    if (uri === undefined && /[{}]/.test(address.replace(VARIABLE, ''))) {
      const hint = 'Letters, digits and _ between braces stand for a part of the URI: notes://{id}.';
      throw contractInvalid(where, path, 'has something in braces that is no plain variable', hint);
    }
    if (owners.has(address)) throw contractInvalid(where, path, 'there is another resource at that address');
    owners.add(address);
  }
}

interface Placed {
  readonly name: string;
  readonly availability?: readonly string[];
}

function checkAvailability(kind: string, { name, availability = [] }: Placed, deployments: readonly string[]): void {
  for (const [at, deployment] of availability.entries()) {
    if (deployments.includes(deployment)) continue;
    const known = deployments.length > 0 ? `it has ${deployments.join(', ')}` : 'it has none';
    const problem = `${JSON.stringify(deployment)} is no deployment of this contract; ${known}`;
    throw contractInvalid(`${kind}/${name}`, `/availability/${at}`, problem);
  }
}
