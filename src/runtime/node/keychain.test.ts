import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerRecord } from '../../client/index.js';
import { findKeychain, type Keychain, whyNoKeychain } from './keychain.js';
import { FileTokenStore } from './token-store.js';

const WANTED = { DOORWARD_TOKENS: 'keychain' };

/** What @napi-rs/keyring looks like, with a map for the system's store. */
function fakeKeyring(kept: Map<string, string>) {
  return {
    AsyncEntry: class {
      readonly #name: string;
      constructor(service: string, account: string) {
        this.#name = `${service} ${account}`;
      }
      async getPassword() {
        return kept.get(this.#name) ?? null;
      }
      async setPassword(text: string) {
        kept.set(this.#name, text);
      }
      async deletePassword() {
        return kept.delete(this.#name);
      }
    },
  };
}

test('that there is none where it is asked for is said', async () => {
  const missing = () => Promise.reject(new Error('not installed'));
  expect(await whyNoKeychain(WANTED, missing)).toContain('@napi-rs/keyring is not installed');
  expect(await whyNoKeychain({ DOORWARD_TOKENS: 'keyring' }, missing)).toContain('no other word than keychain');
  expect(await whyNoKeychain({ DOORWARD_TOKENS: '' }, missing)).toBeUndefined();
  expect(await whyNoKeychain({}, missing)).toBeUndefined();
  expect(await whyNoKeychain(WANTED, async () => ({}))).toBeUndefined();
});

test('a keychain is used only where it is asked for and installed', async () => {
  const load = async () => fakeKeyring(new Map());
  expect(await findKeychain({}, load)).toBeUndefined();
  expect(await findKeychain({ DOORWARD_TOKENS: 'file' }, load)).toBeUndefined();
  expect(await findKeychain(WANTED, () => Promise.reject(new Error('not installed')))).toBeUndefined();
  const keychain = await findKeychain(WANTED, load);
  await keychain?.write('s', 'text');
  expect(await keychain?.read('s')).toBe('text');
  await keychain?.remove('s');
  expect(await keychain?.read('s')).toBeUndefined();
});

const SERVER = 'https://mcp.example/mcp';
const RECORD: ServerRecord = {
  server: SERVER,
  current: 'https://as.example',
  credentials: [
    {
      issuer: 'https://as.example',
      resource: SERVER,
      client: { id: 'c', secret: 'hush-client', origin: 'registered' },
      tokenEndpoint: 'https://as.example/token',
      tokens: { access: 'hush-access', refresh: 'hush-refresh', givenAtMs: 1 },
      loggedInAtMs: 1,
    },
  ],
};

function openStores(keychain: Keychain | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-keychain-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { XDG_STATE_HOME: folder };
  const tokens = join(folder, 'doorward/tokens');
  return {
    store: (own = keychain) => new FileTokenStore({ environment, findKeychain: async () => own }),
    text: () =>
      readdirSync(tokens)
        .map((name) => readFileSync(join(tokens, name), 'utf8'))
        .join(''),
  };
}

test('with a keychain the file holds no secret, and the record is whole all the same', async () => {
  const kept = new Map<string, string>();
  const { store, text } = openStores(await findKeychain(WANTED, async () => fakeKeyring(kept)));
  await store().write(SERVER, RECORD);
  expect(text()).not.toContain('hush');
  expect(await store().read(SERVER)).toEqual(RECORD);
  expect((await store(undefined).read(SERVER))?.current, 'a door without the keychain still knows where').toBe(
    'https://as.example',
  );
  await store().write(SERVER, undefined);
  expect(kept.size).toBe(0);
});

test('a keychain that does not take it leaves it to the file', async () => {
  const locked = () => Promise.reject(new Error('locked'));
  const { store, text } = openStores({ read: locked, write: locked, remove: locked });
  await store().write(SERVER, RECORD);
  expect(text()).toContain('hush-access');
  expect(await store().read(SERVER)).toEqual(RECORD);
});
