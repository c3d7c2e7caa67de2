#!/usr/bin/env node
import { remoteMounts, serveStdio } from 'doorward/node';
import { contract } from './contract.js';
import { implementation } from './implementation.js';

const { REPO_TOOLS_REMOTE: url } = process.env;

/**
 * All tools to one client, over stdio. Where a remote is named it has the tools that need no machine of yours, and this
 * process the rest; both are one list to the client.
 */
await serveStdio(
  implementation,
  url === undefined
    ? {}
    : {
        hasRemote: true,
        upstreams: remoteMounts({ url, program: 'repo-tools', fingerprint: contract.fingerprint }),
      },
);
