/** What is asked of the three servers, and what the answer must hold: the same for every client. */
import { join } from 'node:path';
import { ROOT } from './doors.mjs';

const MOUNTS = ['everything', 'files', 'memory'];

export const CALLS = [
  { tool: 'everything__get-sum', arguments: { a: 40, b: 2 }, holds: '42' },
  { tool: 'everything__get-structured-content', arguments: { location: 'Chicago' }, holds: 'temperature' },
  { tool: 'files__list_directory', arguments: { path: join(ROOT, 'examples') }, holds: 'three-servers.json' },
  {
    tool: 'memory__create_entities',
    arguments: { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }] },
    holds: 'Ada',
  },
  { tool: 'memory__read_graph', arguments: {}, holds: 'likes engines' },
];

/** An argument of the wrong type: refused before the server sees it. */
export const BAD_CALL = { tool: 'everything__get-sum', arguments: { a: 'forty', b: 2 } };

export const RESOURCE = { uri: 'demo://resource/static/document/features.md', holds: 'Features' };

export const PROMPT = {
  name: 'everything__args-prompt',
  arguments: { city: 'Oslo', state: 'Norway' },
  holds: 'Oslo',
};

/** A tool that asks whoever called it to fill in a form. */
export const ELICITING = { tool: 'everything__trigger-elicitation-request', arguments: {}, holds: 'Ada' };

export const SLOW = {
  tool: 'everything__trigger-long-running-operation',
  arguments: { duration: 1, steps: 4 },
  holds: 'completed',
};

export function expectTools(tools) {
  const counts = MOUNTS.map((mount) => {
    const count = tools.filter(({ name }) => name.startsWith(`${mount}__`)).length;
    if (count === 0) throw new Error(`no tools of ${mount}`);
    return `${mount} ${count}`;
  });
  return counts.join(', ');
}

export function expectText(answer, holds) {
  const text = JSON.stringify(answer);
  if (answer.isError || !text.includes(holds)) throw new Error(`unexpected answer: ${text.slice(0, 200)}`);
  return `answer holds ${JSON.stringify(holds)}`;
}
