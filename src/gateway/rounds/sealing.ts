import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Clock, DoorError, decodeText, encodeText } from '../../base/index.js';
import { decodeBase64Url, encodeBase64Url } from './sealing-text.js';

/** What every sealed text says, whatever it is for. */
interface SealedFacts {
  /** Whose it is: nobody else can use it. */
  readonly principal: string;
  readonly upstream: string;
  /** The upstream's own name, URI or prompt name. */
  readonly tool: string;
}

/** One question as it was put to a caller, as far as its answer is judged by it. */
export interface SealedRequest {
  readonly key: string;
  readonly method: string;
  /** The params that judge an elicitation: its mode, and the JSON text of its form. */
  readonly params?: string;
}

interface SealedRoundFacts extends SealedFacts {
  readonly method: string;
  /** What the request asks for, whatever way it is written: a state continues that very request. */
  readonly digest: string;
  /** Epoch milliseconds. */
  readonly expiresAtMs: number;
  /** Names this round: it is continued once. */
  readonly use: string;
  /** How many times the upstream has asked for something so far, this time included. */
  readonly round: number;
}

/** A call that waits for its caller in one process. */
export interface SealedParkedRound extends SealedRoundFacts {
  readonly kind: 'parked';
  readonly process: string;
  readonly call: string;
}

/** A call that an upstream has ended for now: whoever holds the key can send it again. */
export interface SealedUpstreamRound extends SealedRoundFacts {
  readonly kind: 'upstream';
  /** The upstream's own state as a JSON string token; absent where it gave none. */
  readonly state?: string;
  readonly requests: readonly SealedRequest[];
  /** The answers are of no use to the upstream, which wants the same request once more (code -32042). */
  readonly isAnew?: true;
}

export type SealedRound = SealedParkedRound | SealedUpstreamRound;

/** A task of an upstream. It can be asked for as often as its caller likes, for as long as the upstream knows it. */
export interface SealedTask extends SealedFacts {
  readonly kind: 'task';
  /** As the upstream wrote it. */
  readonly taskId: string;
}

export type Sealed = SealedRound | SealedTask;

/** A key as the platform holds it. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The first byte: another way to seal gets another one. It is authenticated along with the rest. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** What may go out to a caller as one state, sealed. */
const MAX_TEXT_CHARACTERS = 2 * 1024 * 1024;
const KEY_INFO = 'doorward sealed state 1';

/**
 * The key that every process with the same secret has (RFC 5869, SHA-256): extracted, then expanded to the one block that a
 * key is, for which no library has to be bundled.
 */
export function keyOfSecret(secret: string): Uint8Array {
  const extracted = hmac(sha256, new Uint8Array(KEY_BYTES), encodeText(secret));
  return hmac(sha256, extracted, encodeText(`${KEY_INFO}\u0001`));
}

/** A key that no other process has, and this one only as long as it lives. */
export function randomKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

/**
 * Seals what travels through a caller's hands and comes back, so that it can be neither read nor changed there (MCP
 * 2026-07-28 basic/patterns/mrtr, Server Requirements 4 and 5): AES-256-GCM under one key.
 */
export class StateSealer {
  readonly #keyBytes: Uint8Array;
  readonly #clock: Clock;
  #key: Promise<Key> | undefined;

  /** @param options.key 32 bytes; processes that are to take each other's states share it */
  constructor({ key, clock }: { readonly key: Uint8Array; readonly clock: Clock }) {
    if (key.length !== KEY_BYTES) throw new TypeError(`a key has ${KEY_BYTES} bytes, not ${key.length}`);
    this.#keyBytes = key;
    this.#clock = clock;
  }

  /** @returns the sealed text: letters, digits, `-` and `_` only */
  async seal(payload: Sealed): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const plain = encodeText(JSON.stringify(payload)) as Uint8Array<ArrayBuffer>;
    const sealed = new Uint8Array(await crypto.subtle.encrypt(parametersOf(nonce), await this.#getKey(), plain));
    const whole = new Uint8Array(1 + NONCE_BYTES + sealed.length);
    whole[0] = VERSION;
    whole.set(nonce, 1);
    whole.set(sealed, 1 + NONCE_BYTES);
    return encodeBase64Url(whole);
  }

  /** @throws {DoorError} STATE_INVALID, the same whatever is wrong with the text */
  async open(text: string): Promise<Sealed> {
    const payload = await this.#decrypt(text);
    const isExpired = payload !== undefined && 'expiresAtMs' in payload && payload.expiresAtMs <= this.#clock.nowMs();
    if (payload === undefined || isExpired) throw stateInvalid();
    return payload;
  }

  async #decrypt(text: string): Promise<Sealed | undefined> {
    const whole = text.length > MAX_TEXT_CHARACTERS ? undefined : decodeBase64Url(text);
    if (whole === undefined || whole.length < 1 + NONCE_BYTES + TAG_BYTES || whole[0] !== VERSION) return undefined;
    const nonce = whole.subarray(1, 1 + NONCE_BYTES);
    try {
      const key = await this.#getKey();
      const plain = await crypto.subtle.decrypt(parametersOf(nonce), key, whole.subarray(1 + NONCE_BYTES));
      return JSON.parse(decodeText(new Uint8Array(plain))) as Sealed;
    } catch {
      // It says nothing but that the text is not as it was sealed, or not by this key.
      return undefined;
    }
  }

  #getKey(): Promise<Key> {
    const bytes = this.#keyBytes as Uint8Array<ArrayBuffer>;
    this.#key ??= crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
    return this.#key;
  }
}

function parametersOf(nonce: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-GCM', iv: nonce, additionalData: new Uint8Array([VERSION]), tagLength: TAG_BYTES * 8 };
}

/** One text for all that can be wrong with a state: whoever tries out states learns nothing from it. */
export function stateInvalid(): DoorError {
  return new DoorError('STATE_INVALID', 'The requestState is none that can be continued by this request', {
    hint: 'Start again with the first request, without requestState and inputResponses.',
  });
}

/** The same for the id of a task (SEP-2663, Protocol Errors). */
export function taskUnknown(): DoorError {
  return new DoorError('STATE_INVALID', 'There is no task of this id', {
    hint: 'Use the taskId as it came, as the user who was given it.',
  });
}
