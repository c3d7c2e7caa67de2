// @ts-check
/** The matrix as a table: a row a feature, a column a pair of eras; a cell stands for all four pairs of transports. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { REVISION } from './caller.mjs';

/** @typedef {import('./stage.mjs').Pair} Pair */
/** @typedef {{ kind: 'yes' } | { kind: 'absent', why: string } | { kind: 'no', why: string } | { kind: 'gap', id: string }} Cell */
/** @typedef {{ pair: Pair, cells: Map<string, Cell> }} Column */

const DOCUMENT = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url));
const BEGIN = '<!-- matrix: written by `npm run matrix` -->';
const END = '<!-- end of matrix -->';
const ERAS = /** @type {const} */ (['handshake', 'modern']);
const SHORT = { handshake: '2025', modern: '2026' };

/** @param {Pair} pair */
export function nameOf({ callerEra, upstreamEra, callerTransport, upstreamTransport }) {
  return `${REVISION[callerEra]} ${callerTransport} -> ${REVISION[upstreamEra]} ${upstreamTransport}`;
}

/**
 * @param {readonly { id: string, title: string }[]} features @param {readonly Column[]} columns
 * @param {ReadonlyMap<string, string>} reasons of gaps, by id
 */
export function printTable(features, columns, reasons) {
  /** @type {string[]} */
  const notes = [];
  const note = (/** @type {string} */ text) => {
    if (!notes.includes(text)) notes.push(text);
    return notes.indexOf(text) + 1;
  };
  const eras = ERAS.flatMap((callerEra) => ERAS.map((upstreamEra) => ({ callerEra, upstreamEra })));
  const rows = features.map(({ id, title }) => {
    const cells = eras.map(({ callerEra, upstreamEra }) => {
      const group = columns.filter(({ pair }) => pair.callerEra === callerEra && pair.upstreamEra === upstreamEra);
      return wordOf(id, group, note, reasons);
    });
    return `| ${title} | ${cells.join(' | ')} |`;
  });
  const head = eras.map(({ callerEra, upstreamEra }) => `${SHORT[callerEra]} → ${SHORT[upstreamEra]}`);
  const cells = columns.flatMap((column) => [...column.cells.values()]);
  const count = (/** @type {string} */ kind) => cells.filter((cell) => cell.kind === kind).length;
  return [
    `| feature | ${head.join(' | ')} |`,
    `|---|${head.map(() => '---|').join('')}`,
    ...rows,
    '',
    ...notes.map((text, index) => `${index + 1}. ${text}`),
    ...(notes.length > 0 ? [''] : []),
    `${cells.length} cells: ${count('yes')} passed, ${count('gap')} registered gaps, ${count('absent')} with nothing to try, ${count('no')} not passed.`,
  ].join('\n');
}

/** @param {string} id @param {readonly Column[]} group @param {(text: string) => number} note @param {ReadonlyMap<string, string>} reasons */
function wordOf(id, group, note, reasons) {
  const words = group.map(({ pair, cells }) => {
    const cell = cells.get(id);
    const way = `${pair.callerTransport} → ${pair.upstreamTransport}`;
    if (cell?.kind === 'yes') return { word: 'yes', way };
    if (cell?.kind === 'gap') return { word: `gap (${note(`${cell.id}: ${reasons.get(cell.id)}`)})`, way };
    if (cell?.kind === 'absent') return { word: `- (${note(cell.why)})`, way };
    return { word: 'NO', way };
  });
  const kinds = [...new Set(words.map(({ word }) => word))];
  if (kinds.length === 1) return kinds[0];
  return kinds
    .map((kind) => {
      const ways = words.filter(({ word }) => word === kind).map(({ way }) => way);
      return kind === 'yes' ? kind : `${kind} ${ways.join(', ')}`;
    })
    .join('; ');
}

/** @param {string} table @returns whether the document already holds it */
export function isWritten(table) {
  const text = readFileSync(DOCUMENT, 'utf8');
  return text === withTable(text, table);
}

/** @param {string} table */
export function writeTable(table) {
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), table));
}

/** @param {string} text @param {string} table */
function withTable(text, table) {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/compatibility.md has lost its markers: ${BEGIN} and ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
