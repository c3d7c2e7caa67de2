export { type Attempt, isFinal, isOfOneRound, type RoundedRequest, Rounds } from './rounds.js';
export { keyOfSecret, randomKey } from './sealing.js';
export { Tasks } from './tasks.js';
