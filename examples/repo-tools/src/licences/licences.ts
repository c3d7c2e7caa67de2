import data from './licences.json' with { type: 'json' };

export type Family = 'permissive' | 'weak-copyleft' | 'strong-copyleft' | 'network-copyleft' | 'public-domain';

export interface Licence {
  /** As SPDX spells it. */
  readonly id: string;
  readonly name: string;
  readonly family: Family;
  readonly isOsiApproved: boolean;
  readonly grantsPatents: boolean;
  readonly facts: string[];
}

export const LICENCES = data as readonly Licence[];

const BY_ID = new Map(LICENCES.map((licence) => [licence.id.toLowerCase(), licence]));

/** @param id in any case */
export function findLicenceById(id: string): Licence | undefined {
  return BY_ID.get(id.toLowerCase());
}
