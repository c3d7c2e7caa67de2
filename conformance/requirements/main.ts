/**
 * npm run conformance:requirements [-- --write]
 *
 * Prints what doorward makes of the specification's statements, area by area. Exits with 1 where a MUST or MUST NOT of
 * the areas that have to be assessed is not, where the ledger is at fault, or where docs/conformance.md is not what it
 * says; `--write` writes that document.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOf, readLedger } from './ledger.js';
import { owedBy, printCounts, printDocument } from './print.js';
import { TestTitles } from './test-titles.js';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'conformance.md');

function main(args: readonly string[]): number {
  if (args.some((arg) => arg !== '--write')) {
    console.error('usage: npm run conformance:requirements [-- --write]');
    return 2;
  }
  const ledger = readLedger();
  console.log(printCounts(ledger));

  const titles = new TestTitles();
  const faults = faultsOf(ledger, (name) => titles.has(name));
  for (const fault of faults) console.error(`fault: ${fault}`);
  const owed = owedBy(ledger);
  for (const { id, level, summary } of owed) console.error(`unassessed: ${id} (${level}): ${summary}`);

  const text = printDocument(ledger);
  if (args.includes('--write')) writeFileSync(DOCUMENT, text);
  const isWritten = existsSync(DOCUMENT) && readFileSync(DOCUMENT, 'utf8') === text;
  if (!isWritten) console.error('docs/conformance.md is not up to date: npm run conformance:requirements -- --write');
  return faults.length > 0 || owed.length > 0 || !isWritten ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
