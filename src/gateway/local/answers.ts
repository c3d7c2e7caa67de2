import { DoorError, ExactNumber } from '../../base/index.js';
import {
  CONTENT,
  type ContentBlock,
  type PromptMessage,
  type ResourceContent,
  type StandardIssue,
  type Tool,
  type ValueWithContent,
} from '../../contract/index.js';
import { pathOf, pointerOf } from '../../schema/index.js';

/** The text of a tool's result (MCP server/tools, Tool Result). */
export function toolResult(returned: unknown): string {
  const { value, content } = isWithContent(returned)
    ? { value: returned.value, content: returned[CONTENT] }
    : { value: returned, content: undefined };
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('the handler returned nothing; it must return its output');
  const shown: readonly ContentBlock[] = content ?? [{ type: 'text', text }];
  holdBlocks(shown);
  return `{"content":${JSON.stringify(shown)},"structuredContent":${text}}`;
}

/**
 * Nobody behind this looks at content again, and a client may end its connection over a block that is none.
 *
 * @throws {TypeError}
 */
function holdBlocks(content: unknown): void {
  if (!Array.isArray(content)) throw new TypeError('content must be a list of content blocks');
  const at = content.findIndex((block) => typeof (block as ContentBlock | null | undefined)?.type !== 'string');
  if (at >= 0) throw new TypeError(`content[${at}] is no content block: it has no type`);
}

function isWithContent(value: unknown): value is ValueWithContent {
  return typeof value === 'object' && value !== null && CONTENT in value;
}

/** The text of a result that says what went wrong, for the model to read. */
export function toolFailure(message: string): string {
  return JSON.stringify({ content: [{ type: 'text', text: message }], isError: true });
}

/** A refinement of the author's own refuses what the JSON Schema lets pass. */
export function refusedBySchema(tool: Tool, issues: readonly StandardIssue[]): DoorError {
  const found = issues.slice(0, 20).map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === 'object' ? step.key : step));
    const place = keys.map((key) => (typeof key === 'symbol' ? String(key) : key));
    return { path: pathOf(place), pointer: pointerOf(place), keyword: 'refinement', message };
  });
  return invalidArguments(tool, found);
}

/** A handler works with numbers of JavaScript: one they cannot hold would reach it rounded. */
export function refuseExactNumbers(tool: Tool, value: unknown): void {
  const place = findExactNumber(value);
  if (place === undefined) return;
  const message = 'has more digits than this tool can keep; it takes numbers up to 2^53';
  throw invalidArguments(tool, [{ path: pathOf(place), pointer: pointerOf(place), keyword: 'number', message }]);
}

/** @returns where the first one is */
function findExactNumber(value: unknown): readonly (string | number)[] | undefined {
  if (value instanceof ExactNumber) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const place = findExactNumber(member);
    if (place !== undefined) return [Array.isArray(value) ? Number(key) : key, ...place];
  }
  return undefined;
}

interface OwnIssue {
  readonly path: string;
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

function invalidArguments({ name }: Tool, issues: readonly OwnIssue[]): DoorError {
  const [first] = issues;
  const where = first === undefined ? 'they were refused' : `${first.path} ${first.message}`;
  return new DoorError('INVALID_ARGUMENTS', `Invalid arguments for ${name}: ${where}`, {
    data: { tool: name, issues },
    hint: 'Correct the arguments as the issues say and call again.',
  });
}

/** The text of a result of resources/read. */
export function resourceResult(uri: string, mimeType: string | undefined, content: ResourceContent): string {
  const common = { uri, ...(mimeType !== undefined && { mimeType }) };
  if (typeof content === 'string') return JSON.stringify({ contents: [{ ...common, text: content }] });
  if (content instanceof Uint8Array) return JSON.stringify({ contents: [{ ...common, blob: base64Of(content) }] });
  const contents = content.map(({ blob, ...rest }) => ({
    ...common,
    ...rest,
    ...(blob !== undefined && { blob: base64Of(blob) }),
  }));
  return JSON.stringify({ contents });
}

const CHUNK = 0x8000;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

/** The text of a result of prompts/get. */
export function promptResult(description: string | undefined, given: string | readonly PromptMessage[]): string {
  const messages = typeof given === 'string' ? [{ role: 'user', content: { type: 'text', text: given } }] : given;
  if (!Array.isArray(messages)) throw new TypeError('a prompt must give a string or a list of messages');
  holdBlocks(messages.map((message) => (message as PromptMessage | null | undefined)?.content));
  const odd = messages.findIndex(({ role }) => role !== 'user' && role !== 'assistant');
  if (odd >= 0) throw new TypeError(`the role of message ${odd} must be user or assistant`);
  return JSON.stringify({ ...(description !== undefined && { description }), messages });
}
