import { expect, test } from 'vitest';
import { readTrust, removeTrust, writeTrust } from './trust-store.js';

const RECORD = { path: '/project/doorward.json', sha256: 'a'.repeat(64) };

test.runIf(process.platform === 'linux')('a place where nothing can be kept is said, with what to do', async () => {
  const environment = { XDG_STATE_HOME: '/proc/nope' };
  await expect(writeTrust(environment, RECORD)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('cannot be kept in /proc/nope/doorward/trust: ENOENT'),
    hint: expect.stringContaining('XDG_STATE_HOME'),
  });
  expect(await readTrust(environment, RECORD.path)).toBeUndefined();
  await removeTrust(environment, RECORD.path);
});
