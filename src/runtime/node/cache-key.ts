import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What tells one upstream from another, whatever it is called in a configuration. */
export type CacheSubject =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** What the entry names, not what every child gets. */
      readonly env: ReadonlyMap<string, string>;
      /** The folder it starts in, absolute: `.` among its arguments is another one elsewhere. */
      readonly cwd: string;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
      /** Which credential is sent: two accounts may be shown two lists. Absent where none is. */
      readonly credential?: string;
    };

/** Changes with the form of the files, so that no version reads what it does not know. */
const FORMAT = 'doorward catalog 1';

/**
 * Names an upstream's catalog on disk: SHA-256, hex. Values that may be secrets go in as digests of their own, and those
 * of headers not at all, since a token that is renewed every hour is still the same account.
 */
export function cacheKeyOf(subject: CacheSubject): string {
  if (subject.kind === 'http') {
    const { url, headers, credential = null } = subject;
    const names = [...headers.keys()].map((name) => name.toLowerCase()).sort();
    return digestOf(JSON.stringify([FORMAT, 'http', url, names, credential]));
  }
  const { command, args, env, cwd } = subject;
  const variables = [...env]
    .map(([name, value]) => [name, digestOf(value)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([FORMAT, 'stdio', command, args, cwd, variables]));
}

// Not node:crypto: loading it takes 4 ms, and keys are needed before the caller is greeted.
function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
