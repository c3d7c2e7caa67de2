import { createHash } from 'node:crypto';
import { parseJson } from '../../src/base/index.js';
import { type Compilation, compileSchema, type Dialect, type Verdict } from '../../src/schema/index.js';
import { DIALECT_URI, type SuiteFile } from './suite.js';

export interface FileResult {
  readonly name: string;
  readonly ran: number;
  /** `<group> | <case>: expected valid, got ...` */
  readonly misses: readonly string[];
  /** Of every verdict with all its issues: equal in two runs that said the same, word for word. */
  readonly digest: string;
}

/** Judges every case of a file, each as text and as a value. A verdict that the judge gave up on is a miss, whatever was expected. */
export function runFile(file: SuiteFile, documents: Readonly<Record<string, unknown>>): FileResult {
  const misses: string[] = [];
  const hash = createHash('sha256');
  let ran = 0;
  for (const group of file.groups) {
    const options = { dialect: DIALECT_URI[file.dialect], documents };
    const fromText = compileSchema(group.schema, options);
    const fromValue = compileSchema(parseJson(group.schema), options);
    for (const one of group.cases) {
      ran += 1;
      const wanted = one.valid ? 'valid' : 'invalid';
      const name = `${group.description} | ${one.description}`;
      const got = answer(fromText, (judge) => {
        const verdict = judge.check(one.data);
        hash.update(JSON.stringify(verdict));
        return verdict;
      });
      if (got !== wanted) misses.push(`${name}: expected ${wanted}, got ${got}`);
      if (losesItsPoint(file.dialect, one.data)) continue;
      const second = answer(fromValue, (judge) => judge.checkValue(parseJson(one.data)));
      if (second !== got) misses.push(`${name}: ${got} as text, ${second} as a value`);
    }
  }
  return { name: file.name, ran, misses, digest: hash.digest('hex') };
}

/** draft-04 tells 1.0 and 1e0 from 1, which a value no longer does. */
export function losesItsPoint(dialect: Dialect, text: string): boolean {
  return dialect === 'draft-04' && /\d\.\d|\d[eE]/.test(text);
}

type Compiled = Extract<Compilation, { ok: true }>['judge'];

function answer(compilation: Compilation, check: (judge: Compiled) => Verdict): string {
  if (!compilation.ok) return `${compilation.error.code} (${compilation.error.message})`;
  const verdict = check(compilation.judge);
  if (verdict.valid) return 'valid';
  if (verdict.gaveUp) return `no verdict (${verdict.issues[0]?.message})`;
  return 'invalid';
}
