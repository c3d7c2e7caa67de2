/** What can go wrong on the day of a release, and what the workflow makes of it. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { PACKAGE, SERVER, Setting, VERSION } from './setting.js';
import type { JobResult, Ran } from './workflow-run.js';

export interface Scenario {
  readonly name: string;
  /** Version of the publisher that is pinned. Default: one the Registry takes. */
  readonly publisherVersion?: string;
  readonly play: (stage: Stage) => Promise<void>;
}

/** A setting, and what was not as it should be. */
export class Stage {
  readonly misses: string[] = [];
  readonly setting: Setting;

  constructor(setting: Setting) {
    this.setting = setting;
  }

  /** The results of the jobs; those not named must have been skipped. */
  jobs({ results, output }: Ran, wanted: Readonly<Record<string, JobResult>>): void {
    for (const [job, result] of Object.entries(results)) {
      const expected = wanted[job] ?? 'skipped';
      if (result !== expected)
        this.misses.push(`job ${job}: ${result} instead of ${expected}; it wrote:\n${output.slice(-500)}`);
    }
  }

  says({ output }: Ran, ...texts: readonly string[]): void {
    for (const text of texts)
      if (!output.includes(text)) this.misses.push(`nobody says ${JSON.stringify(text)}: ${output.slice(-500)}`);
  }

  silent({ output }: Ran, ...texts: readonly string[]): void {
    for (const text of texts) if (output.includes(text)) this.misses.push(`somebody says ${JSON.stringify(text)}`);
  }

  is(what: string, value: unknown, wanted: unknown): void {
    if (value !== wanted) this.misses.push(`${what}: ${JSON.stringify(value)} instead of ${JSON.stringify(wanted)}`);
  }
}

const RELEASE = { event: 'workflow_dispatch' } as const;
const DRY_RUN = { event: 'workflow_dispatch', inputs: { dry_run: true } } as const;
const REGISTRY_ONLY = { event: 'workflow_dispatch', inputs: { registry_only: true } } as const;
const WEEKLY = { event: 'schedule' } as const;

const ALL_GOOD = { check: 'success', npm: 'success', registry: 'success' } as const;
const REGISTRY_FAILS = { ...ALL_GOOD, registry: 'failure' } as const;
const PUBLISH = 'POST /registry/v0/publish';
const LOGIN = 'POST /registry/v0/auth';

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'npm is late, the Registry sees it later still, and lists it after that',
    play: async (stage) => {
      const { setting } = stage;
      const ran = await setting.run(RELEASE, { npmIsLateBy: 3, registryIsLateBy: 2, listingIsLateBy: 2 });
      stage.jobs(ran, ALL_GOOD);
      stage.says(
        ran,
        `npm does not show ${PACKAGE}@${VERSION} yet`,
        'publishing again (2 of 5)',
        `the Registry lists ${SERVER} ${VERSION}`,
      );
      stage.is('publications on npm', ran.npmPublished, 1);
      stage.is('publications in the Registry', setting.registries.count(PUBLISH), 3);
      stage.is('logins, one before each', setting.registries.count(LOGIN), 3);
    },
  },
  {
    name: 'the Registry never sees the package: it is tried five times more, then it fails',
    play: async (stage) => {
      const ran = await stage.setting.run(RELEASE, { registryIsLateBy: 99 });
      stage.jobs(ran, REGISTRY_FAILS);
      stage.says(ran, 'still does not see the package after 5 more tries');
      stage.is('publications in the Registry', stage.setting.registries.count(PUBLISH), 6);
    },
  },
  {
    name: 'run again after all went well: nothing is published twice, and nothing fails',
    play: async (stage) => {
      stage.jobs(await stage.setting.run(RELEASE), ALL_GOOD);
      const again = await stage.setting.run(RELEASE);
      stage.jobs(again, ALL_GOOD);
      stage.says(again, 'is on npm with the same files', 'was published already, with the same content');
      stage.is('publications on npm', again.npmPublished, 0);
    },
  },
  {
    name: 'the Registry has this version with other content',
    play: async (stage) => {
      const { setting } = stage;
      setting.registries.list(SERVER, VERSION, { ...setting.manifest, description: 'Something else' });
      const ran = await setting.run(RELEASE);
      stage.jobs(ran, REGISTRY_FAILS);
      stage.says(ran, `the Registry has ${SERVER} ${VERSION} already, with other content`);
    },
  },
  {
    name: 'npm has the same files, compressed by another zlib',
    play: async (stage) => {
      const { registries } = stage.setting;
      const id = `${PACKAGE}@${VERSION}`;
      stage.jobs(await stage.setting.run(RELEASE), ALL_GOOD);
      const archive = gzipSync(gunzipSync(registries.archiveOf(id)!), { level: 1 });
      registries.putOnNpm(id, { mcpName: SERVER, archive });
      const again = await stage.setting.run(RELEASE);
      stage.jobs(again, ALL_GOOD);
      stage.says(again, 'is on npm with the same files');
    },
  },
  {
    name: 'npm knows no trusted publisher that fits: it says not found, and the hint says why',
    play: async (stage) => {
      const ran = await stage.setting.run(RELEASE, { npmKnowsNobody: true });
      stage.jobs(ran, { check: 'success', npm: 'failure' });
      stage.says(ran, 'trusted publisher', 'to the letter');
    },
  },
  {
    name: "the name is somebody else's",
    play: async (stage) => {
      const ran = await stage.setting.run(RELEASE, { forbidsName: true });
      stage.jobs(ran, REGISTRY_FAILS);
      stage.says(ran, `does not let this repository publish ${SERVER}`);
      stage.is('publications in the Registry', stage.setting.registries.count(PUBLISH), 1);
    },
  },
  {
    name: 'npm has this version with other files',
    play: async (stage) => {
      stage.setting.registries.putOnNpm(`${PACKAGE}@${VERSION}`, { mcpName: SERVER, archive: Buffer.from('other') });
      const ran = await stage.setting.run(RELEASE);
      stage.jobs(ran, { check: 'success', npm: 'failure' });
      stage.says(ran, `${PACKAGE}@${VERSION} is on npm already, with other files`, 'npm version');
      stage.is('publications on npm', ran.npmPublished, 0);
    },
  },
  {
    name: 'npm has this version without mcpName: waiting would not help',
    play: async (stage) => {
      stage.setting.registries.putOnNpm(`${PACKAGE}@${VERSION}`, { mcpName: undefined, archive: Buffer.from('old') });
      const ran = await stage.setting.run(REGISTRY_ONLY);
      stage.jobs(ran, { check: 'success', registry: 'failure' });
      stage.says(ran, 'has the mcpName null');
      stage.is('publications in the Registry', stage.setting.registries.count(PUBLISH), 0);
    },
  },
  {
    name: 'registry_only: npm is left alone',
    play: async (stage) => {
      await stage.setting.run(RELEASE, { complaint: 'the Registry is closed' });
      const ran = await stage.setting.run(REGISTRY_ONLY);
      stage.jobs(ran, { check: 'success', registry: 'success' });
      stage.is(
        'what npm was asked to do',
        stage.setting.journal.some((line) => /^npm (?:pack|publish)/.test(line)),
        false,
      );
    },
  },
  {
    name: 'the token expires on the way: a fresh login, once',
    play: async (stage) => {
      const ran = await stage.setting.run(RELEASE, { firstTokenExpires: true });
      stage.jobs(ran, ALL_GOOD);
      stage.is('logins', stage.setting.registries.count(LOGIN), 2);
    },
  },
  {
    name: 'the answer is lost after the Registry took it: what counts is what it lists',
    play: async (stage) => {
      stage.jobs(await stage.setting.run(RELEASE, { losesAnswer: true }), ALL_GOOD);
      stage.is('publications in the Registry', stage.setting.registries.count(PUBLISH), 1);
    },
  },
  {
    name: 'a publisher too old for the Registry: the weekly rehearsal fails and says to bump the pin',
    publisherVersion: '1.5.0',
    play: async (stage) => {
      const { registries } = stage.setting;
      const weekly = await stage.setting.run(WEEKLY);
      stage.jobs(weekly, { check: 'success', rehearsal: 'failure' });
      stage.says(weekly, 'invalid audience', 'bump the pin');
      stage.is('publications in the Registry', registries.count(PUBLISH), 0);
      const release = await stage.setting.run(RELEASE);
      stage.jobs(release, REGISTRY_FAILS);
      stage.is('publications on npm: it does not wait for the Registry', release.npmPublished, 1);
    },
  },
  {
    name: 'the weekly rehearsal with all in order: a login, and no publication',
    play: async (stage) => {
      const ran = await stage.setting.run(WEEKLY);
      stage.jobs(ran, { check: 'success', rehearsal: 'success' });
      stage.is('logins', stage.setting.registries.count(LOGIN), 1);
      stage.is('publications in the Registry', stage.setting.registries.count(PUBLISH), 0);
      stage.is('publications on npm', ran.npmPublished, 0);
    },
  },
  {
    name: 'the Registry has a newer schema: the weekly rehearsal fails, a release does not',
    play: async (stage) => {
      const weekly = await stage.setting.run(WEEKLY, { hasNewerSchema: true });
      stage.jobs(weekly, { check: 'success', rehearsal: 'failure' });
      stage.says(weekly, 'deprecated', 'Update doorward');
      stage.jobs(await stage.setting.run(RELEASE, { hasNewerSchema: true }), ALL_GOOD);
    },
  },
  {
    name: 'a dry run asks the Registry to validate and for nothing else; the real run after it is the first',
    play: async (stage) => {
      const { registries } = stage.setting;
      const dry = await stage.setting.run(DRY_RUN);
      stage.jobs(dry, { check: 'success', 'dry-run': 'success' });
      stage.is(
        'requests of the Registry',
        registries.requests.filter((line) => line.includes('/registry/')).join(),
        'POST /registry/v0/validate',
      );
      stage.is('what is listed', registries.listed, 0);
      stage.is('publications on npm', dry.npmPublished, 0);
      stage.jobs(await stage.setting.run(RELEASE), ALL_GOOD);
      stage.is('what is listed', registries.listed, 1);
    },
  },
  {
    name: 'a dry run tells what the Registry has against the manifest',
    play: async (stage) => {
      const ran = await stage.setting.run(DRY_RUN, { complaint: 'the name is reserved' });
      stage.jobs(ran, { check: 'success', 'dry-run': 'failure' });
      stage.says(ran, 'the name is reserved');
    },
  },
  {
    name: 'a wrong manifest is found before anything is published, whoever runs the step',
    play: async (stage) => {
      const { setting } = stage;
      setting.write('server.json', JSON.stringify({ ...setting.manifest, description: 'x'.repeat(101) }));
      const release = await setting.run(RELEASE);
      stage.jobs(release, { check: 'failure' });
      stage.says(release, 'server.json is not what doorward manifest would write');
      // The weekly rehearsal needs no other job: it sees the file as it is.
      const weekly = await setting.run(WEEKLY);
      stage.jobs(weekly, { check: 'failure', rehearsal: 'failure' });
      stage.says(weekly, '/description has 101 characters, 100 are allowed');
      stage.is(
        'requests of the Registry',
        setting.registries.requests.some((line) => line.includes('/registry/')),
        false,
      );
    },
  },
  ...(['page-404', 'page-200', 'other-file'] as const).map(
    (download): Scenario => ({
      name: `the publisher's download is ${download === 'page-404' ? 'a page with 404' : download === 'page-200' ? 'a page with 200' : 'another archive'}: it is not unpacked`,
      play: async (stage) => {
        const ran = await stage.setting.run(RELEASE, { download });
        stage.jobs(ran, REGISTRY_FAILS);
        const { MCP_PUBLISHER_URL = '' } = stage.setting.registries.environment;
        stage.says(
          ran,
          MCP_PUBLISHER_URL,
          { 'page-404': 'answers 404', 'page-200': 'is a page, no archive', 'other-file': 'is pinned' }[download],
        );
        stage.silent(ran, 'tar cannot', 'tar:', 'gzip:');
        stage.is('publications on npm: it does not wait for the Registry', ran.npmPublished, 1);
      },
    }),
  ),
  {
    name: 'the guard: a file that the workflow relies on was renamed',
    play: async (stage) => {
      const { setting } = stage;
      setting.git('mv', 'server.json', 'manifest.json');
      setting.git('commit', '-q', '-m', 'Rename');
      for (const trigger of [RELEASE, WEEKLY]) {
        const ran = await setting.run(trigger);
        stage.jobs(ran, trigger === RELEASE ? { check: 'failure' } : { check: 'failure', rehearsal: 'failure' });
        stage.says(ran, '::error::server.json is not in the repository');
        stage.is('what npm was asked', setting.journal.join(), '');
      }
    },
  },
  {
    name: 'the guard: not started on main',
    play: async (stage) => {
      const ran = await stage.setting.run({ ...RELEASE, ref: 'refs/heads/feature' });
      stage.jobs(ran, { check: 'failure' });
      stage.says(ran, '::error::publishing is done from main, and this run is of refs/heads/feature');
    },
  },
];

/** @returns what was not as it should be */
export async function playScenario({ publisherVersion, play }: Scenario): Promise<readonly string[]> {
  const setting = await Setting.open(publisherVersion === undefined ? {} : { publisherVersion });
  const stage = new Stage(setting);
  try {
    await play(stage);
  } finally {
    await setting.close();
  }
  return stage.misses;
}
