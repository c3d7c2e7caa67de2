/** The table in docs/compatibility.md: rows of features, columns of servers, and a note for each "-". */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCUMENT = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url));
const BEGIN = '<!-- table: written by `npm run compat` -->';
const END = '<!-- end of table -->';
const WORDS = { same: 'yes', broken: 'NO' };

/** @param {{ title: string, cells: { kind: string, why?: string }[] }[]} rows @param {string[]} servers */
export function printTable(rows, servers) {
  const notes = [];
  const word = ({ kind, why }) => {
    if (kind !== 'absent') return WORDS[kind];
    if (!notes.includes(why)) notes.push(why);
    return `- (${notes.indexOf(why) + 1})`;
  };
  const lines = [
    `| feature | ${servers.join(' | ')} |`,
    `|---|${servers.map(() => '---|').join('')}`,
    ...rows.map(({ title, cells }) => `| ${title} | ${cells.map(word).join(' | ')} |`),
  ];
  if (notes.length > 0) lines.push('', ...notes.map((note, index) => `${index + 1}. ${note}`));
  return lines.join('\n');
}

/** @returns whether the document already holds this table */
export function isWritten(table) {
  return readDocument() === withTable(readDocument(), table);
}

export function writeTable(table) {
  writeFileSync(DOCUMENT, withTable(readDocument(), table));
}

function readDocument() {
  return readFileSync(DOCUMENT, 'utf8');
}

function withTable(text, table) {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/compatibility.md has lost its markers: ${BEGIN} and ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
