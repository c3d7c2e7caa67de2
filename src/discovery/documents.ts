import { encodeText } from '../base/index.js';
import { type Answer, answerDocument, answerMissing, type Document, type DocumentRequest } from './answer.js';
import { DOCUMENTS, type DocumentName } from './document-table.js';
import { makeText } from './document-texts.js';
import { entityTagOf } from './entity-tag.js';
import { addressOf, PLACES } from './paths.js';
import { isSameJson } from './same-json.js';
import type { Surface } from './types.js';

/** Documents of as many surfaces are kept: the one that is, and those that it changes to and fro with. */
const MAX_SURFACES = 4;

/** The documents of one surface, made when asked for: at most one of each name. */
interface Shelf {
  readonly surface: Surface;
  readonly made: Map<DocumentName, Document | 'missing'>;
}

/** Answers requests for documents, and makes each once for as long as the surface says the same. */
export class Documents {
  /** The latest used first. */
  #shelves: readonly Shelf[] = [];

  answer(name: DocumentName, surface: Surface, request: DocumentRequest): Answer {
    const { made } = this.#shelfFor(surface);
    let document = made.get(name);
    if (document === undefined) {
      document = makeDocument(name, surface);
      made.set(name, document);
    }
    if (document !== 'missing') return answerDocument(document, request);
    return answerMissing(`this server has no such document: ${DOCUMENTS[name].missing}`, request);
  }

  #shelfFor(surface: Surface): Shelf {
    const [latest] = this.#shelves;
    if (latest?.surface === surface) return latest;
    const found = this.#shelves.find((shelf) => isSameJson(shelf.surface, surface));
    const shelf: Shelf = { surface, made: found?.made ?? new Map() };
    this.#shelves = [shelf, ...this.#shelves.filter((each) => each !== found)].slice(0, MAX_SURFACES);
    return shelf;
  }
}

function makeDocument(name: DocumentName, surface: Surface): Document | 'missing' {
  const text = makeText(name, surface);
  if (text === undefined) return 'missing';
  const bytes = encodeText(text);
  const { contentType, maxAgeSeconds } = DOCUMENTS[name];
  // Whoever asks for the catalog by HEAD alone learns where it is (RFC 9727 section 2).
  const link = name === 'apiCatalog' && `<${addressOf(surface, PLACES.apiCatalog)}>; rel="api-catalog"`;
  return { contentType, bytes, entityTag: entityTagOf(bytes), maxAgeSeconds, ...(link && { link }) };
}
