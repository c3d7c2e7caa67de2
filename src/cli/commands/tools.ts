import { type DoorError, ERROR_TABLE } from '../../base/index.js';
import type { CatalogEntry, Exclusion, UpstreamStatus } from '../../gateway/index.js';
import type { Cli } from '../cli.js';
import { atCommandLine } from '../command-hint.js';
import { type HiddenTool, hiddenText, hiddenTools } from '../hidden-tools.js';
import { indentJson } from '../indent-json.js';
import { chooseServers, type OneShot, runOneShot, settle, writeProblems } from '../one-shot.js';
import type { Run } from '../parse-command-line.js';
import { errorAsJson, writeError } from '../report-error.js';
import { cut, oneLine, printable, type Screen } from '../screen.js';
import { findMemberText } from '../tool-definition.js';

/** `doorward tools [SERVER]`: what there is to call. */
export function runTools(run: Run, cli: Cli): Promise<number> {
  return runOneShot(run, cli, async (shot) => {
    const servers = chooseServers(shot.loaded, run.operands[0], run);
    writeProblems(shot.loaded, servers, cli);
    const isJson = run.options.has('json');
    const list = (statuses: readonly UpstreamStatus[]) => listingOf(run, shot, statuses);
    // At a terminal each server is shown as it answers: one that hangs keeps nobody from seeing the others. Whoever
    // reads a pipe waits for all in any case, and gets them in the order of the configuration.
    const isLive = cli.out.isTerminal && !isJson;
    const statuses = await settle(shot, servers, cli, (status) => {
      if (!isLive) return;
      shot.life.clear();
      writeListing(list([status]), cli);
    });
    const listing = list(statuses);
    if (isJson) cli.out.write(`${listingAsJson(listing)}\n`);
    else if (!isLive) writeListing(listing, cli);
    return exitOf(listing, servers);
  });
}

function listingOf(run: Run, { gateway }: OneShot, statuses: readonly UpstreamStatus[]): Listing {
  const snapshot = gateway.snapshot();
  const isWanted = ({ mount }: { readonly mount: string }): boolean => statuses.some(({ id }) => id === mount);
  return {
    entries: snapshot.entries.filter(isWanted),
    exclusions: snapshot.exclusions.filter(isWanted),
    hidden: hiddenTools(
      snapshot,
      statuses.map(({ id }) => id),
    ),
    failures: failuresOf(statuses, run),
    isNamed: run.target === undefined,
    isDetailed: run.operands.length > 0 || run.target !== undefined,
    hasSchema: run.options.has('schema'),
  };
}

interface Listing {
  readonly entries: readonly CatalogEntry[];
  readonly exclusions: readonly Exclusion[];
  readonly hidden: readonly HiddenTool[];
  readonly failures: readonly Failure[];
  /** Whether a tool is called by its server's id as well: there is more than the one after `--`. */
  readonly isNamed: boolean;
  readonly isDetailed: boolean;
  readonly hasSchema: boolean;
}

/** A server that cannot be asked, and why. */
export interface Failure {
  readonly server: string;
  readonly error: DoorError;
}

export function failuresOf(statuses: readonly UpstreamStatus[], run: Run): readonly Failure[] {
  return statuses.flatMap(({ id, state }) =>
    state.kind === 'failed' ? [{ server: id, error: atCommandLine(state.error, run) }] : [],
  );
}

/** A server that fails costs only itself, unless it was the one that was asked for, or all did. */
function exitOf({ failures }: Listing, servers: readonly string[]): number {
  const [first] = failures;
  return first && failures.length === servers.length ? ERROR_TABLE[first.error.code].exit : 0;
}

function listingAsJson({ entries, exclusions, hidden, failures, hasSchema }: Listing): string {
  const tools = entries.map((entry) => toolAsJson(entry, hasSchema));
  const excluded = exclusions.map(({ mount, tool, code, which, schemaPath, reason }) =>
    JSON.stringify({ server: mount, tool, code, which, schemaPath, reason }),
  );
  const broken = failures.map(({ server, error }) => JSON.stringify({ server, error: errorAsJson(error) }));
  const lists = [
    `"tools":[${tools.join(',')}]`,
    `"excluded":[${excluded.join(',')}]`,
    `"failed":[${broken.join(',')}]`,
  ];
  return `{${lists.join(',')},"hidden":${JSON.stringify(hidden)}}`;
}

/** Schemas go out as the server wrote them, so that no digit is lost. */
function toolAsJson({ name, mount, tool }: CatalogEntry, hasSchema: boolean): string {
  const facts = JSON.stringify({ server: mount, tool: tool.name, name, description: tool.description ?? null });
  if (!hasSchema) return facts;
  const schemas = ['inputSchema', 'outputSchema'].flatMap((member) => {
    const text = findMemberText(tool.definition, member);
    return text === undefined ? [] : [`,"${member}":${text}`];
  });
  return `${facts.slice(0, -1)}${schemas.join('')}}`;
}

function writeListing(listing: Listing, { out, err }: Cli): void {
  const { entries, exclusions, hidden, failures, isDetailed, hasSchema } = listing;
  const names = entries.map((entry) => nameOf(entry, listing));
  const width = Math.min(Math.max(0, ...names.map((name) => name.length)), MAX_NAME);
  entries.forEach((entry, at) => {
    if (isDetailed) writeDetails(entry, names[at]!, listing, out);
    else out.write(`${shortLine(entry, names[at]!, width, out)}\n`);
    if (hasSchema) writeSchemas(entry, out);
  });
  for (const exclusion of exclusions) writeExclusion(exclusion, err);
  for (const { error } of failures) writeError(error, err);
  const hiddenLine = hiddenText(hidden);
  if (hiddenLine !== undefined) err.write(`${err.colors.dim(hiddenLine)}\n`);
}

const MAX_NAME = 48;

function nameOf({ mount, tool }: CatalogEntry, { isNamed }: Listing): string {
  return oneLine(isNamed ? `${mount}.${tool.name}` : tool.name);
}

function shortLine({ tool }: CatalogEntry, name: string, width: number, out: Screen): string {
  const description = cut(oneLine(tool.description ?? ''), out.columns - Math.max(width, name.length) - 2);
  return `${out.colors.bold(name.padEnd(width))}  ${out.colors.dim(description)}`.trimEnd();
}

/** The name with its arguments as `call` takes them, then all of the description. */
function writeDetails(entry: CatalogEntry, name: string, listing: Listing, out: Screen): void {
  const parameters = parametersOf(entry).join(' ');
  out.write(`${out.colors.bold(name)}${parameters === '' ? '' : `  ${parameters}`}\n`);
  if (listing.hasSchema) return;
  const description = printable(entry.tool.description ?? '').trim();
  for (const line of description === '' ? [] : description.split(/\r?\n/))
    out.write(`${out.colors.dim(`    ${line}`.trimEnd())}\n`);
}

/** `path [head]`: what must be given, and what may be. */
function parametersOf({ tool }: CatalogEntry): readonly string[] {
  const schema = JSON.parse(findMemberText(tool.definition, 'inputSchema') ?? '{}') as {
    readonly properties?: unknown;
    readonly required?: unknown;
  };
  const { properties, required } = schema;
  const needed = Array.isArray(required) ? required.map(String) : [];
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const optional = known.filter((name) => !needed.includes(name)).map((name) => `[${name}]`);
  return [...needed, ...optional].map(oneLine);
}

function writeSchemas({ tool }: CatalogEntry, out: Screen): void {
  for (const member of ['inputSchema', 'outputSchema']) {
    const text = findMemberText(tool.definition, member);
    if (text !== undefined) out.write(`    ${out.colors.dim(member)} ${printable(indentJson(text, '    '))}\n`);
  }
}

export function writeExclusion({ mount, tool, which, schemaPath, reason, code }: Exclusion, err: Screen): void {
  const label = err.colors.yellow('left out:');
  err.write(`${label} ${oneLine(`${mount}.${tool}: ${which}${schemaPath}: ${reason} (${code})`)}\n`);
}
