/** Cases of kind `registry`: manifests as their authors wrote them, and the days on which they were published. */
import { afterEach, expect, test, vi } from 'vitest';
import { checkManifest } from '../../src/generate/index.js';
import { requireBuild } from '../fixtures/open-door.js';
import { Setting } from '../release/setting.js';
import { getCase, titleOf } from './cases.js';

afterEach(() => vi.unstubAllGlobals());

const GOOD = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.ada/weather',
  description: 'Weather for everywhere',
  version: '1.2.3',
  packages: [{ registryType: 'npm', identifier: '@ada/weather', version: '1.2.3', transport: { type: 'stdio' } }],
};

async function openSetting(test: { onTestFinished(act: () => Promise<void>): void }, publisherVersion?: string) {
  requireBuild();
  const setting = await Setting.open(publisherVersion === undefined ? {} : { publisherVersion });
  test.onTestFinished(() => setting.close());
  return setting;
}

const RELEASE = { event: 'workflow_dispatch' } as const;

test(titleOf('f02'), () => {
  // Offline: whoever asks the network gets nothing.
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no network here')));
  const verdicts = (getCase('f02').input.schema_urls as readonly string[]).map((url) => {
    const $schema = url.replace('...', 'https://static.modelcontextprotocol.io');
    const [finding] = checkManifest({ ...GOOD, $schema });
    if (finding === undefined) return 'ok';
    expect(finding.pointer).toBe('/$schema');
    return `${finding.severity} ${finding.message.includes('deprecated') ? 'deprecated' : 'unknown'}`;
  });
  expect(verdicts).toEqual(getCase('f02').expect.lint);
});

test(titleOf('f03'), async (test) => {
  const setting = await openSetting(test, getCase('f03').input.publisher_version as string);
  const weekly = await setting.run({ event: 'schedule' });
  expect(weekly.results).toMatchObject({ rehearsal: 'failure', npm: 'skipped', registry: 'skipped' });
  expect(weekly.output).toContain('invalid audience');
  expect(weekly.output).toContain('bump the pin');
  const release = await setting.run(RELEASE);
  expect(release.results).toMatchObject({ npm: 'success', registry: 'failure' });
  expect(release.npmPublished).toBe(1);
});

test.each(['page-404', 'page-200'] as const)(`${titleOf('f04')} (%s)`, async (download) => {
  requireBuild();
  const setting = await Setting.open();
  try {
    const { results, output } = await setting.run({ event: 'schedule' }, { download });
    expect(results.rehearsal).toBe('failure');
    expect(output).toContain(setting.registries.environment.MCP_PUBLISHER_URL);
    expect(output).toMatch(download === 'page-404' ? /answers 404/ : /is a page, no archive/);
    expect(output).not.toMatch(/\btar: |gzip: /);
  } finally {
    await setting.close();
  }
});

test(titleOf('f05'), async (test) => {
  const setting = await openSetting(test);
  const { registries } = setting;
  const inputs = getCase('f05').input.workflow_inputs as Readonly<Record<string, boolean>>;
  const dry = await setting.run({ ...RELEASE, inputs });
  expect(dry.results['dry-run']).toBe('success');
  expect(registries.requests.filter((line) => line.includes('/registry/'))).toEqual(['POST /registry/v0/validate']);
  expect([registries.listed, dry.npmPublished]).toEqual([0, 0]);
  for (const time of ['first', 'second']) {
    const real = await setting.run(RELEASE);
    expect(real.results, time).toMatchObject({ npm: 'success', registry: 'success' });
  }
});

test(titleOf('f08'), () => {
  const [declared] = getCase('f08').input.packages as readonly object[];
  const findings = checkManifest({ ...GOOD, packages: [{ ...GOOD.packages[0], ...declared }] });
  expect(findings.map(({ pointer }) => pointer).sort()).toEqual(
    [...(getCase('f08').expect.lint_errors_at as readonly string[])].sort(),
  );
  for (const { hint } of findings) expect(hint).not.toBe('');
});
