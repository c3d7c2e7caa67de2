import { TASKS_EXTENSION } from '../protocol/index.js';

/** What a caller may count on, whatever upstreams there are: they may come and go. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** The same in the modern era, which has extensions. */
export const MODERN_CAPABILITIES = { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } };
