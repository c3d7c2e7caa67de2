import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { DOCUMENTS, type DocumentName, routeTable, type Target } from '../../discovery/index.js';
import type { LiveServer } from './live-server.js';
import type { Introduction, ShownTool } from './peer.js';
import type { Finding } from './types.js';

type Json = Readonly<Record<string, unknown>>;
type Served = Pick<LiveServer, 'get' | 'introduction' | 'url'>;

/** Holds one document, at its place, to what the server says to a client that connects. */
type Reading = (document: Document) => readonly Finding[] | Promise<readonly Finding[]>;

interface Document extends Introduction {
  readonly place: string;
  readonly text: string;
  /** The document as JSON; empty where it is none. */
  readonly json: Json;
  /** The tool's own name by the one of a target. */
  namesOf(target: Target): Promise<Names>;
}

type Names = Readonly<Record<string, string>>;

const EVERYTHING = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta'];
const SUMMARY = ['title', 'description', 'annotations'];

/** What of each document repeats what the server is or lists. A document without a row here does not compile. */
const READINGS: Readonly<Record<DocumentName, Reading>> = {
  card: (document) => [...sameIdentity(document, document.json), ...withoutTools(document)],
  mcp: (document) => [...sameIdentity(document, document.json), ...sameSummary(document)],
  aiCatalog: (document) => sameEntries(document),
  apiCatalog: () => [],
  toolsIndex: (document) => sameTools(document, toolsIn(document.json.tools), EVERYTHING),
  openai: (document) => sameTarget(document),
  anthropic: (document) => sameTarget(document),
  gemini: (document) => sameTarget(document),
  openaiTools: (document) => sameArray(document, 'openai'),
  openaiStrictTools: (document) => sameArray(document, 'openai'),
  openaiResponsesTools: (document) => sameArray(document, 'openai'),
  openaiResponsesStrictTools: (document) => sameArray(document, 'openai'),
  anthropicTools: (document) => sameArray(document, 'anthropic'),
  anthropicStrictTools: (document) => sameArray(document, 'anthropic'),
  geminiTools: (document) => sameArray(document, 'gemini'),
  geminiStrictTools: (document) => sameArray(document, 'gemini'),
  protectedResource: () => [],
  registryAuth: () => [],
  openapi: (document) => sameVersion(document, (document.json.info as Json | undefined)?.version),
  llms: (document) => namedIn(document),
};

/** Holds every document of a running server to what it answers to initialize and tools/list. */
export async function compareSurfaces({ get, introduction, url }: Served): Promise<readonly Finding[]> {
  const routes = routeTable({ path: new URL(url).pathname });
  const places = routes.flatMap(({ path, serves }) => ('document' in serves ? [[path, serves.document] as const] : []));
  const namesOf = namesBy(async (target) => {
    const place = places.find(([, name]) => name === target)?.[0] ?? '';
    return (parse(await (await get(place)).text()).names ?? {}) as Names;
  });
  const findings = await Promise.all(
    places.map(async ([place, name]) => {
      const response = await get(place);
      const text = await response.text();
      if (response.status === 404 && DOCUMENTS[name].missing !== undefined) return [];
      if (!response.ok) return [{ message: `${place} is answered with HTTP ${response.status}` }];
      const document = { ...introduction, place, text, json: parse(text), namesOf };
      return [...(await READINGS[name](document)), ...brokenShape(document, name)];
    }),
  );
  return findings.flat();
}

/** Each asked for once. */
function namesBy(read: (target: Target) => Promise<Names>): Document['namesOf'] {
  const known = new Map<Target, Promise<Names>>();
  return (target) => {
    const names = known.get(target) ?? read(target);
    known.set(target, names);
    return names;
  };
}

function brokenShape({ place, text, json }: Document, name: DocumentName): readonly Finding[] {
  const { contentType, schema } = DOCUMENTS[name];
  const read = z.safeParse(schema, contentType.includes('json') ? json : text);
  const [issue] = read.error?.issues ?? [];
  return issue === undefined ? [] : [{ message: `${place} /${issue.path.join('/')}: ${issue.message}` }];
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

function toolsIn(value: unknown): readonly ShownTool[] {
  return Array.isArray(value) ? (value as readonly ShownTool[]) : [];
}

function sameTools(
  { place, tools }: Document,
  shown: readonly ShownTool[],
  members: readonly string[],
): readonly Finding[] {
  return compareTools({ place, tools: shown, members }, tools);
}

/** A place where tools are shown, and the members of each that are to be the same as in tools/list. */
export interface Showing {
  readonly place: string;
  readonly tools: readonly ShownTool[];
  readonly members: readonly string[];
}

/** Where a surface does not show the tools that tools/list shows, or shows them otherwise. */
export function compareTools({ place, tools, members }: Showing, listed: readonly ShownTool[]): readonly Finding[] {
  const shown = new Map(tools.map((tool) => [tool.name, tool]));
  const names = new Set(listed.map(({ name }) => name));
  const missing = listed.filter(({ name }) => !shown.has(name));
  const more = tools.filter(({ name }) => !names.has(name));
  return [
    ...missing.map(({ name }) => ({ message: `${place} lacks the tool ${name}, which tools/list has` })),
    ...more.map(({ name }) => ({ message: `${place} has a tool ${name}, which tools/list lacks` })),
    ...(shown.size < tools.length ? [{ message: `${place} has a tool twice` }] : []),
    ...listed.flatMap((tool) => {
      const other = shown.get(tool.name);
      if (other === undefined) return [];
      return members
        .filter((member) => !isDeepStrictEqual(other[member], tool[member]))
        .map((member) => ({ message: `${place} shows another ${member} of ${tool.name} than tools/list` }));
    }),
  ];
}

function sameIdentity(document: Document, who: Json): readonly Finding[] {
  const { place, serverInfo } = document;
  const isSame = who.name === serverInfo.name;
  return [
    ...(isSame ? [] : [{ message: `${place} says it is ${who.name}, initialize says ${serverInfo.name}` }]),
    ...sameVersion(document, who.version),
  ];
}

function sameVersion({ place, serverInfo: { version } }: Document, says: unknown): readonly Finding[] {
  return says === version ? [] : [{ message: `${place} says version ${says}, initialize says ${version}` }];
}

/** A card is who the server is, and no more (SEP-2127). */
function withoutTools({ place, json }: Document): readonly Finding[] {
  return json.tools === undefined ? [] : [{ message: `${place} names tools, which a server card does not` }];
}

/** The tools are left out where they would be too long; their number is not. */
function sameSummary(document: Document): readonly Finding[] {
  const { place, json, tools } = document;
  const count = (json.tools_summary as Json | undefined)?.count;
  return [
    ...(json.tools === undefined ? [] : sameTools(document, toolsIn(json.tools), SUMMARY)),
    ...(count === tools.length ? [] : [{ message: `${place} counts ${count} tools, tools/list has ${tools.length}` }]),
  ];
}

/** The first entry is the server itself. */
function sameEntries(document: Document): readonly Finding[] {
  const [own] = (document.json.entries ?? []) as readonly { readonly data?: Json; readonly url?: string }[];
  if (own === undefined) return [{ message: `${document.place} has no entry` }];
  return own.data === undefined ? [] : sameIdentity(document, own.data);
}

function sameTarget(document: Document): readonly Finding[] {
  const shown = toolsIn(document.json.tools);
  const names = Object.values((document.json.names ?? {}) as Json);
  const unnamed = shown.filter(({ name }) => !names.includes(name));
  return [
    ...sameTools(document, shown, ['annotations']),
    ...unnamed.map(({ name }) => ({ message: `${document.place} has no name for ${name}` })),
  ];
}

async function sameArray(document: Document, target: Target): Promise<readonly Finding[]> {
  const names = await document.namesOf(target);
  const list = toolsIn(document.json)
    .flatMap((one) => (Array.isArray(one.functionDeclarations) ? (one.functionDeclarations as readonly Json[]) : [one]))
    .map((one) => (one.function as Json | undefined) ?? one)
    .map((one) => ({ ...one, name: names[String(one.name)] ?? String(one.name) }));
  return sameTools(document, list, ['description']);
}

function namedIn({ place, text, tools }: Document): readonly Finding[] {
  const absent = tools.filter(({ name }) => !text.includes(`\`${name}\``));
  return absent.map(({ name }) => ({ message: `${place} lacks the tool ${name}, which tools/list has` }));
}
