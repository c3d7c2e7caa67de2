import { encodeText } from '../../base/index.js';

/** Shorter texts stand for too much else. */
const MIN_LENGTH = 6;

/** What of a URL may be a secret: user, password, the values of its query. Servers like to repeat what they were asked. */
export function secretsOfUrl({ username, password, search }: URL): string[] {
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const texts = [username, password, ...values].flatMap((text) => [text, decoded(text)]);
  if (username === '' && password === '') return texts;
  return [...texts, btoa(String.fromCharCode(...encodeText(`${decoded(username)}:${decoded(password)}`)))];
}

/** What of a header may be a secret: its value, and of `Bearer x` the token alone. */
export function secretsOfHeader(value: string): string[] {
  const at = value.indexOf(' ');
  return at > 0 ? [value, value.slice(at + 1)] : [value];
}

/** A server's text, and no secret of ours in it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The longer ones first: one may begin with another.
  const known = secrets.filter(({ length }) => length >= MIN_LENGTH).sort((one, other) => other.length - one.length);
  return known.reduce((rest, secret) => rest.replaceAll(secret, '(secret)'), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
