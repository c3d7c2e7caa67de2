import { DoorError } from '../base/index.js';

/** What a person has agreed to run from a folder: one file at one path with one content. */
export interface TrustRecord {
  readonly path: string;
  /** SHA-256 of the file's bytes, hex. */
  readonly sha256: string;
}

export type TrustVerdict = 'trusted' | 'unknown' | 'changed';

/** Judges a file found in the current folder by what was agreed to; any change of its bytes asks again. */
export function judgeTrust(found: TrustRecord, record: TrustRecord | undefined): TrustVerdict {
  if (record?.path !== found.path) return 'unknown';
  return record.sha256 === found.sha256 ? 'trusted' : 'changed';
}

/** Says that a file was found and not read, and what to do about it. */
export function untrustedError(path: string, verdict: Exclude<TrustVerdict, 'trusted'>): DoorError {
  const why = verdict === 'changed' ? 'has changed since you trusted it' : 'is not trusted yet';
  return new DoorError('CONFIG_INVALID', `${path} ${why}, so it was not read`, {
    data: { file: path, trust: verdict },
    hint: 'Look at it, then run `doorward config trust`, or name it with --config.',
  });
}
