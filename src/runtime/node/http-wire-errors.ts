import { DoorError } from '../../base/index.js';
import { CertificateFault } from './ca-certificates.js';
import { ProxyFault } from './proxy-tunnel.js';

type WireFault = 'dns' | 'refused' | 'tls' | 'timeout' | 'reset' | 'proxy' | 'protocol' | 'unusable';

/** How far a request had come when it failed. */
interface Progress {
  /** Nothing of it can have reached the server. */
  readonly isUnsent: boolean;
  /** The response had begun. */
  readonly hasHead: boolean;
}

const WORDS: Readonly<Record<WireFault, string>> = {
  dns: 'there is no address for this name',
  refused: 'nobody takes the connection there',
  tls: 'no trusted connection (TLS) can be made',
  timeout: 'the connection was not there in time',
  reset: 'the connection broke',
  proxy: 'the proxy does not let it through',
  protocol: 'what came back is not HTTP as it should be',
  unusable: 'the request cannot be sent',
};

const HINTS: Readonly<Record<WireFault, string>> = {
  dns: 'Check the host in the url of this server, and the network.',
  refused: 'Start that server, or correct host and port in its url.',
  tls: 'If its certificate is of an authority of your own, name that in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE.',
  timeout: 'Check the network, and whether a proxy is needed (HTTPS_PROXY).',
  reset: 'Look at the log of that server.',
  proxy: 'Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.',
  protocol: 'Check the url of this server: http or https, and the port.',
  unusable: 'Check url and headers in the entry of this server.',
};

/** A failure in words for people, and classes for programs. Never holds what a URL may hide: user, password, query. */
export function wireError(place: string, error: NodeJS.ErrnoException, { isUnsent, hasHead }: Progress): DoorError {
  const fault = classOf(error);
  const neverConnected = isUnsent || isConnecting(error) || error instanceof ProxyFault;
  const detail = detailOf(error);
  const message = neverConnected
    ? `cannot reach ${place}: ${WORDS[fault]}${detail}`
    : `${place}: ${WORDS[fault]} ${hasHead ? 'before the answer was whole' : 'before an answer came'}${detail}`;
  return new DoorError(neverConnected ? 'UPSTREAM_UNREACHABLE' : 'UPSTREAM_LOST', message, {
    data: { reason: fault, outcome: neverConnected ? 'not-executed' : 'unknown' },
    hint: speaksNoTls(error) ? HINTS.protocol : HINTS[fault],
    cause: error,
  });
}

function classOf(error: NodeJS.ErrnoException): WireFault {
  if (error instanceof ProxyFault) return 'proxy';
  if (error instanceof CertificateFault) return 'tls';
  const code = error.code ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || error.syscall === 'getaddrinfo') return 'dns';
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'EADDRNOTAVAIL') {
    return 'refused';
  }
  if (error.name === 'HTTPParserError' || /^(?:HPE_|Z_|ERR__ERROR_FORMAT|UND_ERR_HEADERS_OVERFLOW)/.test(code))
    return 'protocol';
  if (isTls(code, error.message)) return 'tls';
  return code === 'UND_ERR_INVALID_ARG' || code.startsWith('ERR_INVALID') ? 'unusable' : 'reset';
}

function isTls(code: string, message: string): boolean {
  if (
    /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|ERR_OSSL|HOSTNAME_MISMATCH|INVALID_CA)/.test(
      code,
    )
  ) {
    return true;
  }
  return code === 'ECONNRESET' && message.includes('before secure TLS connection');
}

/** What came back was not the beginning of TLS, as from a server of plain http: no certificate would help. */
function speaksNoTls({ code = '' }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

function isConnecting(error: NodeJS.ErrnoException): boolean {
  // A name with several addresses fails with all their errors in one.
  if (error instanceof AggregateError) return true;
  return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
}

/** The code that experts look up; a fault of the proxy, or of a file, is said in whole. */
function detailOf(error: NodeJS.ErrnoException): string {
  if (error instanceof ProxyFault || error instanceof CertificateFault) return ` (${error.message})`;
  return error.code === undefined ? '' : ` (${error.code})`;
}
