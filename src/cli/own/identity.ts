import type { ServerIdentity } from '../../contract/index.js';
import { VERSION } from '../version.js';

/** Who doorward is, wherever it introduces itself. */
export const IDENTITY: ServerIdentity = {
  name: 'io.github.doorward/doorward',
  title: 'doorward',
  description: 'One front door for MCP: many servers behind one entry, every tool call judged before it is sent.',
  version: VERSION,
  websiteUrl: 'https://github.com/doorward/doorward',
  repository: { url: 'https://github.com/doorward/doorward', source: 'github' },
};
