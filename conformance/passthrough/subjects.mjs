/**
 * The three servers, and what to try on each. Whether a server offers it is told by its own answers in the direct run:
 * what is named here and not found there makes the cell "-".
 */
import { fileURLToPath } from 'node:url';

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));

function ownOffer(label) {
  return {
    uriPrefix: `${label}://`,
    textUri: `${label}://notes`,
    blobUri: `${label}://pixel`,
    template: { uri: `${label}://item/{id}`, argument: { name: 'id', value: 't' }, filled: `${label}://item/seven` },
    missingUri: `${label}://item/none`,
    subscribable: [`${label}://notes`, `${label}://page/2`],
    structured: ['get-structured-content', { location: 'Oslo' }],
    image: ['get-content', { kind: 'image' }],
    audio: ['get-content', { kind: 'audio' }],
    embedded: ['get-content', { kind: 'text' }],
    embeddedBlob: ['get-content', { kind: 'blob' }],
    link: ['get-content', { kind: 'link' }],
    progress: ['count', { steps: 3 }],
    slow: ['wait', {}],
    failing: ['fail', {}],
    numbers: ['get-structured-content', '{"location":"x","n":12345678901234567890,"f":1.0,"e":1E400}'],
    addResource: ['add-resource', { name: 'fresh' }],
    addedUri: `${label}://added/fresh`,
    touch: (session, uri) => session.call('touch', { uri }),
    prompt: ['travel', { region: 'north', city: 'Oslo' }],
    wrongPrompt: ['travel', { region: 'north' }],
    promptCompletion: ['travel', { name: 'city', value: 'O' }, { arguments: { region: 'south' } }],
    logs: (session) => session.call('log-all'),
    form: { name: 'Ada', age: 36, color: 'green' },
    requireUrl: ['require-url', {}],
  };
}

/** The reference server's own way to do the same. What it has no way for keeps the name of our tool, and is not found. */
function referenceOffer() {
  const base = 'demo://resource';
  let logged = 0;
  return {
    ...ownOffer('demo'),
    uriPrefix: `${base}/`,
    textUri: `${base}/static/document/features.md`,
    blobUri: `${base}/dynamic/blob/3`,
    template: {
      uri: `${base}/dynamic/text/{resourceId}`,
      argument: { name: 'resourceId', value: '7' },
      filled: `${base}/dynamic/text/5`,
    },
    missingUri: `${base}/dynamic/text/none`,
    subscribable: [`${base}/dynamic/text/1`, `${base}/static/document/features.md`],
    structured: ['get-structured-content', { location: 'Chicago' }],
    image: ['get-tiny-image', {}],
    embedded: ['get-resource-reference', { resourceType: 'Text', resourceId: 2 }],
    embeddedBlob: ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
    link: ['get-resource-links', { count: 4 }],
    progress: ['trigger-long-running-operation', { duration: 0.3, steps: 3 }],
    slow: ['trigger-long-running-operation', { duration: 0.6, steps: 1 }],
    failing: ['get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
    numbers: ['get-sum', '{"a":12345678901234567890,"b":1.0}'],
    addResource: [
      'gzip-file-as-resource',
      { name: 'fresh.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
    ],
    addedUri: `${base}/session/fresh.gz`,
    // Begins with an update at once and goes on every 5 s; the second call ends it.
    touch: async (session) => {
      await session.call('toggle-subscriber-updates');
      await session.call('toggle-subscriber-updates');
    },
    prompt: ['args-prompt', { city: 'Oslo', state: 'Oslo' }],
    wrongPrompt: ['args-prompt', { state: 'Oslo' }],
    promptCompletion: [
      'completable-prompt',
      { name: 'name', value: 'A' },
      { arguments: { department: 'Engineering' } },
    ],
    // Its only message of a level known beforehand is the "info" at a subscription.
    logs: async (session) => {
      const uri = `${base}/dynamic/text/${100 + logged++}`;
      await session.client.subscribeResource({ uri });
      await session.client.unsubscribeResource({ uri });
    },
    // Whatever has a default is answered: doorward fills in the defaults of what an answer leaves out.
    form: {
      name: 'Ada',
      check: true,
      firstLine: 'It was noon.',
      integer: 7,
      number: 2.5,
      untitledSingleSelectEnum: 'Ross',
      untitledMultipleSelectEnum: ['Bass', 'Drums'],
      titledSingleSelectEnum: 'hero-2',
      titledMultipleSelectEnum: ['fish-2'],
      legacyTitledEnum: 'pet-3',
    },
    requireUrl: ['trigger-url-elicitation', { url: 'https://example.com/a', elicitationId: 'e-1', errorPath: true }],
  };
}

export const SUBJECTS = [
  {
    id: 'everything',
    title: 'reference server',
    args: [fileOf('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
    neighbourId: 'v1',
    makeOffer: referenceOffer,
  },
  {
    id: 'v1',
    title: 'SDK v1 server',
    args: [fileOf('server-v1.mjs')],
    neighbourId: 'v2',
    makeOffer: () => ownOffer('v1'),
  },
  {
    id: 'v2',
    title: 'SDK v2 server',
    args: [fileOf('server-v2.mjs')],
    neighbourId: 'everything',
    makeOffer: () => ownOffer('v2'),
  },
];
