// @ts-check
/**
 * A caller that speaks JSON-RPC by itself, in either era, over either link: it sees what an SDK would hide (bytes, big
 * integers, members nobody knows, rounds) and answers what it is asked as a feature told it to.
 */
import { memberText, withFirst } from '../../test/fixtures/feature-json.mjs';
import { HttpLink } from './links.mjs';

const META = 'io.modelcontextprotocol/';
const INFO = { name: 'matrix', version: '1.0.0' };
const ROUNDS = 8;
export const REVISION = { handshake: '2025-11-25', modern: '2026-07-28' };

/** @typedef {{ method: string, params: any, text: string, about: Exchange | undefined }} Heard `about`: on whose stream it came, HTTP only */
/** @typedef {{ text: string, result: string | undefined, value: any, error: any, heard: Heard[] }} Answer */
/** @typedef {{ id: number, answer: Promise<Answer>, heard: Heard[], cancel(reason?: string): void }} Exchange */
/** @typedef {{ meta?: Record<string, unknown>, members?: string, headers?: Record<string, string> }} Sending `members`: JSON text put first into params */

export class Caller {
  /** Everything said that answers nothing, in order. @type {Heard[]} */
  heard = [];
  /** What it was asked, in order. @type {{ method: string, params: any, text: string }[]} */
  asked = [];
  /** What it answers, by method: a result, or an Error for a refusal. @type {Record<string, (params: any) => unknown>} */
  answers = {};
  #lastId = 0;
  #link;
  /** @type {Map<number, { settle: (text: string) => void, reject: (error: unknown) => void }>} */
  #waiting = new Map();
  /** @type {Record<string, string>} */
  #session = {};
  /** @type {AbortController[]} */
  #streams = [];

  /** @param {{ era: 'handshake' | 'modern', link: import('./links.mjs').Link, capabilities: object }} options */
  constructor({ era, link, capabilities }) {
    this.era = era;
    this.#link = link;
    this.capabilities = capabilities;
    void link.lost.then((why) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(why));
    });
  }

  get transport() {
    return this.#link.kind;
  }

  /** Shakes hands where the era wants it. */
  async open() {
    if (this.era === 'modern') {
      this.server = (await this.request('server/discover')).value;
      return;
    }
    const params = { protocolVersion: REVISION.handshake, capabilities: this.capabilities, clientInfo: INFO };
    const { value } = await this.request('initialize', params);
    this.server = value;
    this.#session['MCP-Protocol-Version'] = value.protocolVersion;
    await this.notify('notifications/initialized');
    await this.#listenOutside();
  }

  /** The stream for what belongs to no request. */
  async #listenOutside() {
    if (!(this.#link instanceof HttpLink) || this.#session['Mcp-Session-Id'] === undefined) return;
    const link = this.#link;
    const controller = new AbortController();
    this.#streams.push(controller);
    const headers = { Accept: 'text/event-stream', ...this.#session };
    await new Promise((resolve) => {
      const opened = () => resolve(undefined);
      link
        .exchange('GET', { headers, hear: (text) => this.#hear(text), signal: controller.signal, opened })
        .catch(() => {})
        .finally(opened);
    });
  }

  /** @param {string} method @param {Record<string, unknown>} [params] */
  async notify(method, params) {
    await this.#deliver(JSON.stringify({ jsonrpc: '2.0', method, params }), { 'Mcp-Method': method });
  }

  /**
   * Sends a request; does not follow its rounds.
   *
   * @param {string} method @param {Record<string, unknown>} [params] @param {Sending} [sending]
   * @returns {Exchange}
   */
  start(method, params = {}, { meta = {}, members, headers = {} } = {}) {
    const id = ++this.#lastId;
    const own = this.era === 'modern' ? this.#ownMeta() : {};
    const _meta = { ...own, ...meta };
    let paramsText = JSON.stringify(Object.keys(_meta).length === 0 ? params : { ...params, _meta });
    if (members !== undefined) paramsText = withFirst(paramsText, members);
    const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${paramsText}}`;
    const controller = new AbortController();
    /** @type {{ resolve: (answer: Answer) => void, reject: (error: unknown) => void }} */
    let outcome = { resolve: () => {}, reject: () => {} };
    /** @type {Exchange} */
    const exchange = {
      id,
      heard: [],
      cancel: (reason) => {
        if (this.era === 'modern' && this.transport === 'http') controller.abort();
        else void this.notify('notifications/cancelled', { requestId: id, reason });
      },
      answer: new Promise((resolve, reject) => {
        outcome = { resolve, reject };
      }),
    };
    // A cancelled exchange ends with nobody waiting for it.
    exchange.answer.catch(() => {});
    const settle = (/** @type {string} */ answer) => {
      this.#waiting.delete(id);
      const { error, result: value } = JSON.parse(answer);
      outcome.resolve({ text: answer, result: memberText(answer, 'result'), value, error, heard: exchange.heard });
    };
    this.#waiting.set(id, { settle, reject: outcome.reject });
    this.#deliver(text, { ...this.#mirrored(method, params), ...headers }, { exchange, signal: controller.signal })
      .then(({ status }) => {
        const isUnanswered = this.transport === 'http' && this.#waiting.delete(id);
        if (isUnanswered) outcome.reject(new Error(`${method}: no answer, status ${status}`));
      })
      .catch(outcome.reject);
    return exchange;
  }

  /** @param {string} method @param {Record<string, any>} params */
  #mirrored(method, params) {
    /** @type {Record<string, string>} */
    const headers = { 'Mcp-Method': method };
    const name = method === 'resources/read' ? params.uri : params.name;
    if (['tools/call', 'prompts/get', 'resources/read'].includes(method)) headers['Mcp-Name'] = encodeHeader(name);
    return headers;
  }

  #ownMeta() {
    return {
      [`${META}protocolVersion`]: REVISION.modern,
      [`${META}clientInfo`]: INFO,
      [`${META}clientCapabilities`]: this.capabilities,
    };
  }

  /** @param {string} text @param {Record<string, string>} mirrored @param {{ exchange?: Exchange, signal?: AbortSignal }} [about] */
  async #deliver(text, mirrored, { exchange, signal } = {}) {
    const headers =
      this.era === 'modern' ? { 'MCP-Protocol-Version': REVISION.modern, ...mirrored } : { ...this.#session };
    const hear = (/** @type {string} */ said) => this.#hear(said, this.transport === 'http' ? exchange : undefined);
    const delivery = await this.#link.send(text, { headers, hear, ...(signal ? { signal } : {}) });
    const session = delivery.headers['mcp-session-id'];
    if (this.era === 'handshake' && typeof session === 'string') this.#session['Mcp-Session-Id'] = session;
    return delivery;
  }

  /** @param {string} text @param {Exchange} [about] */
  #hear(text, about) {
    const { method, id, params } = JSON.parse(text);
    if (method === undefined) return this.#waiting.get(Number(id))?.settle(text);
    if (id !== undefined) return void this.#answer(text, method, params);
    const entry = { method, params, text, about };
    this.heard.push(entry);
    about?.heard.push(entry);
  }

  /** What a server of the handshake era asks. @param {string} text @param {string} method @param {any} params */
  async #answer(text, method, params) {
    const id = memberText(text, 'id');
    let answer;
    try {
      answer = `"result":${JSON.stringify(await this.#reply(text, method, params))}`;
    } catch (refusal) {
      answer = `"error":{"code":-32603,"message":${JSON.stringify(String(refusal))}}`;
    }
    await this.#deliver(`{"jsonrpc":"2.0","id":${id},${answer}}`, {});
  }

  /** @param {string} text @param {string} method @param {any} params */
  #reply(text, method, params) {
    this.asked.push({ method, params, text });
    const answer = this.answers[method];
    if (answer === undefined) throw new Error(`nobody expected ${method}`);
    return answer(params);
  }

  /**
   * Sends a request and, in the modern era, gives answers until it is complete.
   *
   * @param {string} method @param {Record<string, unknown>} [params] @param {Sending} [sending]
   * @returns {Promise<Answer>}
   */
  async request(method, params = {}, sending = {}) {
    let rounds = {};
    /** @type {Heard[]} */
    const heard = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const exchange = this.start(method, { ...params, ...rounds }, sending);
      const answer = await exchange.answer;
      heard.push(...exchange.heard);
      if (answer.value?.resultType !== 'input_required') return { ...answer, heard };
      rounds = await this.#answerRound(answer);
    }
    throw new Error(`${method}: more than ${ROUNDS} rounds`);
  }

  /** @param {Answer} answer */
  async #answerRound({ value, text }) {
    const { inputRequests = {}, requestState } = value;
    /** @type {Record<string, unknown>} */
    const inputResponses = {};
    for (const [key, { method, params }] of /** @type {[string, any][]} */ (Object.entries(inputRequests))) {
      const asked = memberText(text, 'result', 'inputRequests', key) ?? '';
      inputResponses[key] = await this.#reply(asked, method, params);
    }
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  /**
   * Asks to be told of changes: of all lists, and of these resources.
   *
   * @param {readonly string[]} [uris]
   * @returns {Promise<() => Promise<void>>} ends it
   */
  async watch(uris = []) {
    if (this.era === 'handshake') {
      for (const uri of uris) ok(await this.request('resources/subscribe', { uri }));
      return async () => {
        for (const uri of uris) ok(await this.request('resources/unsubscribe', { uri }));
      };
    }
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: uris,
    };
    const exchange = this.start('subscriptions/listen', { notifications });
    const isAcknowledged = (/** @type {Heard} */ { method, params }) =>
      method === 'notifications/subscriptions/acknowledged' && params._meta?.[`${META}subscriptionId`] === exchange.id;
    await this.until(() => this.heard.some(isAcknowledged), 'the subscription to be acknowledged');
    return async () => exchange.cancel();
  }

  /** @param {string} level */
  async setLevel(level) {
    if (this.era === 'handshake') ok(await this.request('logging/setLevel', { level }));
    return this.era === 'modern' ? { meta: { [`${META}logLevel`]: level } } : {};
  }

  /** @param {string} list @param {string} member @returns {Promise<{ entries: any[], pages: number }>} */
  async all(list, member) {
    const entries = [];
    /** @type {string | undefined} */
    let cursor;
    for (let pages = 1; pages <= 100; pages++) {
      /** @type {any} */
      const { value } = ok(await this.request(list, cursor === undefined ? {} : { cursor }));
      entries.push(...value[member]);
      cursor = value.nextCursor;
      if (cursor === undefined) return { entries, pages };
    }
    throw new Error(`${list} has no last page`);
  }

  /** Looks every 10 ms whether it holds. @param {() => unknown} condition @param {string} what @param {number} [withinMs] */
  async until(condition, what, withinMs = 4_000) {
    const endsAt = performance.now() + withinMs;
    while (!condition()) {
      if (performance.now() > endsAt) throw new Error(`waited ${withinMs} ms for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async close() {
    for (const stream of this.#streams) stream.abort();
    const session = this.#session['Mcp-Session-Id'];
    if (this.#link instanceof HttpLink && session !== undefined) {
      await this.#link.exchange('DELETE', { headers: this.#session, hear: () => {} }).catch(() => {});
    }
    await this.#link.close();
  }
}

/**
 * @template {Answer} Given
 * @param {Given} answer
 * @returns {Given} itself
 */
export function ok(answer) {
  if (answer.error !== undefined) throw new Error(`refused: ${JSON.stringify(answer.error)}`);
  return answer;
}

/** The Base64 form where a header could not hold the value. @param {string} value */
export function encodeHeader(value) {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
