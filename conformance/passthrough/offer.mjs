/**
 * Everything a server of the 2025 revisions can offer, once, for both versions of the official SDK. `sdk` holds what they
 * do differently; `label` tells the two servers' names, URIs and answers apart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { offerAsking } from './offer-asking.mjs';

/** One pixel, as a PNG in base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A WAVE file without samples, in base64. */
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const PAGE_SIZE = 3;
export const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function infoOf(label) {
  return { name: `offer-${label}`, title: `Offer ${label}`, version: '1.0.0' };
}

export function optionsOf(label) {
  return {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
      completions: {},
    },
    instructions: `Instructions of ${label}: call echo first.\nThen "anything".`,
  };
}

/** Registers the whole offer with an McpServer of either version. */
export function offer(sdk) {
  offerTools(sdk);
  offerResources(sdk);
  offerPrompts(sdk);
  offerGrowth(sdk);
  offerAsking(sdk);
}

export function textResult(text, more = {}) {
  return { content: [{ type: 'text', text }], ...more };
}

function offerTools({ label, server, contextOf }) {
  const config = {
    title: 'Echo',
    description: `Says it again, from ${label}`,
    inputSchema: z.object({ message: z.string() }),
    annotations: { readOnlyHint: true, idempotentHint: true },
    _meta: { 'example.com/group': { rank: 1 } },
  };
  server.registerTool('echo', config, ({ message }) => textResult(`${label}: ${message}`));
  server.registerTool(
    'get-structured-content',
    {
      inputSchema: z.object({ location: z.string() }),
      outputSchema: z.object({ location: z.string(), readings: z.array(z.number()), note: z.null() }),
    },
    ({ location }) => {
      const structuredContent = { location, readings: [1, 2.5, -3e-7], note: null };
      return textResult(JSON.stringify(structuredContent), { structuredContent });
    },
  );
  server.registerTool('get-content', { inputSchema: z.object({ kind: z.string() }) }, ({ kind }) => ({
    content: [contentOf(label, kind)],
  }));
  server.registerTool('count', { inputSchema: z.object({ steps: z.number() }) }, async ({ steps }, extra) => {
    const { meta, notify } = contextOf(extra);
    for (let progress = 1; progress <= steps; progress++) {
      const params = { progressToken: meta.progressToken, progress, total: steps, message: `step ${progress}` };
      await notify({ method: 'notifications/progress', params });
      await sleep(20);
    }
    return textResult('counted');
  });
  server.registerTool('wait', {}, async (...given) => {
    const { signal } = contextOf(given.at(-1));
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 4_000);
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)));
    });
    return textResult('waited');
  });
  server.registerTool('fail', {}, () => textResult(`${label} could not`, { isError: true, _meta: { why: [null, 1] } }));
  server.registerTool('get-meta', {}, (...given) => {
    const { progressToken: _, ...meta } = contextOf(given.at(-1)).meta ?? {};
    return textResult(JSON.stringify(meta), {
      _meta: { 'example.com/answer': { list: [1, { a: null }] }, plain: 'kept' },
    });
  });
  server.registerTool('get-number', { outputSchema: z.object({ value: z.unknown() }) }, () =>
    textResult('a number', { structuredContent: { value: 'number:12345678901234567890' } }),
  );
  server.registerTool('log-all', {}, async () => {
    for (const level of LEVELS) {
      await server.server.sendLoggingMessage({ level, logger: `${label}.log`, data: { level, nested: [1, null] } });
    }
    return textResult('logged');
  });
}

function contentOf(label, kind) {
  const annotations = { audience: ['user'], priority: 0.5 };
  switch (kind) {
    case 'image':
      return { type: 'image', data: PIXEL, mimeType: 'image/png', annotations };
    case 'audio':
      return { type: 'audio', data: SILENCE, mimeType: 'audio/wav', annotations };
    case 'link':
      return { type: 'resource_link', uri: `${label}://page/1`, name: 'page-1', title: 'Page', mimeType: 'text/plain' };
    case 'blob':
      return { type: 'resource', resource: { uri: `${label}://pixel`, mimeType: 'image/png', blob: PIXEL } };
    default:
      return { type: 'resource', resource: { uri: `${label}://inside`, text: 'inside', _meta: { depth: 1 } } };
  }
}

function offerResources({ label, server, ResourceTemplate, makeError, onRequest }) {
  const listed = [];
  const add = (name, uri, metadata, contents) => {
    server.registerResource(name, uri, metadata, ({ href }) => ({ contents: [{ uri: href, ...contents }] }));
    listed.push({ uri, name, ...metadata });
  };
  add(
    'notes',
    `${label}://notes`,
    { title: 'Notes', mimeType: 'text/plain', size: 5 },
    { text: `notes of ${label} ✓` },
  );
  add('pixel', `${label}://pixel`, { mimeType: 'image/png' }, { mimeType: 'image/png', blob: PIXEL });
  for (let page = 1; page <= 6; page++) add(`page-${page}`, `${label}://page/${page}`, {}, { text: `page ${page}` });
  const template = new ResourceTemplate(`${label}://item/{id}`, {
    list: undefined,
    complete: { id: (value) => ['one', 'two', 'three'].filter((id) => id.startsWith(value)) },
  });
  server.registerResource('items', template, { description: 'Any item', mimeType: 'text/plain' }, (uri, { id }) => {
    if (id === 'none') throw makeError(-32002, 'No such item', { uri: uri.href, tried: [1, 2] });
    return { contents: [{ uri: uri.href, text: `item ${id} of ${label}` }] };
  });

  onRequest('resources/list', (params) => {
    const start = Number(params?.cursor ?? 0);
    const end = start + PAGE_SIZE;
    const resources = listed.slice(start, end);
    return end < listed.length ? { resources, nextCursor: String(end) } : { resources };
  });
  const subscribed = new Set();
  onRequest('resources/subscribe', ({ uri }) => {
    subscribed.add(uri);
    return {};
  });
  onRequest('resources/unsubscribe', ({ uri }) => {
    subscribed.delete(uri);
    return {};
  });
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
    if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
    return textResult(subscribed.has(uri) ? 'told' : 'not subscribed');
  });
  server.registerTool('add-resource', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    add(name, `${label}://added/${name}`, {}, { text: `added ${name}` });
    return textResult(`${label}://added/${name}`);
  });
}

function offerPrompts({ label, server, completable }) {
  server.registerPrompt('hello', { title: 'Hello', description: `Greets from ${label}` }, () => ({
    messages: [{ role: 'assistant', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } }],
    _meta: { 'example.com/prompt': true },
  }));
  const cities = { north: ['Oslo', 'Umea'], south: ['Rome', 'Oran'] };
  const argsSchema = z.object({
    region: completable(z.string().describe('Where'), (value) =>
      Object.keys(cities).filter((c) => c.startsWith(value)),
    ),
    city: completable(z.string(), (value, context) =>
      (cities[context?.arguments?.region] ?? []).filter((city) => city.startsWith(value)),
    ),
    tone: z.string().optional(),
  });
  // Version 1 wants the shape, version 2 takes either.
  server.registerPrompt('travel', { description: 'Plans a way', argsSchema: argsSchema.shape }, (args) => ({
    description: `for ${args.city}`,
    messages: [{ role: 'user', content: { type: 'text', text: `${label}: ${args.region}/${args.city}/${args.tone}` } }],
  }));
}

/** Lists that change while the server runs; the SDK announces each. The ghost goes without a word. */
function offerGrowth({ label, server }) {
  const ghost = server.registerTool('ghost', {}, () => textResult(`boo from ${label}`));
  server.registerTool('banish-ghost', {}, () => {
    ghost.enabled = false;
    return textResult('banished');
  });
  const input = { inputSchema: z.object({ name: z.string() }) };
  server.registerTool('add-tool', input, ({ name }) => {
    server.registerTool(name, { description: 'added' }, () => textResult(`${name} of ${label}`));
    return textResult('added');
  });
  server.registerTool('add-prompt', input, ({ name }) => {
    server.registerPrompt(name, {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }));
    return textResult('added');
  });
}
