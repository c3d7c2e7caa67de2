import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DoorError } from '../../base/index.js';
import { type Credential, isBearerToken, type ServerRecord, type TokenStore } from '../../client/index.js';
import type { Environment } from '../../config/index.js';
import { tryLock } from './file-lock.js';
import { fileStamp } from './file-stamp.js';
import { findKeychain, type Keychain } from './keychain.js';
import { makeFolder } from './make-folder.js';
import { readOwnFile } from './own-file.js';
import { tokenFolder, tokenKey } from './token-path.js';
import { sha256Of } from './trust-store.js';

const FORMAT = 'tokens 1';
const MAX_BYTES = 256 * 1024;
const POLL_MS = 50;
/** Longer than a refresh may take, with both its attempts. */
const PATIENCE_MS = 45_000;

interface Seen {
  readonly stamp: string;
  readonly record: ServerRecord | undefined;
}

/** What a file holds: the record, or all of it but what the keychain holds. */
interface TokenFile extends ServerRecord {
  readonly doorward: typeof FORMAT;
  readonly secrets?: 'keychain';
}

export interface TokenStoreOptions {
  readonly environment: Environment;
  /** Keeps apart what belongs to different programs, though it is for the same server. Default: what configurations name. */
  readonly realm?: string;
  /** Tests have their own. */
  readonly findKeychain?: (environment: Environment) => Promise<Keychain | undefined>;
}

/**
 * Tokens as files below $XDG_STATE_HOME/doorward/tokens, one a server, for their owner alone: written whole or not at all,
 * and read anew when another process has written them. With a keychain, the files hold everything but the secrets.
 */
export class FileTokenStore implements TokenStore {
  readonly #environment: Environment;
  readonly #realm: string | undefined;
  readonly #seen = new Map<string, Seen>();
  readonly #paths = new Map<string, string>();
  #keychain: Promise<Keychain | undefined> | undefined = undefined;

  readonly #openKeychain: (environment: Environment) => Promise<Keychain | undefined>;

  constructor(options: TokenStoreOptions) {
    this.#environment = options.environment;
    this.#realm = options.realm;
    this.#openKeychain = options.findKeychain ?? findKeychain;
  }

  async read(server: string): Promise<ServerRecord | undefined> {
    const path = this.#paths.get(server) ?? (await this.#pathOf(server));
    if (path === undefined) return undefined;
    const stamp = fileStamp(path);
    const seen = this.#seen.get(server);
    if (seen?.stamp === stamp) return seen.record;
    const record = stamp === '' ? undefined : await this.#readFile(path, server);
    this.#seen.set(server, { stamp, record });
    return record;
  }

  /** @throws {DoorError} `INTERNAL` where it cannot be kept */
  async write(server: string, record: ServerRecord | undefined): Promise<void> {
    const path = await this.#getPath(server);
    this.#seen.delete(server);
    const keychain = await this.#findKeychain();
    if (record === undefined) {
      rmSync(path, { force: true });
      await keychain?.remove(tokenKey(server, this.#realm)).catch(() => {});
      return;
    }
    const isKept =
      keychain !== undefined &&
      (await isWritten(keychain.write(tokenKey(server, this.#realm), JSON.stringify(record))));
    const file: TokenFile = { doorward: FORMAT, ...(isKept ? withoutSecrets(record) : record), ...(isKept && KEPT) };
    const { writeWhole } = await import('./write-whole.js');
    try {
      makeFolder(join(path, '..'));
      await writeWhole(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    } catch (cause) {
      throw unusable(path, cause);
    }
  }

  async locked<Result>(server: string, task: () => Promise<Result>): Promise<Result> {
    const release = await this.#waitForLock(server);
    try {
      return await task();
    } finally {
      await release();
    }
  }

  /**
   * Takes a lock that is held for a person's time: of one login.
   *
   * @returns a function that gives it back; undefined where somebody else has it
   */
  tryLogin(server: string): Promise<(() => Promise<void>) | undefined> {
    return this.#tryLock(server, 'login');
  }

  async #waitForLock(server: string): Promise<() => Promise<void>> {
    const startedMs = performance.now();
    for (;;) {
      const release = await this.#tryLock(server, 'lock');
      if (release) return release;
      if (performance.now() - startedMs > PATIENCE_MS) {
        throw new DoorError('BUSY', `another process has held the tokens for ${server} for ${PATIENCE_MS / 1000} s`, {
          hint: 'End it, or try again.',
        });
      }
      // Not all at once: those who wait have begun together.
      await new Promise((resolve) => setTimeout(resolve, POLL_MS * (1 + Math.random())));
    }
  }

  async #tryLock(server: string, suffix: string): Promise<(() => Promise<void>) | undefined> {
    const path = await this.#getPath(server);
    try {
      makeFolder(join(path, '..'));
      return await tryLock(`${path}.${suffix}`);
    } catch (cause) {
      throw unusable(path, cause);
    }
  }

  async #readFile(path: string, server: string): Promise<ServerRecord | undefined> {
    try {
      const file: unknown = JSON.parse(readOwnFile(path, MAX_BYTES).toString('utf8'));
      if (!isTokenFile(file, server)) return undefined;
      if (file.secrets !== 'keychain') return recordOf(file);
      const text = await (await this.#findKeychain())?.read(tokenKey(server, this.#realm));
      const kept: unknown = text === undefined ? undefined : JSON.parse(text);
      // Without the keychain it is known where we were logged in, and no more.
      return isRecord(kept, server) ? kept : recordOf(file);
    } catch {
      // Damaged, or others can write it: what it says is worth nothing, and a login replaces it.
      return undefined;
    }
  }

  #findKeychain(): Promise<Keychain | undefined> {
    this.#keychain ??= this.#openKeychain(this.#environment);
    return this.#keychain;
  }

  async #pathOf(server: string): Promise<string | undefined> {
    const folder = tokenFolder(this.#environment);
    if (folder === undefined) return undefined;
    const path = join(folder, `${await sha256Of(tokenKey(server, this.#realm))}.json`);
    this.#paths.set(server, path);
    return path;
  }

  async #getPath(server: string): Promise<string> {
    const path = await this.#pathOf(server);
    if (path !== undefined) return path;
    throw new DoorError('CONFIG_INVALID', 'there is no place to keep tokens', { hint: 'Set HOME or XDG_STATE_HOME.' });
  }
}

const KEPT = { secrets: 'keychain' } as const;

async function isWritten(writing: Promise<void>): Promise<boolean> {
  // A keychain that is locked, or takes no text of this length.
  return writing.then(
    () => true,
    () => false,
  );
}

function withoutSecrets(record: ServerRecord): ServerRecord {
  const credentials = record.credentials.map(({ tokens: _, client, ...rest }): Credential => {
    const { secret: __, ...open } = client;
    return { ...rest, client: open };
  });
  return { ...record, credentials };
}

function recordOf({ doorward: _, secrets: __, ...record }: TokenFile): ServerRecord {
  return record;
}

function isTokenFile(value: unknown, server: string): value is TokenFile {
  return isRecord(value, server) && (value as TokenFile).doorward === FORMAT;
}

function isRecord(value: unknown, server: string): value is ServerRecord {
  const { server: named, credentials } = (value ?? {}) as Partial<ServerRecord>;
  return named === server && Array.isArray(credentials) && credentials.every(isCredential);
}

function isCredential(value: unknown): value is Credential {
  const { issuer, resource, client, tokenEndpoint, tokens } = (value ?? {}) as Partial<Credential>;
  const areTexts = [issuer, resource, tokenEndpoint, client?.id].every((each) => typeof each === 'string');
  return areTexts && (tokens === undefined || (typeof tokens.access === 'string' && isBearerToken(tokens.access)));
}

function unusable(path: string, cause: unknown): DoorError {
  const { code } = cause as NodeJS.ErrnoException;
  return new DoorError('INTERNAL', `tokens cannot be kept in ${path}: ${code ?? (cause as Error).message}`, {
    hint: 'Set XDG_STATE_HOME to a folder that you may write to.',
    cause,
  });
}
