import { readFileSync } from 'node:fs';
import type { SecureContext } from 'node:tls';

/** A file of certificates is no good. */
export class CertificateFault extends Error {}

/**
 * Whom we trust beside Node's own list, where SSL_CERT_FILE names them. NODE_EXTRA_CA_CERTS is Node's own affair until a
 * list is given by hand, which then has to hold those as well.
 *
 * @returns undefined where Node's own way is all there is
 * @throws {CertificateFault} when a file cannot be read or holds no certificates
 */
export function trustedContext(env: Readonly<Record<string, string | undefined>>): SecureContext | undefined {
  const file = env.SSL_CERT_FILE;
  if (file === undefined || file === '') return undefined;
  const tls = process.getBuiltinModule('node:tls');
  const ca = [...tls.rootCertificates, readCertificates('SSL_CERT_FILE', file)];
  const extra = env.NODE_EXTRA_CA_CERTS;
  if (extra !== undefined && extra !== '') ca.push(readCertificates('NODE_EXTRA_CA_CERTS', extra));
  return tls.createSecureContext({ ca });
}

function readCertificates(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new CertificateFault(`${variable} names ${file}, which cannot be read`, { cause: thrown });
  }
  if (!text.includes('-----BEGIN '))
    throw new CertificateFault(`${variable} names ${file}, which holds no certificates (PEM)`);
  return text;
}
