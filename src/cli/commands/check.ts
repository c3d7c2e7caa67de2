import { type DoorEvents, ERROR_TABLE } from '../../base/index.js';
import type { CatalogEntry, Exclusion } from '../../gateway/index.js';
import type { Cli } from '../cli.js';
import { hiddenText, hiddenTools } from '../hidden-tools.js';
import { chooseServers, runOneShot, settle, writeProblems } from '../one-shot.js';
import type { Run } from '../parse-command-line.js';
import { errorAsJson, writeError } from '../report-error.js';
import { oneLine, type Screen } from '../screen.js';
import { failuresOf } from './tools.js';

const EXIT_CHECK_FAILED = 7;

/** The verdict on one tool. */
interface Row {
  readonly server: string;
  readonly tool: string;
  readonly exclusion: Exclusion | undefined;
  /** Dialects of the schemas that were compiled. */
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly warnings: readonly string[];
}

/** `doorward check [SERVER]`: every schema's verdict. */
export function runCheck(run: Run, cli: Cli): Promise<number> {
  return runOneShot(run, cli, async (shot) => {
    const servers = chooseServers(shot.loaded, run.operands[0], run);
    writeProblems(shot.loaded, servers, cli);
    const warnings: DoorEvents['server.warning'][] = [];
    shot.gateway.events.on('server.warning', (warning) => void warnings.push(warning));
    const statuses = await settle(shot, servers, cli);
    const { entries, exclusions } = shot.gateway.snapshot();
    const rows = [
      ...entries.filter(({ mount }) => servers.includes(mount)).map((entry) => rowOf(entry, warnings)),
      ...exclusions.filter(({ mount }) => servers.includes(mount)).map(excludedRow),
    ].toSorted((one, other) => servers.indexOf(one.server) - servers.indexOf(other.server));
    const failures = failuresOf(statuses, run);
    const hidden = hiddenTools(shot.gateway.snapshot(), servers);
    if (run.options.has('json')) {
      const unreachable = failures.map(({ server, error }) => ({ server, error: errorAsJson(error) }));
      cli.out.write(`${JSON.stringify({ tools: rows.map(rowAsJson), failed: unreachable, hidden })}\n`);
    } else {
      const width = Math.max(0, ...rows.map((row) => nameOf(row).length));
      for (const row of rows) writeRow(row, Math.min(width, MAX_NAME), cli.out);
      for (const { error } of failures) writeError(error, cli.err);
      cli.out.write(`${summaryOf(rows, failures.length)}\n`);
      const hiddenLine = hiddenText(hidden);
      if (hiddenLine !== undefined) cli.out.write(`${hiddenLine}\n`);
    }
    if (exclusions.some(({ mount }) => servers.includes(mount))) return EXIT_CHECK_FAILED;
    return failures[0] ? ERROR_TABLE[failures[0].error.code].exit : 0;
  });
}

function rowOf({ mount, tool }: CatalogEntry, warnings: readonly DoorEvents['server.warning'][]): Row {
  const own = warnings.filter((warning) => warning.upstream === mount && warning.tool === tool.name);
  return {
    server: mount,
    tool: tool.name,
    exclusion: undefined,
    input: tool.input.dialect,
    output: tool.output?.dialect,
    warnings: own.map(({ message }) => message),
  };
}

function excludedRow(exclusion: Exclusion): Row {
  const { mount: server, tool } = exclusion;
  return { server, tool, exclusion, input: undefined, output: undefined, warnings: [] };
}

function rowAsJson({ server, tool, exclusion, input, output, warnings }: Row): object {
  if (!exclusion) {
    return { server, tool, verdict: 'ok', inputDialect: input, outputDialect: output ?? null, warnings };
  }
  const { code, which, schemaPath, reason } = exclusion;
  return { server, tool, verdict: 'excluded', code, which, schemaPath, reason };
}

const MAX_NAME = 48;

function nameOf({ server, tool }: Row): string {
  return oneLine(`${server}.${tool}`);
}

function writeRow(row: Row, width: number, out: Screen): void {
  const { exclusion, input, output, warnings } = row;
  const { colors } = out;
  const name = nameOf(row);
  if (exclusion) {
    const { which, schemaPath, reason, code } = exclusion;
    out.write(`${colors.red('left out')}  ${name}\n`);
    out.write(`          ${oneLine(`${which}${schemaPath}: ${reason} (${code})`)}\n`);
    return;
  }
  const dialects = output === undefined ? `input ${input}` : `input ${input}, output ${output}`;
  const label = warnings.length > 0 ? colors.yellow('warning ') : colors.green('ok      ');
  out.write(`${label}  ${name.padEnd(width)}  ${colors.dim(dialects)}\n`);
  for (const warning of warnings) out.write(`          ${oneLine(warning)}\n`);
}

function summaryOf(rows: readonly Row[], failed: number): string {
  const excluded = rows.filter(({ exclusion }) => exclusion !== undefined).length;
  const parts = [
    `${rows.length} ${rows.length === 1 ? 'tool' : 'tools'} checked`,
    excluded > 0 && `${excluded} left out`,
    failed > 0 && `${failed} ${failed === 1 ? 'server' : 'servers'} not reached`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}
