// @ts-check
/** The official SDK's clients on the same stage: what an SDK can say, it must be able to say through doorward. */
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v1 from '@modelcontextprotocol/sdk/types.js';
import { REVISION } from './caller.mjs';
import { SDK_FEATURES } from './sdk-features.mjs';
import { FULL, within } from './stage.mjs';

const FEATURE_WITHIN_MS = 10_000;
const INFO = { name: 'matrix', version: '1.0.0' };
const ASKED = {
  'elicitation/create': v1.ElicitRequestSchema,
  'sampling/createMessage': v1.CreateMessageRequestSchema,
  'roots/list': v1.ListRootsRequestSchema,
};

/** @typedef {keyof typeof ASKED} AskedMethod */
/** @typedef {{ title: string, era: 'handshake' | 'modern', make: () => any, transport: (place: any) => any, onAsked: (client: any, method: AskedMethod, answer: (params: any) => any) => void, call: (client: any, params: object, options?: object | undefined) => Promise<any> }} Sdk */

/** @type {readonly Sdk[]} */
const SDKS = [
  {
    title: 'SDK v1',
    era: 'handshake',
    make: () => new ClientV1(INFO, { capabilities: FULL }),
    transport: (place) => ('url' in place ? new HttpV1(new URL(place.url)) : new StdioV1({ ...place, stderr: 'pipe' })),
    onAsked: (client, method, answer) =>
      client.setRequestHandler(ASKED[method], (/** @type {any} */ { params }) => answer(params)),
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  .../** @type {const} */ (['handshake', 'modern']).map((era) => ({
    title: `SDK v2 (${REVISION[era]})`,
    era,
    make: () =>
      new ClientV2(INFO, {
        capabilities: FULL,
        versionNegotiation: { mode: era === 'modern' ? { pin: REVISION.modern } : 'legacy' },
      }),
    transport: (/** @type {any} */ place) =>
      'url' in place ? new HttpV2(new URL(place.url)) : new StdioV2({ ...place, stderr: 'pipe' }),
    onAsked: (
      /** @type {any} */ client,
      /** @type {AskedMethod} */ method,
      /** @type {(params: any) => any} */ answer,
    ) => client.setRequestHandler(method, (/** @type {any} */ { params }) => answer(params)),
    call: (/** @type {any} */ client, /** @type {object} */ params, /** @type {object | undefined} */ options) =>
      client.callTool(params, options),
  })),
];

/** One connected client, and what it was told and asked. */
export class SdkTrial {
  /** @type {{ method: string, params: any }[]} */
  heard = [];
  /** @type {Record<string, (params: any) => unknown>} */
  answers = {};

  /** @param {Sdk} sdk @param {import('./stage.mjs').Pair} pair */
  constructor(sdk, pair) {
    this.sdk = sdk;
    this.era = sdk.era;
    this.upstreamEra = pair.upstreamEra;
    this.isDirect = pair.isDirect;
    this.client = sdk.make();
    this.client.fallbackNotificationHandler = async (/** @type {any} */ { method, params }) =>
      void this.heard.push({ method, params });
    for (const method of /** @type {AskedMethod[]} */ (Object.keys(ASKED))) {
      sdk.onAsked(this.client, method, (params) => this.answers[method]?.(params));
    }
  }

  /** @param {string} own */
  name(own) {
    return this.isDirect ? own : `up__${own}`;
  }

  /** @param {string} tool @param {object} [input] @param {object} [options] */
  call(tool, input = {}, options) {
    return this.sdk.call(this.client, { name: this.name(tool), arguments: input }, options);
  }

  /** Looks every 10 ms whether it holds. @param {() => unknown} condition @param {string} what */
  async until(condition, what) {
    const endsAt = performance.now() + 4_000;
    while (!condition()) {
      if (performance.now() > endsAt) throw new Error(`waited 4 s for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/**
 * @param {import('./stage.mjs').Stage} stage @param {string | undefined} only
 * @returns {Promise<Map<string, string>>} why, by the feature's id: those that did not pass
 */
export async function trySdks(stage, only) {
  /** @type {Map<string, string>} */
  const failed = new Map();
  for (const sdk of SDKS.filter(({ era }) => era === stage.pair.callerEra)) {
    const trial = new SdkTrial(sdk, stage.pair);
    const features = SDK_FEATURES.filter(({ id }) => only === undefined || id === only);
    try {
      await within(FEATURE_WITHIN_MS, trial.client.connect(sdk.transport(await stage.place())), 'the connection');
      for (const { id, run } of features) {
        await within(FEATURE_WITHIN_MS, run(trial), 'its end').catch((error) =>
          failed.set(id, `${sdk.title}: ${error.message}`),
        );
      }
    } catch (error) {
      for (const { id } of features)
        failed.set(id, `${sdk.title} could not connect: ${error instanceof Error ? error.message : error}`);
    } finally {
      await trial.client.close().catch(() => {});
    }
  }
  return failed;
}
