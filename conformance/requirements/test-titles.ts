/**
 * Which tests there are, read from the sources of the tests: no test has to run for the ledger to name it.
 *
 * A test is named as vitest reports it, `path/of/file.test.ts > describe > title`. Titles that are written out match
 * as they are. Where a title has holes (`$why`, `%s`, `${id}`), what stands in a hole has to stand, word for word, in the
 * file itself, in a file of ours that it imports, or as the title of a case: a row that is renamed or deleted is then
 * missed. A whole table is named by its title as it is written, holes and all. A title that is computed has to be that
 * of a case. The quotes that vitest puts around a string are left out. A file has the tests that a file it imports
 * declares as well. A test that is skipped or still to be written is none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';

type AnyNode = { readonly type: string } & Record<string, unknown>;

interface Title {
  /** The texts around its holes. */
  readonly parts: readonly string[];
  readonly isComputed: boolean;
}

/** One file of tests: the chain of titles of each test, and what may stand in their holes. */
interface TestFile {
  readonly chains: readonly RegExp[];
  readonly text: string;
}

const ROOT = join(import.meta.dirname, '..', '..');
const CASES = 'test/data/cases.json';
const SEPARATOR = ' > ';
/** What vitest fills in from a row: `$name`, `$name.member`, `%s` and its kin. */
const HOLE = /\$[A-Za-z_][\w.]*|%[sdifjoOc#$]/;

/** Finds tests by name; each file is read once. */
export class TestTitles {
  readonly #files = new Map<string, TestFile | undefined>();
  readonly #read: (path: string) => string | undefined;
  readonly #cases: ReadonlySet<string>;

  /** @param read the text of a file by its path in the project; undefined where there is none */
  constructor(read: (path: string) => string | undefined = readProjectFile) {
    this.#read = read;
    this.#cases = titlesOfCases(read(CASES));
  }

  /** Whether there is a test of that name: `path/of/file.test.ts > describe > title`. */
  has(name: string): boolean {
    const end = name.indexOf(SEPARATOR);
    if (end < 0) return false;
    const file = this.#file(name.slice(0, end));
    const title = name.slice(end + SEPARATOR.length);
    return file?.chains.some((chain) => fits(chain, title, file.text, this.#cases)) ?? false;
  }

  #file(path: string): TestFile | undefined {
    if (!this.#files.has(path)) this.#files.set(path, this.#parse(path));
    return this.#files.get(path);
  }

  #parse(path: string): TestFile | undefined {
    const text = this.#read(path);
    if (text === undefined) return undefined;
    const program = parse(path, text);
    const imported = importsOf(program).map((each) => join(dirname(path), each).replace(/\.js$/, '.ts'));
    const modules = imported.map((each) => [each, this.#read(each)] as const).filter(hasText);
    const programs = [program, ...modules.map(([each, source]) => parse(each, source))];
    return {
      chains: programs.flatMap((each) => chainsOf(each, [])).map(patternOf),
      text: withoutEscapes([text, ...modules.map(([, source]) => source)].join('\n')),
    };
  }
}

/** The titles of the cases, as the tests that run them are called. */
function titlesOfCases(text: string | undefined): ReadonlySet<string> {
  const { cases } = JSON.parse(text ?? '{"cases":[]}') as { readonly cases: readonly Case[] };
  return new Set(cases.map(({ id, title }) => `${id}: ${title}`));
}

interface Case {
  readonly id: string;
  readonly title: string;
}

function parse(path: string, text: string): AnyNode {
  return parseSync(path, text).program as unknown as AnyNode;
}

function hasText(module: readonly [string, string | undefined]): module is readonly [string, string] {
  return module[1] !== undefined;
}

function readProjectFile(path: string): string | undefined {
  const file = join(ROOT, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** A title is compared with what a string means, not with how it is escaped. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(['"`\\])/g, '$1');
}

function fits(chain: RegExp, title: string, text: string, cases: ReadonlySet<string>): boolean {
  const match = chain.exec(title);
  if (!match) return false;
  const { groups = {} } = match;
  return Object.entries(groups).every(
    ([name, filled]) => cases.has(filled) || (name.startsWith('hole') && standsIn(text, filled)),
  );
}

/** Whether a text stands in another as a word or words of its own, not as a part of one. */
function standsIn(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isMiddleOfWord(text, at) && !isMiddleOfWord(text, at + words.length)) return true;
  }
  return false;
}

function isMiddleOfWord(text: string, at: number): boolean {
  return /\w/.test(text[at - 1] ?? '') && /\w/.test(text[at] ?? '');
}

/** Holes are named, and titles that are nothing but a hole named apart. */
function patternOf(chain: readonly Title[]): RegExp {
  let holes = 0;
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const titles = chain.map((title) => {
    const [first = '', ...rest] = title.parts.map(escaped);
    const kind = title.isComputed ? 'whole' : 'hole';
    return rest.reduce((pattern, part) => `${pattern}'?(?<${kind}${holes++}>.+?)'?${part}`, first);
  });
  return new RegExp(`^${titles.join(SEPARATOR)}$`, 's');
}

/** The chains of titles of all tests at or below a node. */
function chainsOf(node: AnyNode, above: readonly Title[]): (readonly Title[])[] {
  if (node.type === 'CallExpression') {
    const kind = kindOf(node.callee as AnyNode);
    if (kind === 'skipped') return [];
    const [first, ...rest] = node.arguments as AnyNode[];
    const title = first && titleOf(first);
    if (kind === 'test' && title) return [[...above, title]];
    if (kind === 'describe' && title) return rest.flatMap((each) => chainsOf(each, [...above, title]));
  }
  return childrenOf(node).flatMap((child) => chainsOf(child, above));
}

/** What a callee like `test`, `describe.each(rows)` or `test.skip` is. */
function kindOf(callee: AnyNode): 'test' | 'describe' | 'skipped' | undefined {
  const names: string[] = [];
  let node: AnyNode | undefined = callee;
  while (node !== undefined && node.type !== 'Identifier') {
    if (node.type === 'MemberExpression') names.push(String((node.property as AnyNode).name));
    node = (node.object ?? node.callee ?? node.tag) as AnyNode | undefined;
  }
  const root = node?.name;
  if (root !== 'test' && root !== 'it' && root !== 'describe') return undefined;
  // `test.each(rows)` is only the first half of `test.each(rows)(title, body)`: its argument is no title.
  if (callee.type === 'MemberExpression' && /^(each|for|skipIf|runIf)$/.test(names[0] ?? '')) return undefined;
  if (names.some((name) => name === 'skip' || name === 'todo')) return 'skipped';
  return root === 'describe' ? 'describe' : 'test';
}

function titleOf(node: AnyNode): Title {
  if (node.type === 'Literal') return { parts: String(node.value).split(HOLE), isComputed: false };
  if (node.type !== 'TemplateLiteral') return { parts: ['', ''], isComputed: true };
  const parts = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  return { parts: parts.flatMap((part) => part.split(HOLE)), isComputed: false };
}

function importsOf(program: AnyNode): string[] {
  return (program.body as AnyNode[])
    .filter(({ type }) => type === 'ImportDeclaration')
    .map(({ source }) => String((source as AnyNode).value))
    .filter((specifier) => specifier.startsWith('.'));
}

function childrenOf(node: AnyNode): AnyNode[] {
  return (visitorKeys[node.type] ?? [])
    .flatMap((key) => node[key])
    .filter((child): child is AnyNode => typeof (child as AnyNode | null)?.type === 'string');
}
