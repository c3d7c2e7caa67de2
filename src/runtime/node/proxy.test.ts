import { describe, expect, test } from 'vitest';
import { findProxy } from './proxy.js';

const find = (url: string, env: Record<string, string>): string | undefined => findProxy(new URL(url), env)?.href;

describe('which proxy', () => {
  test.each([
    { why: 'none is named', url: 'http://a.test/', env: {}, proxy: undefined },
    { why: 'of HTTP', url: 'http://a.test/', env: { HTTP_PROXY: 'http://p.test:1' }, proxy: 'http://p.test:1/' },
    { why: 'not the one of HTTPS', url: 'http://a.test/', env: { HTTPS_PROXY: 'http://p.test:1' }, proxy: undefined },
    { why: 'of HTTPS', url: 'https://a.test/', env: { https_proxy: 'http://p.test:1' }, proxy: 'http://p.test:1/' },
    { why: 'of all', url: 'https://a.test/', env: { ALL_PROXY: 'http://p.test:1' }, proxy: 'http://p.test:1/' },
    {
      why: 'the lower case first',
      url: 'http://a.test/',
      env: { HTTP_PROXY: 'http://upper.test', http_proxy: 'http://lower.test' },
      proxy: 'http://lower.test/',
    },
    { why: 'an empty one is none', url: 'http://a.test/', env: { http_proxy: ' ' }, proxy: undefined },
    {
      why: 'without a scheme it is HTTP',
      url: 'http://a.test/',
      env: { http_proxy: 'p.test:3128' },
      proxy: 'http://p.test:3128/',
    },
    {
      why: 'never to ourselves by name',
      url: 'http://localhost:1/',
      env: { http_proxy: 'http://p.test' },
      proxy: undefined,
    },
    { why: 'nor by address', url: 'http://127.0.0.9:1/', env: { http_proxy: 'http://p.test' }, proxy: undefined },
    { why: 'nor by IPv6', url: 'http://[::1]:1/', env: { http_proxy: 'http://p.test' }, proxy: undefined },
    {
      why: 'a name that looks like us is not us',
      url: 'http://127.evil.test/',
      env: { http_proxy: 'http://p.test' },
      proxy: 'http://p.test/',
    },
  ])('$why', ({ url, env, proxy }) => expect(find(url, env as Record<string, string>)).toBe(proxy));

  test('what is no URL is named by its variable, never shown', () => {
    expect(() => find('http://a.test/', { http_proxy: 'http://u:pass word@@:x' })).toThrow(
      /^http_proxy is no URL of a proxy$/,
    );
  });
});

describe('NO_PROXY', () => {
  test.each([
    ['*', 'http://a.test/', true],
    ['a.test', 'http://a.test/', true],
    ['a.test', 'http://b.a.test/', true],
    ['a.test', 'http://ba.test/', false],
    ['.a.test', 'http://b.a.test/', true],
    ['*.a.test', 'http://b.a.test/', true],
    ['A.TEST', 'http://a.test/', true],
    ['x.test, a.test', 'http://a.test/', true],
    ['x.test a.test', 'http://a.test/', true],
    ['a.test:8080', 'http://a.test:8080/', true],
    ['a.test:8080', 'http://a.test/', false],
    ['a.test:443', 'https://a.test/', true],
    ['10.0.0.0/8', 'http://10.1.2.3/', true],
    ['10.0.0.0/8', 'http://11.1.2.3/', false],
    ['10.0.0.0/99', 'http://10.1.2.3/', false],
    ['10.1.2.3', 'http://10.1.2.3/', true],
    ['0.1.2.3', 'http://10.1.2.3/', false],
    ['fd00::/8', 'http://[fd00::1]/', true],
    ['fd00::1', 'http://[fd00::1]/', true],
    ['[fd00::1]:80', 'http://[fd00::1]/', true],
    ['', 'http://a.test/', false],
  ])('%j spares %s: %s', (list, url, isSpared) => {
    const env = { http_proxy: 'http://p.test', https_proxy: 'http://p.test', NO_PROXY: list };
    expect(find(url, env) === undefined).toBe(isSpared);
  });
});
