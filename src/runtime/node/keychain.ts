import type { Environment } from '../../config/index.js';

/** The system's own store of secrets. */
export interface Keychain {
  read(account: string): Promise<string | undefined>;
  write(account: string, text: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** The part of @napi-rs/keyring that is used. */
interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    getPassword(): Promise<string | null | undefined>;
    setPassword(text: string): Promise<void>;
    deletePassword(): Promise<unknown>;
  };
}

const SERVICE = 'doorward';

/**
 * The keychain, where `DOORWARD_TOKENS=keychain` asks for it and the optional package @napi-rs/keyring is installed.
 *
 * @param load loads that package
 * @returns undefined otherwise: tokens then lie in files of their own
 */
export async function findKeychain(
  environment: Environment,
  load: () => Promise<unknown> = loadKeyring,
): Promise<Keychain | undefined> {
  if (environment.DOORWARD_TOKENS !== 'keychain') return undefined;
  let keyring: Keyring;
  try {
    keyring = (await load()) as Keyring;
  } catch {
    return undefined;
  }
  const entryOf = (account: string) => new keyring.AsyncEntry(SERVICE, account);
  return {
    read: async (account) => (await entryOf(account).getPassword()) ?? undefined,
    write: (account, text) => entryOf(account).setPassword(text),
    remove: async (account) => void (await entryOf(account).deletePassword()),
  };
}

/**
 * Why tokens lie in files though `DOORWARD_TOKENS` wants something else: whoever asked for the keychain is to know it.
 *
 * @returns undefined where they lie where they are wanted
 */
export async function whyNoKeychain(
  environment: Environment,
  load: () => Promise<unknown> = loadKeyring,
): Promise<string | undefined> {
  const { DOORWARD_TOKENS: wanted = '' } = environment;
  if (wanted === '') return undefined;
  if (wanted !== 'keychain') return 'DOORWARD_TOKENS knows no other word than keychain';
  if (await findKeychain(environment, load)) return undefined;
  return 'DOORWARD_TOKENS wants the keychain, but @napi-rs/keyring is not installed beside doorward';
}

/** By a name that no bundler follows: the package is not ours to bring along. */
async function loadKeyring(): Promise<unknown> {
  const { createRequire } = await import('node:module');
  return createRequire(import.meta.url)(['@napi-rs', 'keyring'].join('/'));
}
