import type { ClientSpec, JsonObject, LinkFormat } from './spec.js';

export interface InstallLink {
  readonly client: string;
  readonly url: string;
}

/** What a link is made of: the entry as the client spells it. */
export interface LinkFacts {
  readonly name: string;
  readonly value: JsonObject;
}

/**
 * The link that installs an entry in a client, where the client has such links and they can say this entry.
 *
 * - Cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=&config=` (base64 of the entry)
 * - VS Code: `vscode:mcp/install?` and the entry with its name, as percent-encoded JSON
 * - LM Studio: `lmstudio://add_mcp?name=&config=` (base64 of the entry)
 * - Goose: `goose://extension?cmd=&arg=&id=&name=&description=`; programs only, and without their environment
 */
export function installLink({ id, link }: ClientSpec, facts: LinkFacts): InstallLink | undefined {
  const url = link && LINKS[link](facts);
  return url === undefined ? undefined : { client: id, url };
}

const LINKS: Readonly<Record<LinkFormat, (facts: LinkFacts) => string | undefined>> = {
  cursor: ({ name, value }) => `cursor://anysphere.cursor-deeplink/mcp/install?${configQuery(name, value)}`,
  vscode: ({ name, value }) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...value }))}`,
  lmstudio: ({ name, value }) => `lmstudio://add_mcp?${configQuery(name, value)}`,
  goose: gooseLink,
};

function configQuery(name: string, value: JsonObject): string {
  return `name=${encodeURIComponent(name)}&config=${encodeURIComponent(base64(JSON.stringify(value)))}`;
}

/** Base64 of the text's UTF-8. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function gooseLink({ name, value }: LinkFacts): string | undefined {
  const { cmd, args, envs, env_keys: keys } = value;
  const hasEnvironment = envs !== undefined || keys !== undefined;
  if (typeof cmd !== 'string' || !Array.isArray(args) || hasEnvironment) return undefined;
  const words = [['cmd', cmd], ...args.map((arg) => ['arg', String(arg)])];
  const labels = [
    ['id', name],
    ['name', name],
    ['description', name],
  ];
  return `goose://extension?${[...words, ...labels].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
}

/** Reads an install link back. @returns undefined for a link of another kind, or one that is damaged */
export function readInstallLink(link: LinkFormat, url: string): LinkFacts | undefined {
  try {
    const query = url.slice(url.indexOf('?') + 1);
    if (link === 'vscode') {
      const { name, ...value } = JSON.parse(decodeURIComponent(query)) as JsonObject;
      return { name: String(name), value };
    }
    const parameters = query.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
    const named = (wanted: string): string[] =>
      parameters.flatMap(([key, value = '']) => (key === wanted ? [value] : []));
    const [name = ''] = named('name');
    if (link === 'goose') return { name, value: { cmd: named('cmd')[0]!, args: named('arg') } };
    const bytes = Uint8Array.from(atob(named('config')[0]!), (character) => character.charCodeAt(0));
    return { name, value: JSON.parse(new TextDecoder().decode(bytes)) as JsonObject };
  } catch {
    return undefined;
  }
}
