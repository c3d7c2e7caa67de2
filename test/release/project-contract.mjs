// The contract of the project that is released; it is copied into that project with the addresses filled in.

import { defineContract, defineTool } from '__ROOT__/dist/contract.js';
import * as z from '__ROOT__/node_modules/zod/index.js';
import { readFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

export const contract = defineContract({
  server: { name: 'io.github.ada/weather', description: 'Weather for everywhere', version },
  tools: [
    defineTool({
      name: 'forecast',
      description: 'Tells the weather.',
      kind: 'read',
      input: z.object({}),
      output: z.object({}),
    }),
  ],
  packages: [
    {
      registryType: 'npm',
      identifier: name,
      transport: { type: 'stdio' },
      environmentVariables: [{ name: 'CITY', isRequired: false }],
    },
  ],
});
