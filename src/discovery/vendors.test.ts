import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { Tool as AnthropicTool } from '@anthropic-ai/sdk/resources/messages';
import { type Tool as GeminiTool, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { toStrictJsonSchema } from 'openai/lib/transform';
import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import type { FunctionTool } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTestData } from '../../conformance/schema/data.js';
import { readRealTools } from '../../test/fixtures/real-tools.js';
import { SURFACE } from '../../test/fixtures/surface.js';
import { toolsArray } from './agent-tools.js';
import { FORMS, projectTools, type Variant } from './projections/index.js';
import type { PublicTool } from './types.js';

// The vendors' own SDKs take the arrays as they are: by their types, by their converters, and by what they would send.

type Sent = Record<string, unknown>;

/** Stands where the vendors are, and keeps what it is sent. */
const sent: Sent[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  request.on('end', () => {
    sent.push(JSON.parse(text) as Sent);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
});
let baseURL = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** As a program has them that fetched the document. */
function fetched<Tools>(form: (typeof FORMS)[number], variant: Variant, tools: readonly PublicTool[]): Tools {
  return JSON.parse(JSON.stringify(toolsArray({ ...SURFACE, tools }, form, variant))) as Tools;
}

async function sendOpenai(variant: Variant, tools: readonly PublicTool[]): Promise<unknown> {
  const array = fetched<ChatCompletionTool[]>('openai', variant, tools);
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
  await client.chat.completions.create({ model: 'm', messages: [], tools: array });
  return [sent.at(-1)!.tools, array];
}

async function sendResponses(variant: Variant, tools: readonly PublicTool[]): Promise<unknown> {
  const array = fetched<FunctionTool[]>('openai-responses', variant, tools);
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
  await client.responses.create({ model: 'm', input: 'x', tools: array });
  return [sent.at(-1)!.tools, array];
}

async function sendAnthropic(variant: Variant, tools: readonly PublicTool[]): Promise<unknown> {
  const array = fetched<AnthropicTool[]>('anthropic', variant, tools);
  const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 });
  await client.messages.create({ model: 'm', max_tokens: 1, messages: [], tools: array });
  return [sent.at(-1)!.tools, array];
}

async function sendGemini(variant: Variant, tools: readonly PublicTool[]): Promise<unknown> {
  const array = fetched<GeminiTool[]>('gemini', variant, tools);
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: baseURL } });
  await client.models.generateContent({ model: 'm', contents: 'x', config: { tools: array } });
  return [sent.at(-1)!.tools, array];
}

const SEND = {
  openai: sendOpenai,
  'openai-responses': sendResponses,
  anthropic: sendAnthropic,
  gemini: sendGemini,
};

describe.each(FORMS)('%s', (form) => {
  test.each(['loose', 'strict'] as const)('its SDK sends the %s array as it is', async (variant) => {
    const [received, array] = (await SEND[form](variant, SURFACE.tools)) as [unknown, unknown];
    expect(received).toEqual(array);
  });
});

describe('the tools of real servers', () => {
  const data = findTestData();
  const tools = data.kind === 'found' ? readRealTools(data.realTools) : [];
  const reason = data.kind === 'absent' ? data.reason : '';

  test.each(FORMS)('%s: its SDK sends all of them as they are, strict and loose', async (form) => {
    for (const variant of ['loose', 'strict'] as const) {
      const [received, array] = (await SEND[form](variant, tools)) as [unknown, unknown];
      expect(received).toEqual(array);
    }
  });

  test.for([
    { target: 'openai', convert: toStrictJsonSchema },
    { target: 'anthropic', convert: transformJSONSchema },
  ] as const)('$target: its converter finds nothing to change in a strict schema', ({ target, convert }, { skip }) => {
    if (tools.length === 0) skip(reason);
    const strict = projectTools(tools, target).filter((tool) => tool.strict.fidelity.kind !== 'unsupported');
    expect(strict.length).toBeGreaterThan(tools.length * 0.95);
    for (const { name, strict: parameters } of strict) {
      expect([name, (convert as (schema: unknown) => unknown)(parameters.schema)]).toEqual([name, parameters.schema]);
    }
  });
});
