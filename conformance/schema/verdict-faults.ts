import type { Issue, Verdict } from '../../src/schema/index.js';

const MAX_ISSUES = 20;

/** What a caller could not use in a verdict on `value`: places that are not there, words that are missing. Empty where all is well. */
export function faultOfVerdict(verdict: Verdict, value: unknown): string {
  if (verdict.valid || verdict.gaveUp) return '';
  const { issues, truncated } = verdict;
  if (issues.length === 0 || issues.length > MAX_ISSUES) return `${issues.length} issues`;
  if (truncated && issues.length < MAX_ISSUES) return `truncated at ${issues.length} issues`;
  return issues.map((issue) => faultOfIssue(issue, value)).find((fault) => fault !== '') ?? '';
}

function faultOfIssue(issue: Issue, value: unknown): string {
  const { pointer, path, keyword, expected, received, message } = issue;
  if ([keyword, expected, received, message].some((word) => word === ''))
    return `an empty word in ${JSON.stringify(issue)}`;
  const steps = stepsOfPointer(pointer);
  const named = stepsOfPath(path);
  if (JSON.stringify(steps) !== JSON.stringify(named)) return `path ${path} is not pointer ${pointer}`;
  let place: unknown = value;
  for (const step of steps) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step))
      return `${pointer} is not in the value`;
    place = (place as Record<string, unknown>)[step];
  }
  return '';
}

function stepsOfPointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** `$.a[0]["b.c"]` as `a`, `0`, `b.c`; undefined where the path is written in another way. */
function stepsOfPath(path: string): string[] | undefined {
  const steps: string[] = [];
  const step = /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  if (!path.startsWith('$')) return undefined;
  for (step.lastIndex = 1; step.lastIndex < path.length; ) {
    const found = step.exec(path);
    if (!found) return undefined;
    steps.push(found[1] ?? found[2] ?? (JSON.parse(found[3]!) as string));
  }
  return steps;
}
