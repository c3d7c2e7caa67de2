import { BlockList, isIP } from 'node:net';
import type { Environment } from '../../config/index.js';

/**
 * The proxy that requests to a place go through, by the variables that programs share: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY
 * and NO_PROXY, the lower-case one first. This machine is never reached through one.
 *
 * @returns undefined where there is none
 * @throws {TypeError} where the variable holds no URL; the message names it, and not its value, which may hold a password
 */
export function findProxy(url: URL, env: Environment): URL | undefined {
  const host = bareHost(url);
  if (isOwnHost(host)) return undefined;
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const found = findVariable(env, scheme) ?? findVariable(env, 'all_proxy');
  if (found === undefined || isExempt(host, portOf(url), findVariable(env, 'no_proxy')?.value ?? '')) return undefined;
  const text = found.value.includes('://') ? found.value : `http://${found.value}`;
  if (!URL.canParse(text)) throw new TypeError(`${found.name} is no URL of a proxy`);
  return new URL(text);
}

/** The host of a URL as sockets want it: IPv6 without its brackets. */
export function bareHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function findVariable(env: Environment, lower: string): { name: string; value: string } | undefined {
  for (const name of [lower, lower.toUpperCase()]) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}

function isOwnHost(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function isExempt(host: string, port: number, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => entry !== '' && matches(host, port, entry.toLowerCase()));
}

/** `*`, a domain with all below it, an address, a range of addresses, each but the last with a port or without. */
function matches(host: string, port: number, entry: string): boolean {
  if (entry === '*') return true;
  const range = /^(.+)\/(\d{1,3})$/.exec(entry);
  if (range !== null) return isInRange(host, range[1]!, Number(range[2]));
  const withPort = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry);
  if (withPort !== null && Number(withPort[2]) !== port) return false;
  const name = (withPort?.[1] ?? entry).replace(/^\[(.*)\]$/, '$1').replace(/^\*?\./, '');
  if (isIP(name) !== 0) return host === name;
  return host === name || host.endsWith(`.${name}`);
}

function isInRange(host: string, network: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, kind);
  return list.check(host, kind);
}
