/** Variables a child gets of ours without being asked for: what programs need to run, and nothing that is a secret. */
const NAMES = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'TZ',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
]);
const WINDOWS_NAMES = new Set([
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);
const PREFIXES = ['LC_', 'XDG_'];

/** The environment of a child: the allowlist out of ours, then what its entry names. */
export function childEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  named: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && isAllowed(name.toUpperCase())) environment[name] = value;
  }
  return { ...environment, ...named };
}

function isAllowed(name: string): boolean {
  if (NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))) return true;
  return process.platform === 'win32' && WINDOWS_NAMES.has(name);
}
