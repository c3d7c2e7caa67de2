import type { Row } from '../run-row.js';
import { ANSWERS } from './answers.js';
import { ASKS } from './asks.js';
import { CROWD } from './crowd.js';
import { DOOR_ENDS } from './door-ends.js';
import { ENDS } from './ends.js';
import { FLOODS } from './floods.js';
import { STARTS } from './starts.js';

/** Every row, long ones first: the run takes as long as the last to finish. */
export const ROWS: readonly Row[] = [...ENDS, ...CROWD, ...STARTS, ...FLOODS, ...ASKS, ...DOOR_ENDS, ...ANSWERS].sort(
  (a, b) => Number(b.isLong ?? false) - Number(a.isLong ?? false),
);
