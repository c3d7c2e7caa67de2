/** What a URL says, or undefined where it is none. */
export function findUrl(text: string): URL | undefined {
  // URL.canParse and URL.parse are younger than the runtimes this runs on.
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const VARIABLE = /\{([^{}]*)\}/g;

/** The names that stand in braces in a URL template. */
export function variablesOf(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].map(([, name]) => name!);
}

/** The template as a URL, with something in place of each variable: digits where a port must be. */
export function findTemplatedUrl(template: string): URL | undefined {
  const filled = template.replace(/:\{[^{}]*\}(?=[/?#]|$)/g, ':8080').replace(VARIABLE, 'placeholder');
  return findUrl(filled);
}

/** Whether a host is one that only this machine, this network or nobody reaches: the Registry lists none of them. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (/^[\d.]+$/.test(host)) return isPrivateIpv4(host.split('.').map(Number));
  return host.includes(':') && isPrivateIpv6(host);
}

/** RFC 1122, 1918, 3927, 5771, 6598. `URL` has brought every spelling of an address to four numbers. */
function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  return (
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  );
}

/** RFC 4291, 4193: none, this one, link-local, unique local, multicast, and IPv4 in disguise. */
function isPrivateIpv6(host: string): boolean {
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host);
  if (mapped) {
    const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
    return isPrivateIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  return host === '::' || host === '::1' || /^(fe[89ab]|f[cd]|ff)/.test(host);
}
