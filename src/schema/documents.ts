import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { stringifyJson } from '../base/index.js';
import { copyJson } from './copy.js';
import { findMetaschema } from './metaschemas.js';
import { isRecord, isSchema } from './shapes.js';
import type { RawSchema } from './site.js';

/** @returns the absolute URI without its fragment; undefined where there is none to be made */
export function resolveUri(reference: string, base: string): string | undefined {
  try {
    const url = new URL(reference, base);
    url.hash = '';
    return url.href;
  } catch {
    return undefined;
  }
}

const prepared = new WeakMap<object, Documents>();

/** The schemas that references may lead to, by URI. Nothing else is ever looked for, least of all on a network. */
export class Documents {
  /** Differs where any document differs; empty where there are none. */
  readonly digest: string;
  readonly #byUri = new Map<string, RawSchema>();

  /** Copies the documents, once per object handed in. */
  static of(documents: Readonly<Record<string, unknown>> | undefined): Documents {
    if (documents === undefined) return NO_DOCUMENTS;
    const known = prepared.get(documents);
    if (known !== undefined) return known;
    const made = new Documents(documents);
    prepared.set(documents, made);
    return made;
  }

  constructor(documents: Readonly<Record<string, unknown>>) {
    const texts: string[] = [];
    for (const [uri, document] of Object.entries(documents)) {
      const schema = copyJson(document);
      if (!isSchema(schema)) continue;
      texts.push(JSON.stringify(uri), stringifyJson(schema));
      this.#add(uri, schema);
    }
    for (const [uri, schema] of [...this.#byUri]) {
      const id = isRecord(schema) ? (schema.$id ?? schema.id) : undefined;
      if (typeof id === 'string') this.#add(resolveUri(id, uri) ?? uri, schema);
    }
    this.digest = texts.length === 0 ? '' : bytesToHex(sha256(utf8ToBytes(texts.join('\n'))));
  }

  #add(uri: string, schema: RawSchema): void {
    const absolute = resolveUri(uri, 'doorward:///');
    if (absolute !== undefined && !this.#byUri.has(absolute)) this.#byUri.set(absolute, schema);
  }

  /** @param uri absolute, without a fragment */
  find(uri: string): RawSchema | undefined {
    return this.#byUri.get(uri) ?? findMetaschema(uri);
  }
}

const NO_DOCUMENTS = new Documents({});
