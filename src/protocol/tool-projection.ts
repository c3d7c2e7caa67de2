import {
  decodeText,
  dropEdits,
  type Edit,
  elementsOf,
  findMember,
  type JsonSlice,
  joinPieces,
  type MemberSpan,
  membersOf,
  OPEN_BRACE,
  OPEN_BRACKET,
  splice,
  stringOf,
} from '../base/index.js';
import type { Era } from './revisions.js';

/** Where a schema stands once it has been wrapped. */
const NEW_ROOT = '/properties/result';

/** Keywords whose values are data: what looks like a reference in them is none. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values hold schemas by names of the author's own. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
const REFERENCES = new Set(['$ref', '$dynamicRef']);
const SCHEMA_MEMBER: ReadonlySet<string> = new Set(['$schema']);

/**
 * Whether callers of the handshake era are shown an outputSchema wrapped: its values, and so those of the tool, must be
 * objects there (MCP 2025-11-25 server/tools), and in the modern era need not be. A schema without a type that was written
 * in the handshake era is about objects.
 */
export function isWrapped(outputSchema: unknown, era: Era): boolean {
  if (typeof outputSchema !== 'object' || outputSchema === null) return true;
  const { type } = outputSchema as { readonly type?: unknown };
  return type === undefined ? era === 'modern' : type !== 'object';
}

/**
 * An outputSchema as callers of the handshake era see it: `{"type":"object","properties":{"result":...}}`. It accepts an
 * object with a `result` just where the schema itself accepts that. References within the document are moved along; all
 * else stays as it was written.
 *
 * @param schema the text of a good schema
 * @returns undefined where its references cannot be moved
 */
export function wrapOutputSchema(schema: JsonSlice): string | undefined {
  const { bytes, start, end } = schema;
  if (bytes[start] !== OPEN_BRACE) return wrapped(bytes[start] === 0x74 ? '{}' : '{"not":{}}', undefined);
  const members = membersOf(bytes, start, end);
  const dialect = stringOf(bytes, findMember(members, '$schema')) ?? '';
  if (isDocument(bytes, members, dialect)) {
    // With an id of its own it is a document within ours: its references lead where they led, and it says what it is
    // written in. (Clients lose the whole list over some that refer to themselves: ajv compiles those for ever.)
    const text = decodeText(bytes, start, end);
    const isRisky = findMember(members, '$ref') !== undefined || text.includes('"$recursive');
    return isRisky ? undefined : wrapped(text, dialect);
  }
  const moving = new Moving(bytes, dialect);
  if (!moving.move(schema)) return undefined;
  const edits = [...moving.edits, ...dropEdits(members, SCHEMA_MEMBER)].sort((a, b) => a.start - b.start);
  return wrapped(decodeText(joinPieces(splice(bytes, start, end, edits))), dialect);
}

function wrapped(text: string, dialect: string | undefined): string {
  const head = dialect === undefined || dialect === '' ? '' : `"$schema":${JSON.stringify(dialect)},`;
  return `{${head}"type":"object","properties":{"result":${text}},"required":["result"]}`;
}

/** Moves the references of one schema; documents of their own within it stay as they are. */
class Moving {
  readonly edits: Edit[] = [];
  readonly #bytes: Uint8Array;
  readonly #dialect: string;
  readonly #isRecursive: boolean;

  constructor(bytes: Uint8Array, dialect: string) {
    this.#bytes = bytes;
    this.#dialect = dialect;
    // The one dialect that knows `$recursiveRef`.
    this.#isRecursive = dialect.includes('2019-09');
  }

  /** @returns false where something refers to the root in a way that cannot be said of another place */
  move(root: JsonSlice): boolean {
    const bytes = this.#bytes;
    const open: { readonly start: number; readonly end: number }[] = [root];
    let isAnchored = false;
    let hasDocuments = false;
    for (let span = open.pop(); span !== undefined; span = open.pop()) {
      if (bytes[span.start] === OPEN_BRACKET) open.push(...elementsOf(bytes, span.start));
      if (bytes[span.start] !== OPEN_BRACE) continue;
      const members = membersOf(bytes, span.start, span.end);
      if (span !== root && isDocument(bytes, members, this.#dialect)) {
        hasDocuments = true;
        continue;
      }
      for (const member of members) {
        const { name, valueStart, end } = member;
        if (REFERENCES.has(name)) this.#moveReference(member);
        else if (name === '$recursiveRef' && this.#isRecursive) {
          if (findMember(members, '$ref') !== undefined) return false;
          this.edits.push({ start: member.nameStart, end, by: `"$ref":"#${NEW_ROOT}"` });
        } else if (name === '$recursiveAnchor') isAnchored ||= bytes[valueStart] === 0x74;
        else if (MAPS.has(name)) for (const each of membersOf(bytes, valueStart, end)) open.push(spanOf(each));
        else if (!DATA.has(name)) open.push(spanOf(member));
      }
    }
    // A document within could lead back here by way of the anchor.
    return !(this.#isRecursive && isAnchored && hasDocuments);
  }

  #moveReference(member: MemberSpan): void {
    const reference = stringOf(this.#bytes, member);
    // `` and `#` are the document; `#/...` a place in it, its slash escaped or not; `#name` goes with what it names.
    if (reference === undefined || !/^(?:#?$|#\/|#%2f)/i.test(reference)) return;
    const by = JSON.stringify(`#${NEW_ROOT}${reference.slice(1)}`);
    this.edits.push({ start: member.valueStart, end: member.end, by });
  }
}

function spanOf({ valueStart, end }: MemberSpan): { readonly start: number; readonly end: number } {
  return { start: valueStart, end };
}

/** Whether a schema has an id that references within it are resolved against. */
function isDocument(bytes: Uint8Array, members: readonly MemberSpan[], dialect: string): boolean {
  const isOld = /draft-0[3467]/.test(dialect);
  const id = stringOf(bytes, findMember(members, dialect.includes('draft-04') ? 'id' : '$id'));
  // Of draft-07 and older, `#name` is what is an anchor now, and beside a `$ref` nothing else counts.
  return id !== undefined && !id.startsWith('#') && !(isOld && findMember(members, '$ref') !== undefined);
}
