/** A lock of this age was left behind by a process that was killed: one that lives renews it. */
const STALE_MS = 10_000;
const RENEW_MS = 2_500;

/**
 * Takes a lock that is there for all processes: a folder of this name, in a folder that is there.
 *
 * @returns what lets go of it; undefined where another has it
 * @throws the system's error where none can be made there
 */
export async function tryLock(lockfilePath: string): Promise<(() => Promise<void>) | undefined> {
  const { lock } = await import('proper-lockfile');
  try {
    const options = { realpath: false, lockfilePath, stale: STALE_MS, update: RENEW_MS, onCompromised: () => {} };
    const release = await lock(lockfilePath, options);
    // One that was taken from us meanwhile (this machine slept) is gone already.
    return () => release().catch(() => {});
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw thrown;
  }
}
