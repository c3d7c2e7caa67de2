import { safeParse } from 'zod/mini';
import { DOCUMENTS, type DocumentName } from '../../src/discovery/index.js';
import { ask, type Reply } from './ask.js';
import { officialCardFaults } from './official-card.js';

/** Documents that the example has none of, as it is configured here: no authorization server gives tokens for it. */
const ABSENT: readonly DocumentName[] = ['protectedResource'];
const HOSTILE_HOST = 'evil.example';

export interface Checked {
  readonly reply: Reply;
  /** What is wrong; empty where all is well. */
  readonly faults: readonly string[];
  readonly note: string;
}

/** Asks for a document in every way that there is, and holds what comes back to what was promised. */
export async function checkDocument(url: string, name: DocumentName): Promise<Checked> {
  const reply = await ask(url);
  const isAbsent = ABSENT.includes(name);
  const spoofed = await ask(url, { headers: { host: HOSTILE_HOST } });
  const faults = [
    ...claim(reply.status === (isAbsent ? 404 : 200), `GET is ${reply.status}`),
    ...claim(spoofed.status === reply.status && spoofed.body === reply.body, 'a foreign Host changes it'),
    ...claim(!`${spoofed.body}${JSON.stringify(spoofed.headers)}`.includes(HOSTILE_HOST), 'a foreign Host is repeated'),
    ...claim(reply.headers['access-control-allow-origin'] === '*', 'pages cannot read it'),
    ...(await checkMethods(url, reply)),
  ];
  if (isAbsent) return { reply, faults, note: 'absent here' };
  const official = name === 'card' ? officialCardFaults(JSON.parse(reply.body)) : [];
  faults.push(...checkBody(name, reply), ...(official ?? []), ...(await checkTag(url, reply)));
  const unseen = official === undefined ? ', without the official schema: ../shared/spec is not there' : '';
  return { reply, faults, note: `${reply.body.length} B${unseen}` };
}

function checkBody(name: DocumentName, { headers, body }: Reply): readonly string[] {
  const { contentType, schema, maxAgeSeconds } = DOCUMENTS[name];
  const isText = contentType.startsWith('text/');
  const parsed: unknown = isText ? body : JSON.parse(body);
  const { error } = safeParse(schema, parsed);
  const { generated_at: builtAt } = parsed as { readonly generated_at?: unknown };
  return [
    ...claim(headers['content-type'] === contentType, `its type is ${headers['content-type']}`),
    ...claim(headers['cache-control'] === `public, max-age=${maxAgeSeconds}`, `cached ${headers['cache-control']}`),
    ...claim(name !== 'mcp' || isPast(builtAt), `it was built at ${String(builtAt)}`),
    ...claim(error === undefined, `is not of its schema: ${error?.issues.map(({ path }) => path.join('/')).join(' ')}`),
  ];
}

/** The time of the commit that it was built from, RFC 3339. */
function isPast(time: unknown): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(time)) && Date.parse(String(time)) <= Date.now();
}

async function checkTag(url: string, { headers, body }: Reply): Promise<readonly string[]> {
  const tag = String(headers.etag);
  const same = await ask(url, { headers: { 'if-none-match': tag } });
  const listed = await ask(url, { headers: { 'if-none-match': `"other", ${tag.replace('W/', '')}` } });
  const other = await ask(url, { headers: { 'if-none-match': 'W/"other"' } });
  return [
    ...claim(/^W\/"[\w-]+"$/.test(tag), `ETag is ${tag}`),
    ...claim(same.status === 304 && same.body === '', `If-None-Match of its own tag is ${same.status}`),
    ...claim(same.headers.etag === tag, 'a 304 does not repeat the ETag'),
    ...claim(listed.status === 304, `If-None-Match of a list is ${listed.status}`),
    ...claim(other.status === 200 && other.body === body, `If-None-Match of another tag is ${other.status}`),
  ];
}

async function checkMethods(url: string, reply: Reply): Promise<readonly string[]> {
  const head = await ask(url, { method: 'HEAD' });
  const put = await ask(url, { method: 'PUT', body: '{}' });
  const options = await ask(url, { method: 'OPTIONS' });
  return [
    ...claim(head.status === reply.status && head.body === '', `HEAD is ${head.status}`),
    ...claim(head.headers.etag === reply.headers.etag, 'HEAD has another ETag'),
    ...claim(reply.status !== 200 || (put.status === 405 && put.headers.allow !== undefined), `PUT is ${put.status}`),
    ...claim(options.status === 204, `OPTIONS is ${options.status}`),
  ];
}

export function claim(holds: boolean, fault: string): readonly string[] {
  return holds ? [] : [fault];
}
