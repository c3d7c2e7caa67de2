import { type Node, parseSync, visitorKeys } from 'oxc-parser';

/** One place where a file names another module: import, export-from, `import()`, `import type`, a type's `import('x')`. */
export interface ImportSite {
  /** `undefined` where the name is computed, so that nobody can tell what is imported. */
  readonly specifier: string | undefined;
  readonly line: number;
}

export interface FunctionSite {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

export interface NameSite {
  readonly name: string;
  readonly line: number;
}

/** What the rules need to know of one source file. */
export interface Source {
  readonly imports: readonly ImportSite[];
  readonly functions: readonly FunctionSite[];
  /** Uses of the names asked for, as free identifiers or as members of `globalThis`. */
  readonly uses: readonly NameSite[];
  readonly syntaxErrors: readonly string[];
}

interface Visit {
  readonly node: AnyNode;
  readonly parent: AnyNode | undefined;
  readonly key: string;
}

type AnyNode = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
const NAMES_A_MODULE: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** Reads one TypeScript file. `watched` are the names whose uses are wanted. */
export function readSource(path: string, text: string, watched: ReadonlySet<string>): Source {
  const { program, errors } = parseSync(path, text);
  const lineOf = lineFinder(text);
  const imports: ImportSite[] = [];
  const functions: FunctionSite[] = [];
  const uses: NameSite[] = [];
  walk(program as unknown as AnyNode, (visit) => {
    const { node } = visit;
    const line = lineOf(node.start);
    const source = moduleNameNode(node);
    if (source) imports.push({ specifier: literalText(source), line });
    if (FUNCTIONS.has(node.type) && !isSuite(visit)) {
      functions.push({ name: functionName(visit), line, lines: lineOf(node.end) - line + 1 });
    }
    const name = usedName(visit);
    if (name !== undefined && watched.has(name)) uses.push({ name, line });
  });
  return { imports, functions, uses, syntaxErrors: errors.map((error) => error.message) };
}

function walk(root: AnyNode, visitor: (visit: Visit) => void): void {
  const open: Visit[] = [{ node: root, parent: undefined, key: '' }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    visitor(visit);
    for (const key of visitorKeys[visit.node.type] ?? []) {
      const child = visit.node[key];
      const children = Array.isArray(child) ? child : [child];
      for (const node of children) if (isNode(node)) open.push({ node, parent: visit.node, key });
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function moduleNameNode(node: AnyNode): AnyNode | undefined {
  if (NAMES_A_MODULE.has(node.type)) return isNode(node.source) ? node.source : undefined;
  if (node.type === 'TSExternalModuleReference') return node.expression as AnyNode;
  return undefined;
}

function literalText(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return String(node.value);
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node.quasis as { value: { cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

/** The body of `describe(...)` is a table of contents, not a function somebody has to understand. */
function isSuite({ parent }: Visit): boolean {
  if (parent?.type !== 'CallExpression') return false;
  let callee = parent.callee as AnyNode;
  while (callee.type === 'MemberExpression' || callee.type === 'CallExpression') {
    callee = (callee.object ?? callee.callee) as AnyNode;
  }
  return callee.name === 'describe';
}

function functionName({ node, parent }: Visit): string {
  const named = node.id ?? parent?.id ?? parent?.key;
  return isNode(named) && typeof named.name === 'string' ? named.name : '(anonymous)';
}

function usedName({ node, parent, key }: Visit): string | undefined {
  if (node.type === 'Identifier') return isPlainLabel(parent, key) ? undefined : String(node.name);
  if (node.type !== 'MemberExpression' || !isGlobalThis(node.object)) return undefined;
  const property = node.property as AnyNode;
  return String(property.name ?? property.value);
}

/** Whether an identifier only labels a member, as `process` does in `{ process: 1 }` and `event.process`. */
function isPlainLabel(parent: AnyNode | undefined, key: string): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression') return key === 'property' && parent.computed !== true;
  if (parent.type === 'ImportSpecifier') return key === 'imported';
  if (parent.type === 'ExportSpecifier') return key === 'exported';
  return key === 'key' && parent.computed !== true && parent.shorthand !== true;
}

function isGlobalThis(value: unknown): boolean {
  let node = value as AnyNode;
  while (isNode(node.expression)) node = node.expression;
  return node.type === 'Identifier' && node.name === 'globalThis';
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
