import { shellLine } from '../base/index.js';
import { loadClients } from '../config/index.js';
import type { Contract } from '../contract/index.js';
import { type ClientDocsFacts, type ClientFacts, type ClientProgram, clientFactsOf } from './client-facts.js';
import { type GeneratedFile, textFile } from './generated-file.js';

type Clients = Awaited<ReturnType<typeof loadClients>>;
type Client = Clients['CLIENTS'][number];
type Connection = Parameters<Clients['writeEntry']>[0]['connection'];

const CLIENT_DOCS_FOLDER = 'docs/clients';

const WRITTEN = '<!-- Written by doorward docs: what is changed here is lost. -->';

/**
 * A page for each MCP client, and their index: how a contract's server is put into it. A README that is handed in gets the
 * short of it between `<!-- doorward clients -->` and `<!-- /doorward clients -->`.
 */
export async function clientDocsFiles(
  contract: Contract,
  facts: ClientDocsFacts = {},
): Promise<readonly GeneratedFile[]> {
  const known = clientFactsOf(contract, facts);
  const pages = await clientPages(known);
  const text = facts.readme && readmeWith(facts.readme.text, await clientReadmeBlock(known));
  return facts.readme && text !== undefined ? [...pages, textFile(facts.readme.path, text)] : pages;
}

const MARKS = /(<!-- doorward clients -->)[\s\S]*?(<!-- \/doorward clients -->)/;

/** @returns undefined where the text has no marks */
function readmeWith(text: string, block: string): string | undefined {
  if (!MARKS.test(text)) return undefined;
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
  const lines = `\n${block}\n`.replaceAll('\n', lineBreak);
  return text.replace(MARKS, (_, start: string, end: string) => `${start}${lines}${end}`);
}

/** The same of a server that is described by its facts. The table of clients is loaded; nothing else is read. */
export async function clientPages(facts: ClientFacts): Promise<readonly GeneratedFile[]> {
  const clients = await loadClients();
  const { folder = CLIENT_DOCS_FOLDER } = facts;
  const pages = clients.CLIENTS.map((client) => {
    return textFile(`${folder}/${client.id}.md`, new Page(clients, client, facts).text());
  });
  return [textFile(`${folder}/README.md`, indexText(clients, facts)), ...pages];
}

/** A block for a README: how the server is added to the clients it is added to most, and where the rest stands. */
export async function clientReadmeBlock(facts: ClientFacts): Promise<string> {
  const clients = await loadClients();
  const { folder = CLIENT_DOCS_FOLDER, title } = facts;
  const rows = clients.CLIENTS.map((client) => `[${client.title}](${folder}/${client.id}.md)`);
  return [
    `Add ${title} to an MCP client:`,
    code('sh', addCommand(facts, 'CLIENT')),
    `Clients, each with its own page: ${rows.join(', ')}.`,
  ].join('\n\n');
}

function indexText(clients: Clients, facts: ClientFacts): string {
  const { title, remote } = facts;
  const rows = clients.CLIENTS.map((client) => {
    const { id, format, secrets } = client;
    const places = [...(client.project?.slice(0, 1) ?? []), clients.placeText(client, 'linux') ?? []].flat();
    const file = places.length === 0 ? 'in its window' : places.map(inCode).join(' or ');
    const http = clients.isRemoteShape(client.remote) ? 'yes' : 'no';
    return [`[${client.title}](${id}.md)`, file, FORMATS[format], http, DIALECTS[secrets.dialect]];
  });
  return sections([
    WRITTEN,
    `# ${title} in MCP clients`,
    `One command puts it into a client's own file, and leaves everything else in there as it is:`,
    code('sh', addCommand(facts, 'CLIENT')),
    `CLIENT is the name of a page below. ${remote ? 'Remote means by its URL. ' : ''}A secret is never written into a file: the client's own way to refer to one is used.`,
    table(['client', 'file', 'format', 'remote servers', 'refers to a secret by'], rows),
  ]);
}

/** The command that adds the server to a client. */
function addCommand({ isDoorward, name, stdio, remote }: ClientFacts, client: string): string {
  const add = ['npx', '-y', 'doorward', 'client', 'add', client];
  if (isDoorward) return shellLine(add);
  if (stdio) return shellLine([...add, ...programFlags({ name, ...stdio })]);
  const url = remote?.url ?? 'URL';
  return shellLine([...add, '--name', name, '--mode', 'http', '--url', url, ...headerFlags(remote?.headers ?? [])]);
}

function programFlags({ name, command, args, variables = [] }: { readonly name: string } & ClientProgram) {
  return ['--name', name, ...variables.flatMap((variable) => ['--env', variable]), '--', command, ...args];
}

function headerFlags(headers: readonly string[]): readonly string[] {
  return headers.flatMap((header) => [
    '--header',
    `${header}: ${headerValue(header, (variable) => `\${${variable}}`)}`,
  ]);
}

/** What a header is set to: a token where it is about authorization, else a variable of its own name. */
function headerValue(header: string, refer: (variable: string) => string): string {
  return header.toLowerCase() === 'authorization' ? `Bearer ${refer('TOKEN')}` : refer(variableFor(header));
}

function variableFor(header: string): string {
  return header
    .replace(/^x-/i, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

class Page {
  readonly #clients: Clients;
  readonly #client: Client;
  readonly #facts: ClientFacts;

  constructor(clients: Clients, client: Client, facts: ClientFacts) {
    this.#clients = clients;
    this.#client = client;
    this.#facts = facts;
  }

  text(): string {
    const { title, notes = [], ownCommand } = this.#client;
    return sections([
      WRITTEN,
      `# ${this.#facts.title} in ${title}`,
      this.#places(),
      ...this.#stdio(),
      ...this.#remote(),
      ...this.#local(),
      ...(notes.length > 0 ? ['## Good to know', notes.map((note) => `- ${note}`).join('\n')] : []),
      ...(ownCommand ? [`${title} has a command of its own for this: ${inCode(ownCommand)}.`] : []),
      ...this.#sources(),
    ]);
  }

  #places(): string {
    const { project, user, format, roots, secrets, isList } = this.#client;
    const systems = [
      ['Linux', this.#clients.placeText(this.#client, 'linux')],
      ['macOS', this.#clients.placeText(this.#client, 'darwin')],
      ['Windows', this.#clients.placeText(this.#client, 'win32')],
    ] as const;
    const under = roots[0]!.length === 0 ? 'the file itself' : inCode(roots[0]!.join('.'));
    return table(
      ['', ''],
      [
        ...(project ? [['file of a project', project.map(inCode).join(', the first that is there')]] : []),
        ...(user ? systems.map(([system, path]) => [`your own file, ${system}`, inCode(path ?? '')]) : []),
        ...(!project && !user ? [['file', 'none: it is set up in its window']] : []),
        ['format', `${FORMATS[format]}; servers stand under ${under}${isList ? ', as a list' : ''}`],
        ['refers to a secret by', `${DIALECTS[secrets.dialect]}${secrets.note ? `. ${secrets.note}` : ''}`],
      ],
    );
  }

  #stdio(): readonly string[] {
    const { stdio, name } = this.#facts;
    if (!stdio) return [];
    const written = this.#spell(programConnection(stdio), name);
    const how = this.#hasFile() ? [code('sh', addCommand(this.#facts, this.#client.id)), 'adds this:'] : [];
    return ['## Started by the client', ...how, ...this.#outcome(written, name)];
  }

  #remote(): readonly string[] {
    const { remote, name, isDoorward } = this.#facts;
    const { id } = this.#client;
    if (!remote && !isDoorward) return [];
    const { url, headers } = remote ?? { url: 'https://gateway.example/mcp', headers: ['Authorization'] };
    const text = Object.fromEntries(headers.map((header) => [header, headerValue(header, (name) => `\${${name}}`)]));
    const values = Object.fromEntries(
      Object.entries(text).map(([header, value]) => [header, this.#clients.ownText(value)]),
    );
    const remoteWith = (headers: typeof values): Connection => {
      return { kind: 'remote', transport: 'http', url: [url], headers };
    };
    const written = this.#spell(remoteWith(values), name);
    const flags = ['--name', name, '--mode', 'http', '--url', url];
    const add = (more: readonly string[]): string =>
      code('sh', shellLine(['npx', '-y', 'doorward', 'client', 'add', id, ...flags, ...more]));
    const heading = '## Over HTTP';
    if ('value' in written) {
      return [heading, ...(this.#hasFile() ? [add(headerFlags(headers))] : []), ...this.#outcome(written, name)];
    }
    const bare = this.#spell(remoteWith({}), name);
    if (!('value' in bare)) return [heading, ...this.#outcome(bare, name)];
    const block = [...(this.#hasFile() ? [add([])] : []), ...this.#outcome(bare, name)];
    return [
      heading,
      ...block,
      'With the headers, as they are secrets, it is refused:',
      ...this.#outcome(written, name),
    ];
  }

  #local(): readonly string[] {
    const { local } = this.#facts;
    const words = ['npx', '-y', 'doorward', 'client', 'add', this.#client.id];
    const says = 'Another server of this machine gets an entry of its own:';
    if (!local) {
      const flags = ['--mode', 'local', '--name', 'NAME', '--', 'COMMAND'];
      return this.#hasFile() ? ['## A second local server', says, code('sh', shellLine([...words, ...flags]))] : [];
    }
    const written = this.#spell(programConnection(local), local.name);
    const command = code('sh', shellLine([...words, ...programFlags(local)]));
    return [
      '## A second local server',
      says,
      ...(this.#hasFile() ? [command] : []),
      ...this.#outcome(written, local.name),
    ];
  }

  #hasFile(): boolean {
    return this.#clients.scopesOf(this.#client).length > 0;
  }

  #spell(connection: Connection, name: string) {
    const scope = this.#clients.scopesOf(this.#client)[0] ?? 'user';
    return this.#clients.writeEntry({ connection, settings: {} }, { client: this.#client, scope, name });
  }

  #outcome(written: ReturnType<Clients['writeEntry']>, name: string): readonly string[] {
    if (!('value' in written)) return written.map(({ message, hint }) => `${message}. ${hint}`);
    const { seed: _, ...client } = this.#client;
    const { value, inputs } = written;
    const file = { client, fileName: client.id, bytes: undefined, name, value, inputs };
    const { bytes } = this.#clients.upsertEntry(file);
    const link = this.#clients.installLink(this.#client, { name, value });
    return [
      code(client.format, new TextDecoder().decode(bytes).trimEnd()),
      ...(link ? ['A link that does the same:', code('', link.url)] : []),
    ];
  }

  #sources(): readonly string[] {
    const { files, stdio, remote, secrets, link } = this.#client.sources;
    const rows = [
      ['places', files],
      ['programs', stdio],
      ['remote servers', remote],
      ['references', secrets],
      ...(link ? [['links', link] as const] : []),
    ] as const;
    const lines = rows.map(([what, source]) => {
      return `- ${what}: ${'cited' in source ? source.cited : `**not verified**: ${source.unverified}`}`;
    });
    return ['## Where this is from', lines.join('\n')];
  }
}

function programConnection({ command, args, variables = [] }: ClientProgram): Connection {
  const env = Object.fromEntries(variables.map((variable) => [variable, [{ variable }]]));
  return { kind: 'stdio', command: [command], args: args.map((arg) => [arg]), env };
}

const FORMATS = { jsonc: 'JSON', toml: 'TOML', yaml: 'YAML' } as const;

const DIALECTS = {
  braces: '`${VAR}`',
  'braces-fallback': '`${VAR}`, `${VAR:-default}`',
  'braces-dollar': '`$VAR`, `${VAR}`',
  'env-braces': '`${env:VAR}`',
  'env-curly': '`{env:VAR}`',
  secrets: '`${{ secrets.VAR }}`',
  input: '`${input:id}`',
  names: "variables' names",
  none: 'no way that is known',
  doorward: '`${VAR}`',
} as const;

function inCode(text: string): string {
  return `\`${text}\``;
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function sections(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
