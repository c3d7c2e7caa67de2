// @ts-check
/** Every feature, in the order in which they are tried: what changes a list comes after what reads it. */
import { ASKING_FEATURES } from './features-asking.mjs';
import { CALL_FEATURES } from './features-calls.mjs';
import { OFFER_FEATURES } from './features-offers.mjs';

export const FEATURES = [...CALL_FEATURES, ...ASKING_FEATURES, ...OFFER_FEATURES];
