import pins from './pins.json' with { type: 'json' };

/** A program that is downloaded: which version, from where, and what its bytes must be. */
export interface PublisherPin {
  readonly version: string;
  readonly url: string;
  /** SHA-256 of the archive, hex. */
  readonly sha256: string;
}

const { version, url, sha256 } = pins['mcp-publisher'];

/** The Registry's own publisher, for the machine that workflows run on. */
export const PUBLISHER: PublisherPin = { version, url, sha256: sha256.linux_amd64 };

/** An action, as a workflow names it: by the commit, with the version for people. */
export function pinnedAction(name: keyof (typeof pins)['actions']): string {
  const pin = pins.actions[name];
  return `${name}@${pin.sha} # v${pin.version}`;
}
