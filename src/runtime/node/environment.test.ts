import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from './environment.js';

test('a child gets what programs need to run, and what its entry names', () => {
  const ours = {
    PATH: '/bin',
    HOME: '/home/me',
    LC_ALL: 'C',
    XDG_CONFIG_HOME: '/x',
    https_proxy: 'http://proxy',
    GITHUB_TOKEN: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--require evil',
    UNSET: undefined,
  };
  expect(childEnvironment(ours, { API_KEY: 'named', PATH: '/usr/bin' })).toEqual({
    PATH: '/usr/bin',
    HOME: '/home/me',
    LC_ALL: 'C',
    XDG_CONFIG_HOME: '/x',
    https_proxy: 'http://proxy',
    API_KEY: 'named',
  });
});

test.skipIf(process.platform === 'win32')('what only Windows needs stays here', () => {
  expect(childEnvironment({ APPDATA: 'a', USERPROFILE: 'b', SYSTEMROOT: 'c' })).toEqual({});
});

describe('nothing else of ours reaches a child', () => {
  const allowed =
    /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|TZ|TMPDIR|(HTTP|HTTPS|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(REQUESTS_CA|CURL_CA)_BUNDLE|(LC|XDG)_.*)$/is;
  const words = [
    'TOKEN',
    'KEY',
    'SECRET',
    'PATH',
    'HOME',
    'LC',
    'XDG',
    'PROXY',
    'NODE',
    '_',
    'path',
    'LD_',
    'PRELOAD',
    'USER',
  ];
  const name = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('_')),
  );

  test('whatever it is called', () => {
    const property = fc.property(
      fc.dictionary(name, fc.string()),
      fc.dictionary(fc.string(), fc.string()),
      (ours, named) => {
        const child = childEnvironment(ours, named);
        for (const [each, value] of Object.entries(child)) {
          if (Object.hasOwn(named, each)) expect(value).toBe(named[each]);
          else expect([each, value]).toEqual([expect.stringMatching(allowed), ours[each]]);
        }
        for (const each of Object.keys(named)) expect(child).toHaveProperty([each]);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
