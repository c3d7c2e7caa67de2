import type { Contract, Tool } from '../contract/index.js';
import { type GeneratedFile, textFile } from './generated-file.js';
import { schemaRows } from './schema-table.js';

const TOOL_DOCS_PATH = 'docs/tools.md';

export interface ToolDocsFacts {
  /** Default: `docs/tools.md`. */
  readonly path?: string;
}

/** The reference of a contract's tools, for people: private ones are left out, as from every public document. */
export function toolDocsFiles(
  contract: Contract,
  { path = TOOL_DOCS_PATH }: ToolDocsFacts = {},
): readonly GeneratedFile[] {
  const { server, resources, prompts } = contract;
  const tools = contract.tools.filter(({ visibility }) => visibility === 'public');
  const sections = [
    '<!-- Written by doorward docs: what is changed here is lost. -->',
    `# Tools of ${oneLine(server.title ?? server.name)}`,
    oneLine(server.description),
    ...(tools.length === 0 ? [] : [table(['tool', 'does', 'runs', ''], tools.map(summaryRow))]),
    ...tools.flatMap(toolSections),
    ...(resources.length === 0 ? [] : ['## Resources', table(['name', 'URI', 'type', ''], resources.map(resourceRow))]),
    ...(prompts.length === 0 ? [] : ['## Prompts', table(['name', 'arguments', ''], prompts.map(promptRow))]),
  ];
  return [textFile(path, `${sections.join('\n\n')}\n`)];
}

const KINDS = { read: 'reads', write: 'writes', destructive: 'destroys' } as const;
const PLACES = { local: "on the caller's machine", remote: 'where it is served' } as const;

function summaryRow({ name, kind, locality, title, description }: Tool): readonly string[] {
  const [first = ''] = description.split(/(?<=[.!?])\s/);
  return [`[\`${name}\`](#${name.toLowerCase()})`, KINDS[kind], PLACES[locality], title ?? first];
}

function toolSections(tool: Tool): readonly string[] {
  const { name, title, description, deprecated, examples, inputSchema, outputSchema } = tool;
  return [
    `## ${name}`,
    ...(title === undefined ? [] : [`**${oneLine(title)}**`]),
    ...(deprecated === undefined ? [] : [`**Deprecated:** ${oneLine(deprecated)}`]),
    description.trim(),
    factsOf(tool),
    '### Arguments',
    members(inputSchema, 'none'),
    '### Result',
    members(outputSchema, 'an object; its members are not fixed'),
    ...(examples.length === 0 ? [] : [`### ${examples.length === 1 ? 'Example' : 'Examples'}`]),
    ...examples.flatMap(({ title: says, input }) => [
      ...(says === undefined ? [] : [`${oneLine(says)}:`]),
      `\`\`\`json\n${JSON.stringify(input, null, 2)}\n\`\`\``,
    ]),
  ];
}

function factsOf({ kind, locality, availability, auth, profiles, aliases }: Tool): string {
  const facts = [
    `- ${KINDS[kind]}; runs ${PLACES[locality]}`,
    availability !== undefined && `- served by: ${availability.join(', ')}`,
    auth !== undefined && auth.scopes.length > 0 && `- needs the scopes: ${codes(auth.scopes)}`,
    profiles.length > 0 && `- in the profiles: ${profiles.join(', ')}`,
    aliases.length > 0 && `- was called: ${codes(aliases)}`,
  ];
  return facts.filter((fact) => typeof fact === 'string').join('\n');
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function members(schema: Tool['inputSchema'], none: string): string {
  const rows = schemaRows(schema);
  if (rows.length === 0) return `${none.charAt(0).toUpperCase()}${none.slice(1)}.`;
  return table(
    ['member', 'type', 'required', ''],
    rows.map(({ path, type, isRequired, note }) => [`\`${path}\``, type, isRequired ? 'yes' : '', note]),
  );
}

function resourceRow({
  name,
  uri,
  uriTemplate,
  mimeType,
  description,
}: Contract['resources'][number]): readonly string[] {
  return [name, `\`${uri ?? uriTemplate}\``, mimeType ?? '', description ?? ''];
}

function promptRow({ name, arguments: args = [], description }: Contract['prompts'][number]): readonly string[] {
  const shown = args.map((one) => `\`${one.name}\`${one.required ? ' (required)' : ''}`);
  return [name, shown.join(', '), description ?? ''];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
