import { findDialect, splitPointer } from '../../schema/index.js';
import { typesOf } from './rules.js';
import { isNode, type SchemaNode } from './types.js';

/** What can be said of a schema without judging by it; `unknown` where that would be needed. */
type Claim = 'yes' | 'no' | 'unknown';

/** Dialects in which nothing counts that stands beside a `$ref`. */
const OLD_DIALECTS: ReadonlySet<string> = new Set(['draft-04', 'draft-06', 'draft-07']);
/** More are taken to overlap: all pairs are looked at. */
const MAX_BRANCHES = 64;
/** What tells two objects apart is looked for in members of members, so deep. */
const MAX_LEVELS = 4;

/** A tool's own schema: where its references lead, and what can be told of its parts. */
export class OriginalSchema {
  readonly root: SchemaNode;
  /** Of an older draft, where `$ref` stands alone and tuples are written otherwise. */
  readonly isOld: boolean;
  /** Schemas with their `allOf` put into them, by what they were (merge.ts). */
  readonly flattened = new Map<SchemaNode, SchemaNode>();
  readonly #takesNull = new Map<SchemaNode, Claim>();

  constructor(root: SchemaNode) {
    this.root = root;
    const dialect = typeof root.$schema === 'string' ? findDialect(root.$schema) : undefined;
    this.isOld = dialect !== undefined && OLD_DIALECTS.has(dialect);
  }

  /** Where a reference leads: a schema of this document, or nowhere. */
  find(ref: string): unknown {
    if (ref === '#') return this.root;
    if (!ref.startsWith('#/')) return undefined;
    let at: unknown = this.root;
    for (const step of stepsOf(ref)) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
      at = (at as SchemaNode)[step];
    }
    return typeof at === 'boolean' || isNode(at) ? at : undefined;
  }

  /** The schema that a chain of plain references ends at; undefined where it ends nowhere. */
  resolve(node: unknown): unknown {
    let at = node;
    for (let step = 0; isNode(at) && typeof at.$ref === 'string'; step++) {
      if (step === MAX_BRANCHES) return undefined;
      at = this.find(at.$ref);
    }
    return at;
  }

  /** Whether null is one of the values that a schema takes. */
  takesNull(node: unknown): Claim {
    if (typeof node === 'boolean') return node ? 'yes' : 'no';
    if (!isNode(node)) return 'unknown';
    const known = this.#takesNull.get(node);
    if (known !== undefined) return known;
    // What leads back here while it is being found out says nothing.
    this.#takesNull.set(node, 'unknown');
    const claim = this.#claimOf(node);
    this.#takesNull.set(node, claim);
    return claim;
  }

  #claimOf(node: SchemaNode): Claim {
    if (this.isOld && typeof node.$ref === 'string') return this.takesNull(this.find(node.$ref));
    const claims: Claim[] = [];
    const types = typesOf(node);
    if (types !== undefined) claims.push(types.includes('null') ? 'yes' : 'no');
    if (Array.isArray(node.enum)) claims.push(node.enum.includes(null) ? 'yes' : 'no');
    if (node.const !== undefined) claims.push(node.const === null ? 'yes' : 'no');
    if (typeof node.$ref === 'string') claims.push(this.takesNull(this.find(node.$ref)));
    const each = (list: unknown): Claim[] => (Array.isArray(list) ? list.map((one) => this.takesNull(one)) : []);
    claims.push(...each(node.allOf));
    if (Array.isArray(node.anyOf)) claims.push(anyOf(each(node.anyOf)));
    if (Array.isArray(node.oneOf)) claims.push(oneOf(each(node.oneOf)));
    if (node.not !== undefined || node.if !== undefined || node.$dynamicRef !== undefined) claims.push('unknown');
    if (claims.includes('no')) return 'no';
    return claims.includes('unknown') ? 'unknown' : 'yes';
  }

  /** Whether no value fits two of these schemas: then any of them is the same as one of them. */
  areApart(branches: readonly unknown[]): boolean {
    if (branches.length > MAX_BRANCHES) return false;
    const resolved = branches.map((branch) => this.resolve(branch));
    return resolved.every((left, at) => resolved.slice(at + 1).every((right) => this.#isApart(left, right)));
  }

  #isApart(left: unknown, right: unknown, level = 0): boolean {
    if (level > MAX_LEVELS) return false;
    if (left === false || right === false) return true;
    if (!isNode(left) || !isNode(right)) return false;
    const [ours, theirs] = [literalsOf(left), literalsOf(right)];
    if (ours && theirs) return !ours.some((literal) => theirs.includes(literal));
    const types = typesOf(left);
    const others = typesOf(right);
    if (types && others && intersect(types, others).length === 0) return true;
    // Told apart by a member that both must have: `kind: "a"` and `kind: "b"`.
    return mustHave(left)
      .filter((name) => mustHave(right).includes(name) && types?.length === 1 && types[0] === 'object')
      .some((name) =>
        this.#isApart(this.resolve(memberOf(left, name)), this.resolve(memberOf(right, name)), level + 1),
      );
  }
}

/** The steps of a reference into its own document (RFC 6901 in a fragment). */
function stepsOf(ref: string): readonly string[] {
  return splitPointer(decoded(ref.slice(1)));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function anyOf(claims: readonly Claim[]): Claim {
  if (claims.includes('yes')) return 'yes';
  return claims.includes('unknown') ? 'unknown' : 'no';
}

function oneOf(claims: readonly Claim[]): Claim {
  if (claims.includes('unknown')) return 'unknown';
  return claims.filter((claim) => claim === 'yes').length === 1 ? 'yes' : 'no';
}

/** The values a schema is made up of, as JSON text; undefined where it is no such list. */
function literalsOf(node: SchemaNode): readonly string[] | undefined {
  if (node.const !== undefined) return [JSON.stringify(node.const)];
  return Array.isArray(node.enum) ? node.enum.map((value) => JSON.stringify(value)) : undefined;
}

function mustHave({ required }: SchemaNode): readonly string[] {
  return Array.isArray(required) ? required : [];
}

function memberOf({ properties }: SchemaNode, name: string): unknown {
  return isNode(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The types in both lists: every integer is a number. */
export function intersect(left: readonly string[], right: readonly string[]): readonly string[] {
  const both = (type: string, others: readonly string[]): boolean =>
    others.includes(type) || (type === 'integer' && others.includes('number'));
  const found = [...left.filter((type) => both(type, right)), ...right.filter((type) => both(type, left))];
  return [...new Set(found)];
}
