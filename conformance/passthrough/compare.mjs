/** Puts the run through doorward beside the direct one and says, for each feature, what became of it. */
import { isDeepStrictEqual } from 'node:util';

/**
 * @returns {{ kind: 'same' } | { kind: 'absent' | 'broken', why: string }} `absent`: the server itself has not got it, as
 *   the direct run shows
 */
export function compare(feature, direct, through) {
  if (direct.kind === 'absent') {
    return { kind: 'absent', why: feature.lacks ? `${feature.lacks} (${direct.why})` : direct.why };
  }
  if (direct.kind === 'failed') return { kind: 'broken', why: `the direct run failed: ${direct.why}` };
  if (through.kind !== 'seen') return { kind: 'broken', why: through.why };
  if (!feature.leavesOutShown && !isDeepStrictEqual(direct.value.server, through.value.server)) {
    return { kind: 'broken', why: `the server saw ${firstDifference(direct.value.server, through.value.server)}` };
  }
  const isSame = feature.isSame ?? isDeepStrictEqual;
  if (isSame(direct.value.client, through.value.client)) return { kind: 'same' };
  return { kind: 'broken', why: `the client saw ${firstDifference(direct.value.client, through.value.client)}` };
}

/** Where two JSON values part: "at .a[0]: 1 direct, 2 through". */
function firstDifference(direct, through, place = '') {
  const isBranch = (value) => typeof value === 'object' && value !== null;
  if (isBranch(direct) && isBranch(through) && Array.isArray(direct) === Array.isArray(through)) {
    for (const key of new Set([...Object.keys(direct), ...Object.keys(through)])) {
      if (isDeepStrictEqual(direct[key], through[key])) continue;
      return firstDifference(direct[key], through[key], `${place}${Array.isArray(direct) ? `[${key}]` : `.${key}`}`);
    }
  }
  const short = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 160);
  return `at ${place || 'the top'}: ${short(direct)} direct, ${short(through)} through`;
}
