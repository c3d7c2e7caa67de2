import manifest from '../../package.json' with { type: 'json' };

/** The version, written down once, in package.json. */
export const VERSION: string = manifest.version;
