import { addressOf, cardPathOf, endpointOf, PLACES } from './paths.js';
import type { PublicTool, Surface } from './types.js';

/** `/llms.txt`: the server for models that read pages: a title, a line on what it is, then lists of links (llmstxt.org). */
export function llmsText(surface: Surface): string {
  const { server, tools, contact } = surface;
  const { title = server.name, description, instructions, websiteUrl } = server;
  const link = (name: string, path: string, what: string): string =>
    `- [${name}](${addressOf(surface, path)}): ${what}`;
  const sections = [
    `# ${onOneLine(title)}`,
    `> ${onOneLine(description)}`,
    `An MCP server (Model Context Protocol, streamable HTTP) at ${endpointOf(surface)}`,
    ...(instructions === undefined ? [] : [instructions.trim()]),
    ...(tools.length === 0 ? [] : ['## Tools', tools.map(toolLine).join('\n')]),
    '## Documents',
    [
      `- [Server card](${cardPathOf(endpointOf(surface))}): who the server is and how it is reached`,
      link('Tools', PLACES.index, 'every tool with its schemas'),
      link('OpenAPI', PLACES.openapi, 'all that is served here'),
      ...(websiteUrl === undefined ? [] : [`- [Website](${websiteUrl})`]),
    ].join('\n'),
    ...(contact === undefined ? [] : ['## Contact', contact]),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** What is said of a tool, in characters: the index has all of it. */
const MAX_SAID = 500;

function toolLine({ name, description }: PublicTool): string {
  const code = `\`${onOneLine(name).replaceAll('`', "'")}\``;
  return description === undefined ? `- ${code}` : `- ${code}: ${plain(description)}`;
}

/** A text of somebody else's is to be read, not to lead anywhere: it makes no links, images or tags, and fills no window. */
function plain(text: string): string {
  // By characters, which may be pairs; of megabytes no more is looked at than could be said.
  const characters = Array.from(onOneLine(text.slice(0, MAX_SAID * 4)));
  const said = characters.length > MAX_SAID ? `${characters.slice(0, MAX_SAID).join('')}…` : characters.join('');
  return said.replace(/[[\]<]/g, '\\$&');
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
