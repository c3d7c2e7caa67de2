import { type ClientEntry, type TextMap, type TextPlace, textsOf } from './entry.js';
import type { Loss } from './read-entry.js';
import { type Text, writeText } from './reference.js';
import { literalSecretsIn, placeName } from './secret.js';
import type { Json, JsonObject } from './spec.js';
import { suggestedVariable } from './write-entry.js';

export interface DoorwardEntry {
  /** As it stands under `mcpServers` of a doorward.json. */
  readonly value: JsonObject;
  readonly losses: readonly Loss[];
}

/**
 * An entry as doorward's own configuration spells it. A secret that is written out becomes a reference to a variable, which
 * is told as a loss, unless `literalSecrets` lets it stand.
 */
export function doorwardEntry(
  { connection, settings }: ClientEntry,
  { server, literalSecrets }: { readonly server: string; readonly literalSecrets: boolean },
): DoorwardEntry {
  const losses: Loss[] = [];
  const secrets = new Set((literalSecrets ? [] : literalSecretsIn(connection)).map(placeName));
  const say = (text: Text, place: TextPlace): string => {
    if (!secrets.has(placeName(place))) return ownValue(text);
    const variable = suggestedVariable(place, server);
    losses.push({
      field: placeName(place),
      message: `looks like a secret: set ${variable} to it; the file says \${${variable}}`,
    });
    return `${prefixOf(text, place)}\${${variable}}`;
  };
  const spelled = Object.fromEntries(textsOf(connection).map(([place, text]) => [placeName(place), say(text, place)]));
  const named = (field: 'env' | 'headers', map: TextMap): JsonObject => {
    const entries = Object.keys(map).map((name) => [name, spelled[placeName({ field, name })]!] as const);
    return entries.length === 0 ? {} : { [field]: Object.fromEntries<Json>(entries) };
  };
  const { enabled, callTimeoutMs, startTimeoutMs, allow, deny } = settings;
  const base: JsonObject =
    connection.kind === 'stdio'
      ? {
          command: spelled.command!,
          ...(connection.args.length > 0 && {
            args: connection.args.map((_, at) => spelled[placeName({ field: 'args', at })]!),
          }),
          ...named('env', connection.env),
          ...(connection.cwd !== undefined && { cwd: spelled.cwd! }),
        }
      : { type: connection.transport, url: spelled.url!, ...named('headers', connection.headers) };
  const value: JsonObject = {
    ...base,
    ...(enabled === false && { enabled }),
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...((allow ?? deny) !== undefined && { tools: { ...(allow && { allow }), ...(deny && { deny }) } }),
  };
  return { value, losses };
}

/** What of a secret's text is none: the scheme of a header, the name of a flag. */
function prefixOf(text: Text, { field }: TextPlace): string {
  const prefix = field === 'args' ? /^--?[\w-]+=/ : /^(?:Bearer|Basic|Token) (?=\S)/i;
  return prefix.exec(String(text[0]))?.[0] ?? '';
}

function ownValue(text: Text): string {
  const written = writeText(text, 'doorward');
  return typeof written === 'string' ? '' : written.value;
}
