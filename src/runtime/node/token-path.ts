import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type Environment, userFolder } from '../../config/index.js';

/** Where the files with tokens lie; undefined where the environment names no place. */
export function tokenFolder(environment: Environment): string | undefined {
  const folder = userFolder(environment, 'XDG_STATE_HOME', '.local/state');
  return folder === undefined ? undefined : `${folder}/tokens`;
}

/** What tokens are kept under: the server, and for whom, where that is not the user's own configuration. */
export function tokenKey(server: string, realm: string | undefined): string {
  // No address holds a NUL.
  return realm === undefined ? server : `${realm}\0${server}`;
}

/** The file with the tokens for a server. At once, for whoever only wants to know whether it is there. */
export function tokenPath(environment: Environment, server: string, realm: string | undefined): string | undefined {
  const folder = tokenFolder(environment);
  // Not node:crypto: loading it takes 4 ms, and this is asked at the start.
  return folder && `${folder}/${bytesToHex(sha256(utf8ToBytes(tokenKey(server, realm))))}.json`;
}
