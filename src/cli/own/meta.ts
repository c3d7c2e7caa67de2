import { fingerprintMeta } from '../../doors/index.js';
import { contract } from './contract.js';

/** By what whoever mounts this door finds out that its own tools are the same ones. */
export const OWN_META: Readonly<Record<string, unknown>> = fingerprintMeta(contract);
