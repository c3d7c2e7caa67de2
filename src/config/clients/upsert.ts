import type { EditableText } from './edit/editable-text.js';
import { isEqual, valueAt } from './edit/equal.js';
import { openFile } from './edit/open-file.js';
import { type ClientSpec, isObject, type Json, type JsonObject } from './spec.js';

/** Members that say how a server is reached, in every client's spelling: a new connection replaces all of them. */
const CONNECTION = new Set(
  (
    'command cmd args env envs environment env_vars env_keys cwd working_directory url serverUrl httpUrl uri type ' +
    'transport headers http_headers env_http_headers bearer_token_env_var bearerTokenEnvVar requestOptions source'
  ).split(' '),
);

export interface Upsert {
  readonly client: ClientSpec;
  /** What messages call the file. */
  readonly fileName: string;
  /** What it holds; absent where there is none yet. */
  readonly bytes: Uint8Array | undefined;
  readonly name: string;
  /** The entry in the client's spelling, of `writeEntry`. */
  readonly value: JsonObject;
  /** Variables to declare beside the servers (VS Code's inputs). */
  readonly inputs?: readonly string[];
}

export interface Upserted {
  readonly change: 'created' | 'added' | 'updated' | 'unchanged';
  readonly bytes: Uint8Array;
  /** Where the entry stands in the file. */
  readonly path: readonly (string | number)[];
}

/**
 * Puts an entry into a client's file, in place: an entry of that name gets the new connection and keeps whatever else it
 * says; everything else, comments included, stays. Doing it twice changes nothing. Pure: bytes in, bytes out.
 *
 * @throws {DoorError} `CONFIG_INVALID` with file, line and column for a file that cannot be read, or that holds something
 * else where the servers should be
 */
export function upsertEntry({ client, fileName, bytes, name, value, inputs = [] }: Upsert): Upserted {
  const file = openFile({ format: client.format, name: fileName, bytes });
  const isNew = bytes === undefined || bytes.length === 0;
  const before = file.text;
  if (isNew) for (const [member, inner] of Object.entries(client.seed ?? {})) file.set([member], inner);
  const root = rootIn(client, file.value);
  const path = pathOf(client, file.value, root, name);
  const now = valueAt(file.value, path);
  if (now !== undefined && now !== null && !isObject(now)) refuse(file, path, value);
  if (isNew && client.isList && root.length === 0) file.set([], []);
  if (client.isList && root.length > 0 && valueAt(file.value, root) === undefined)
    file.set(root, [mergedEntry(now, value)]);
  else file.set(path, mergedEntry(now, value));
  declareInputs(file, inputs);
  if (file.text === before && !isNew) return { change: 'unchanged', bytes: bytes!, path };
  const change = isNew ? 'created' : now === undefined ? 'added' : 'updated';
  return { change, bytes: file.bytes(), path };
}

/** Whatever stands where the entry should be is somebody's: a member is asked of it, and refused with its place. */
function refuse(file: EditableText, path: Upserted['path'], value: JsonObject): void {
  const [member = ''] = Object.keys(value);
  file.set([...path, member], value[member] ?? null);
}

/** Which of the client's places for servers this file uses: an alternative counts only where it holds servers. */
export function rootIn({ roots }: ClientSpec, value: Json): readonly string[] {
  const alternative = roots.slice(1).find((root) => {
    const servers = valueAt(value, root);
    return isObject(servers) && Object.values(servers).every(isObject);
  });
  return alternative ?? roots[0]!;
}

function pathOf(
  { isList }: ClientSpec,
  value: Json,
  root: readonly string[],
  name: string,
): readonly (string | number)[] {
  if (!isList) return [...root, name];
  const items = valueAt(value, root);
  if (!Array.isArray(items)) return [...root, 0];
  const at = items.findIndex((item: Json) => isObject(item) && item.name === name);
  return [...root, at < 0 ? items.length : at];
}

function mergedEntry(now: Json | undefined, value: JsonObject): JsonObject {
  if (!isObject(now)) return value;
  const kept = Object.entries(now).filter(([member]) => !CONNECTION.has(member));
  // A setting of the user's own wins over our usual one: an entry that was switched off stays so.
  const settings = Object.entries(value).filter(([member]) => CONNECTION.has(member) || !Object.hasOwn(now, member));
  const wanted = { ...Object.fromEntries(kept), ...Object.fromEntries(settings) };
  return isEqual(now, wanted) ? now : wanted;
}

function declareInputs(file: ReturnType<typeof openFile>, inputs: readonly string[]): void {
  for (const id of inputs) {
    const now = valueAt(file.value, ['inputs']);
    const declared = Array.isArray(now) ? now : [];
    if (declared.some((item: Json) => isObject(item) && item.id === id)) continue;
    const input = { type: 'promptString', id, description: id, password: true };
    if (now === undefined) file.set(['inputs'], [input]);
    else file.set(['inputs', declared.length], input);
  }
}
