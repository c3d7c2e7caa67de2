import { type ClientEntry, type TextPlace, textsOf } from './entry.js';
import { referencesOf, type Text } from './reference.js';

const SECRET_NAME =
  /(^|[-_.])(token|secret|password|passwd|pwd|pass|credentials?|(api|access|private|secret|auth)[-_]?key|key|auth|authorization|cookie|pat|dsn)$|secret|password|apikey/i;
/** Ways in which well-known tokens begin; JSON Web Tokens among them. */
const TOKEN_START =
  /^(sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abps]|shpat|npm|hf|AIza|AKIA|ya29|eyJ)[-_A-Za-z0-9]/;
const SCHEME = /^(bearer|basic|token|apikey)\s+\S/i;
const LONG_RANDOM = /^(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9+_-]{28,}={0,2}$/;
const URL_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:[^/?#\s@]+@/i;
/** Values that no one keeps secret, whatever they are called. */
const PLAIN = /^(|true|false|yes|no|on|off|none|null|\d{1,8})$/i;

/**
 * The places of a connection that look like secrets written out: by their names (`API_KEY`, `Authorization`, `--token`), or
 * by how the value looks. A value with a reference in it is taken for none.
 */
export function literalSecretsIn(connection: ClientEntry['connection']): readonly TextPlace[] {
  const places = textsOf(connection).filter(([place, text]) => {
    const value = literalOf(text);
    return value !== undefined && isSecret(place, value, connection);
  });
  return places.map(([place]) => place);
}

function literalOf(text: Text): string | undefined {
  return referencesOf(text).length > 0 ? undefined : text.join('');
}

function isSecret({ field, name, at }: TextPlace, value: string, connection: ClientEntry['connection']): boolean {
  if (PLAIN.test(value)) return false;
  if (field === 'command' || field === 'cwd') return false;
  if (looksSecret(value)) return true;
  if (field === 'url') return hasSecretParameter(value);
  if (field === 'args') return isSecretArgument(value, at ?? 0, connection);
  return SECRET_NAME.test(name ?? '');
}

function looksSecret(value: string): boolean {
  const bare = value.replace(SCHEME, (start) => start.slice(-1));
  return TOKEN_START.test(bare) || SCHEME.test(value) || LONG_RANDOM.test(bare) || URL_PASSWORD.test(value);
}

function hasSecretParameter(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return [...new URL(url).searchParams].some(([name, value]) => SECRET_NAME.test(name) && !PLAIN.test(value));
}

/** `--token=abc`, and `abc` behind `--token`. */
function isSecretArgument(value: string, at: number, connection: ClientEntry['connection']): boolean {
  const [, flag, given] = /^--?([\w-]+)=(.+)$/s.exec(value) ?? [];
  if (flag !== undefined && given !== undefined) return SECRET_NAME.test(flag) && !PLAIN.test(given);
  if (connection.kind !== 'stdio' || value.startsWith('-')) return false;
  const before = literalOf(connection.args[at - 1] ?? []) ?? '';
  return /^--/.test(before) && !before.includes('=') && SECRET_NAME.test(before);
}

/** `env.API_KEY`, `headers["X-Key"]`, `args[2]`: how people are told of a place. */
export function placeName({ field, name, at }: TextPlace): string {
  if (name !== undefined) return /^[A-Za-z_]\w*$/.test(name) ? `${field}.${name}` : `${field}[${JSON.stringify(name)}]`;
  return at === undefined ? field : `${field}[${at}]`;
}
