import { decodeText, ExactNumber, elementsOf, JsonScanner, ObjectText, parseJson } from '../base/index.js';
import type { ListedOffer, OfferKind } from '../catalog/index.js';
import type { Connection } from './connection.js';
import { COMMON_KINDS, isBoolean, isObject, isString, kindOf, type MemberKinds, misfitsOf } from './member-kinds.js';
import { listPages } from './paging.js';
import type { RequestOptions } from './pending.js';

const MAX_OFFERS = 10_000;
/** Of all definitions of one list, in characters. */
const MAX_TEXT = 32 * 1024 * 1024;
const MAX_QUOTED = 200;

export interface OfferListing {
  readonly upstream: string;
  readonly request: RequestOptions;
  /** Hears of each kind of fault once a list: a server that makes a mistake mostly makes it everywhere. */
  readonly warn: (warning: { readonly warning: string; readonly message: string }) => void;
}

interface Shape {
  readonly method: string;
  /** The member of the result that holds the list. */
  readonly member: string;
  /** The member of an element that names it. */
  readonly key: string;
  /** One that does not fit makes SDK clients drop the whole list. */
  readonly kinds: MemberKinds;
}

const ANNOTATION_KINDS: MemberKinds = {
  audience: (value) => Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant'),
  priority: (value) => numberOf(value) >= 0 && numberOf(value) <= 1,
  lastModified: (value) => typeof value === 'string' && isMoment(value),
};

const ARGUMENT_KINDS: MemberKinds = { title: isString, description: isString, required: isBoolean };

const RESOURCE_KINDS: MemberKinds = { ...COMMON_KINDS, name: isString, mimeType: isString, annotations: isObject };

const SHAPES: Readonly<Record<OfferKind, Shape>> = {
  resources: {
    method: 'resources/list',
    member: 'resources',
    key: 'uri',
    kinds: { ...RESOURCE_KINDS, size: (value) => Number.isSafeInteger(numberOf(value)) },
  },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    kinds: RESOURCE_KINDS,
  },
  prompts: {
    method: 'prompts/list',
    member: 'prompts',
    key: 'name',
    kinds: { ...COMMON_KINDS, arguments: Array.isArray },
  },
};

const scanner = new JsonScanner();

/**
 * Lists an upstream's resources, templates or prompts, all pages. What cannot be named is left out; what would make a
 * strict client refuse the whole list is mended; all else stays the text the upstream wrote.
 *
 * @throws {DoorError} UPSTREAM_BROKE_PROTOCOL when an answer is no list; whatever the connection throws
 */
export async function listOffers(
  connection: Connection,
  kind: OfferKind,
  options: OfferListing,
): Promise<readonly ListedOffer[]> {
  const { method, member } = SHAPES[kind];
  const list = new OfferList(SHAPES[kind]);
  const warn: OfferListing['warn'] = ({ warning, message }) =>
    options.warn({ warning, message: `${method}: ${message}` });
  // Servers with resources and no templates often do not know that list at all.
  const paging = { upstream: options.upstream, method, member, isOptional: true, request: options.request, warn };
  for await (const { elements, isRepeat } of listPages(connection, paging)) {
    if (elements.every((element) => list.add(element, isRepeat))) continue;
    warn({ warning: 'too-many-offers', message: `gave more than ${list.limit}; stopped there` });
    break;
  }
  list.tellFaults(warn);
  return list.offers;
}

class OfferList {
  readonly #shape: Shape;
  readonly #offers = new Map<string, ListedOffer>();
  readonly #faults = new Map<string, { readonly first: string; count: number }>();
  #position = 0;
  #textLength = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  get offers(): readonly ListedOffer[] {
    return [...this.#offers.values()];
  }

  /** How much it holds at most. */
  get limit(): string {
    return this.#offers.size >= MAX_OFFERS ? `${MAX_OFFERS} entries` : `${MAX_TEXT} characters`;
  }

  /** @returns false, and nothing is added, where it is full */
  add(element: Uint8Array, isRepeat: boolean): boolean {
    if (this.#offers.size >= MAX_OFFERS || this.#textLength >= MAX_TEXT) return false;
    this.#position++;
    const read = parse(element);
    const value = 'value' in read ? read.value : undefined;
    const key = isObject(value) ? value[this.#shape.key] : undefined;
    if (!isObject(value) || typeof key !== 'string' || key === '') {
      const why = 'fault' in read ? read.fault : whyOdd(value, this.#shape);
      this.#addFault('odd-offer', `left out #${this.#position}: ${why}`);
    } else if (!this.#offers.has(key)) {
      const offer = this.#read(element, value, key);
      this.#textLength += offer.definition.length;
      this.#offers.set(key, offer);
    } else if (!isRepeat) {
      this.#addFault('duplicate-offer', `lists ${key.slice(0, MAX_QUOTED)} twice; the first one counts`);
    }
    return true;
  }

  tellFaults(warn: OfferListing['warn']): void {
    for (const [warning, { first, count }] of this.#faults) {
      warn({ warning, message: count === 1 ? first : `${first} (and ${count - 1} more like it)` });
    }
  }

  #addFault(warning: string, message: string): void {
    const fault = this.#faults.get(warning);
    if (fault === undefined) this.#faults.set(warning, { first: message, count: 1 });
    else fault.count++;
  }

  #read(element: Uint8Array, value: Record<string, unknown>, key: string): ListedOffer {
    const text = new ObjectText(element);
    const mended = mend(text, value, { shape: this.#shape, key, element });
    if (mended.length > 0) {
      const what = `left out of the list or filled in, being of the wrong kind: ${mended.join(', ')}`;
      this.#addFault('misfit-member', `${key.slice(0, MAX_QUOTED)}: ${what}`);
    }
    return locate(text.finish(), key, this.#shape);
  }
}

/** Reads a text whose grammar is known to be good: at fault can only be that it is nested too deeply. */
function parse(text: Uint8Array): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: parseJson(decodeText(text)) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return { fault: thrown.message };
    throw thrown;
  }
}

function whyOdd(value: unknown, shape: Shape): string {
  return isObject(value) ? `it has no ${shape.key}` : `it is ${kindOf(value)}, not an object`;
}

interface Mending {
  readonly shape: Shape;
  readonly key: string;
  readonly element: Uint8Array;
}

/** @returns the members that did not fit, in words */
function mend(text: ObjectText, value: Record<string, unknown>, { shape, key, element }: Mending): readonly string[] {
  const misfits = misfitsOf(value, shape.kinds);
  const said = misfits.map((member) => `${member} (${kindOf(value[member])})`);
  if (typeof value.name !== 'string') {
    // Without one, strict clients refuse the list, and lenient ones show the URI anyway.
    text.insertFirst([], `"name":${JSON.stringify(key)}`);
    if (value.name === undefined) said.push('name (missing)');
  }
  if (misfits.length > 0) text.drop([], new Set(misfits));
  if (isObject(value.annotations) && shape.kinds.annotations !== undefined) {
    const inner = misfitsOf(value.annotations, ANNOTATION_KINDS);
    if (inner.length > 0) text.drop(['annotations'], new Set(inner));
    said.push(...inner.map((member) => `annotations.${member}`));
  }
  if (Array.isArray(value.arguments) && shape.kinds.arguments !== undefined) {
    const mended = mendArguments(element, value.arguments);
    if (mended !== undefined) {
      text.replaceValue('arguments', mended);
      said.push('some of the arguments');
    }
  }
  return said;
}

/** @returns the array without what does not fit; undefined where all of it does */
function mendArguments(element: Uint8Array, values: readonly unknown[]): string | undefined {
  scanner.scan(element, 0, element.length);
  const at = scanner.find('arguments', element);
  let isMended = false;
  const kept: string[] = [];
  for (const [i, { start, end }] of elementsOf(element, scanner.valueStart[at]!).entries()) {
    const value = values[i];
    const isNamed = isObject(value) && typeof value.name === 'string';
    const misfits = isNamed ? misfitsOf(value, ARGUMENT_KINDS) : [];
    isMended ||= !isNamed || misfits.length > 0;
    if (!isNamed) continue;
    const text = new ObjectText(element.subarray(start, end));
    if (misfits.length > 0) text.drop([], new Set(misfits));
    kept.push(decodeText(text.finish()));
  }
  return isMended ? `[${kept.join(',')}]` : undefined;
}

function locate(bytes: Uint8Array, key: string, shape: Shape): ListedOffer {
  scanner.scan(bytes, 0, bytes.length);
  const at = scanner.find(shape.key, bytes);
  const definition = decodeText(bytes);
  // String offsets, not byte offsets: what is renamed later is the text.
  const isAscii = definition.length === bytes.length;
  const offsetOf = (byte: number): number => (isAscii ? byte : decodeText(bytes, 0, byte).length);
  return {
    key,
    definition,
    keyStart: offsetOf(scanner.valueStart[at]!),
    keyEnd: offsetOf(scanner.valueEnd[at]!),
  };
}

function numberOf(value: unknown): number {
  if (value instanceof ExactNumber) return Number(value.text);
  return typeof value === 'number' ? value : Number.NaN;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** ISO 8601 as SDK clients read it. */
function isMoment(text: string): boolean {
  const [, day] = MOMENT.exec(text) ?? [];
  if (day === undefined) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  // 30 February is a date to the platform, in March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
