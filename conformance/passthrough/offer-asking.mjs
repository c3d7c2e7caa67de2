/** The half of the offer in which the server asks its client: roots, sampling, elicitation, ping. */
import { z } from 'zod';
import { textResult } from './offer.mjs';

const FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1 },
      age: { type: 'integer', minimum: 0 },
      color: { type: 'string', enum: ['red', 'green'] },
    },
    required: ['name'],
  },
};

export function offerAsking({ server, makeError, onNotification }) {
  const asked = server.server;
  const tell = (value) => textResult(JSON.stringify(value));
  let rootChanges = 0;
  onNotification('notifications/roots/list_changed', () => {
    rootChanges += 1;
  });
  server.registerTool('get-roots-list', {}, async () => tell({ ...(await asked.listRoots()), rootChanges }));
  server.registerTool('ping-client', {}, async () => tell(await asked.ping()));
  server.registerTool(
    'trigger-sampling-request',
    { inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }) =>
      tell(
        await asked.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
          systemPrompt: 'Be brief.',
          maxTokens: 12,
          temperature: 0.25,
          stopSequences: ['\n'],
          modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
          _meta: { 'example.com/asked': [1] },
        }),
      ),
  );
  server.registerTool('trigger-elicitation-request', {}, async () => tell(await asked.elicitInput(FORM)));
  server.registerTool('ask-briefly', {}, async () => tell(await asked.elicitInput(FORM, { timeout: 200 })));
  const address = { inputSchema: z.object({ url: z.string(), elicitationId: z.string() }) };
  server.registerTool('trigger-url-elicitation', address, async ({ url, elicitationId }) => {
    const answer = await asked.elicitInput({ mode: 'url', message: 'Open it', url, elicitationId });
    await asked.createElicitationCompletionNotifier(elicitationId)();
    return tell(answer);
  });
  server.registerTool('require-url', {}, () => {
    const elicitations = [
      { mode: 'url', message: 'First', url: 'https://example.com/first', elicitationId: 'e-first' },
    ];
    throw makeError(-32042, 'Open the address first', { elicitations });
  });
}
