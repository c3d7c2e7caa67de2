/** Keywords whose values are data, not schemas: what stands in them is nobody's pattern. */
const DATA_KEYWORDS = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * Why an official SDK client could not compile an output schema that JSON Schema allows. Such a client compiles all of
 * them at once in `listTools`, and throws away the tools of every server when one fails; so a schema like this is
 * judged here, and not shown.
 *
 * @returns a sentence, or undefined where nothing is known against the schema
 */
export function findStrictMisfit(schema: unknown): string | undefined {
  return findIn(schema, ({ pattern, nullable, type, enum: values, $ref }) => {
    if (typeof pattern === 'string' && !isUnicodePattern(pattern)) {
      return 'a pattern in it is no regular expression in Unicode mode';
    }
    if (nullable === true && type === undefined) return '"nullable" stands in it without "type"';
    if (Array.isArray(values) && values.length === 0) return 'an "enum" in it is empty';
    const isNewer = typeof $ref === 'string' && NEWER_METASCHEMA.test($ref);
    return isNewer ? 'it refers to the metaschema of a newer dialect' : undefined;
  });
}

/** Such a client knows draft-07. */
const NEWER_METASCHEMA = /^https?:\/\/json-schema\.org\/draft\/20/;

/**
 * Why an official SDK client of the modern era could not compile an output schema that the older ones can. It loses no list
 * for it, but refuses every call of that tool before it is sent; without the schema it sends them.
 *
 * @returns a sentence, or undefined where nothing is known against the schema
 */
export function findModernMisfit(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { $schema } = schema as Members;
  if (typeof $schema === 'string' && $schema.includes('draft-04')) return 'it is written in draft-04';
  return findIn(schema, ({ $dynamicRef }) => {
    const isElsewhere = typeof $dynamicRef === 'string' && !$dynamicRef.startsWith('#');
    return isElsewhere ? 'a "$dynamicRef" in it leads to another document' : undefined;
  });
}

type Members = Readonly<Record<string, unknown>>;

/** What `look` says first of a schema or of one inside it. */
function findIn(schema: unknown, look: (members: Members) => string | undefined): string | undefined {
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node) open.push(item);
      continue;
    }
    const members = node as Members;
    const found = look(members);
    if (found !== undefined) return found;
    for (const [keyword, value] of Object.entries(members)) if (!DATA_KEYWORDS.has(keyword)) open.push(value);
  }
  return undefined;
}

function isUnicodePattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
