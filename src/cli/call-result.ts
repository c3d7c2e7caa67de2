import { indentJson } from './indent-json.js';
import { findMemberText } from './tool-definition.js';

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: {
    readonly uri?: unknown;
    readonly text?: unknown;
    readonly blob?: unknown;
    readonly mimeType?: unknown;
  };
}

/** A tool's result as text: what it says, with a word for what cannot be shown. Exact JSON where it says nothing. */
export function resultText(json: string): string {
  const { content } = JSON.parse(json) as { readonly content?: unknown };
  const blocks = Array.isArray(content) ? content.filter(isBlock) : [];
  if (blocks.length > 0) return blocks.map(blockText).map(endLine).join('');
  return endLine(indentJson(findMemberText(json, 'structuredContent') ?? json));
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null;
}

function blockText(block: Block): string {
  const { type, text, data, mimeType, uri, name, resource } = block;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && typeof resource?.text === 'string') return resource.text;
  if (type === 'resource') return placeholder('resource', resource?.uri, resource?.mimeType, sizeOf(resource?.blob));
  if (type === 'resource_link') return placeholder('resource', uri, name, mimeType);
  return placeholder(type, mimeType, sizeOf(data));
}

/** `[image image/png, 1234 bytes]` */
function placeholder(type: unknown, ...facts: readonly unknown[]): string {
  const known = facts.filter((fact) => typeof fact === 'string');
  return `[${[typeof type === 'string' ? type : 'unknown content', known.join(', ')].filter(Boolean).join(' ')}]`;
}

/** The size of what base64 text stands for. */
function sizeOf(base64: unknown): string | undefined {
  if (typeof base64 !== 'string') return undefined;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return `${Math.floor((base64.length * 3) / 4) - padding} bytes`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
