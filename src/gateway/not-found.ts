import { closest, distance } from 'fastest-levenshtein';
import { DoorError } from '../base/index.js';
import type { CatalogEntry, CatalogSnapshot, Exclusion } from '../catalog/index.js';
import type { MountedUpstream } from './mounted.js';

/** A name that nobody knows is shown up to this length. */
export const MAX_SHOWN = 200;

/** What a name that led nowhere was looked for among. */
export interface Searched {
  readonly mounts: readonly MountedUpstream[];
  readonly snapshot: Pick<CatalogSnapshot, 'findExcludedName' | 'findExclusion'>;
  /** Those whose names its caller may hear. */
  readonly entries: readonly CatalogEntry[];
}

/**
 * Says why there is no tool of a public name; where `mount` is given, of that mount's own name.
 *
 * @returns TOOL_EXCLUDED, TOOL_UNKNOWN, or why the upstream that would have it cannot be used
 */
export function toolNotFound(name: string, { mounts, snapshot, entries }: Searched, mount?: string): DoorError {
  const exclusion = mount === undefined ? snapshot.findExcludedName(name) : snapshot.findExclusion(mount, name);
  if (exclusion !== undefined) return excluded(exclusion);
  const owned = mount === undefined ? mounts : mounts.filter(({ id }) => id === mount);
  const failure = failureOfOwner(name, owned, mount);
  if (failure !== undefined) return failure;
  const hider = owned.find((each) => each.hides(name, mount));
  if (hider !== undefined) return hidden(name, hider.id);
  const shown = name.slice(0, MAX_SHOWN);
  const quoted = JSON.stringify(shown);
  const near = entries.filter((entry) => mount === undefined || entry.mount === mount);
  return new DoorError(
    'TOOL_UNKNOWN',
    mount === undefined ? `There is no tool ${quoted}` : `${mount} lists no tool ${quoted}`,
    {
      data: { tool: shown, ...(mount !== undefined && { upstream: mount }) },
      hint:
        nearest(
          name,
          near.map((entry) => (mount === undefined ? entry.name : entry.tool.name)),
        ) ?? 'List the tools to see what there is.',
    },
  );
}

/** For a call that names a server by its id; other servers are suggested if their names are near. */
export function mountNotFound(id: string, mounts: readonly MountedUpstream[]): DoorError {
  const hint = nearest(
    id,
    mounts.filter(({ isNamed }) => isNamed).map((mount) => mount.id),
  );
  return new DoorError('TOOL_UNKNOWN', `There is no server ${JSON.stringify(id)}`, {
    data: { upstream: id },
    hint: hint ?? 'Name a server of the configuration.',
  });
}

/** @param names those that there are */
export function promptNotFound(name: string, names: readonly string[]): DoorError {
  const prompt = name.slice(0, MAX_SHOWN);
  return new DoorError('PROMPT_UNKNOWN', `There is no prompt ${JSON.stringify(prompt)}`, {
    data: { prompt },
    hint: nearest(name, names) ?? 'List the prompts to see what there is.',
  });
}

/** @param down upstreams that cannot be used now, and might have it */
export function resourceNotFound(key: string, down: readonly string[]): DoorError {
  const uri = key.slice(0, MAX_SHOWN);
  return new DoorError('RESOURCE_UNKNOWN', `There is no resource ${JSON.stringify(uri)}, and no template it matches`, {
    data: { uri, ...(down.length > 0 && { down }) },
    hint:
      down.length > 0
        ? `It may be of ${down.join(' or ')}, which cannot be reached now: read doorward://status, and try again.`
        : 'List the resources and their templates to see what there is.',
  });
}

function excluded({ mount, tool, code, which, schemaPath, reason }: Exclusion): DoorError {
  return new DoorError('TOOL_EXCLUDED', `${tool} of ${mount} is left out: ${which}${schemaPath}: ${reason}`, {
    data: { upstream: mount, tool, reason: { code, which, schemaPath, message: reason } },
    hint: 'The server must mend the schema; `doorward check` shows every verdict.',
  });
}

function hidden(name: string, upstream: string): DoorError {
  return new DoorError('TOOL_UNKNOWN', `${upstream} has the tool, but tools.allow or tools.deny hides it`, {
    data: { upstream, tool: name.slice(0, MAX_SHOWN) },
    hint: `Change tools.allow or tools.deny of ${upstream} in the configuration.`,
  });
}

/** Where the tool would be an upstream's that failed before it ever listed, that failure is the answer. */
function failureOfOwner(
  name: string,
  mounts: readonly MountedUpstream[],
  mount: string | undefined,
): DoorError | undefined {
  for (const each of mounts) {
    const isOwner = mount !== undefined || each.claims(name);
    if (!isOwner || each.hasListed) continue;
    if (each.refusal !== undefined) return each.refusal;
  }
  return undefined;
}

function nearest(name: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || name.length > MAX_SHOWN) return undefined;
  const best = closest(name, names);
  return distance(name, best) <= Math.max(2, name.length / 3) ? `Did you mean ${best}?` : undefined;
}
