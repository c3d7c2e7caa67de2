#!/usr/bin/env node
import { serveStdio } from 'doorward/node';
import { implementation } from './implementation.js';

/**
 * All tools to one client, over stdio. Where somebody has named a remote (`doorward login URL --program NAME`, or the URL in
 * REPO_TOOLS_REMOTE), that one has the tools that need no machine of yours and this process the rest: one list to the client.
 */
const { REPO_TOOLS_REMOTE: url } = process.env;
await serveStdio(implementation, { remote: url ?? process.argv.includes('--remote') });
