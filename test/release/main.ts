/**
 * Plays the day of a release, as the generated workflow would run it, against stubs of npm, the MCP Registry and its publisher:
 *
 *     npm run release:rehearsal
 *     npm run release:rehearsal -- --only guard     the scenarios with this word in their names
 *
 * A line a scenario; exits 1 where one did not go as it should.
 */
import { readOptions } from '../../tools/read-options.js';
import { playScenario, SCENARIOS } from './scenarios.js';

/** Most of the time goes into starting programs. */
const AT_ONCE = 2;

let failed = 0;
const { only } = readOptions('npm run release:rehearsal -- [--only WORD]', { only: { type: 'string', default: '' } });
const chosen = SCENARIOS.filter(({ name }) => name.includes(String(only)));
const waiting = [...chosen];
const seats = Array.from({ length: AT_ONCE }, async () => {
  for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
    const started = Date.now();
    const misses = await playScenario(scenario);
    const took = `${((Date.now() - started) / 1000).toFixed(1)} s`;
    console.log(`${misses.length === 0 ? 'ok  ' : 'MISS'}  ${scenario.name} (${took})`);
    for (const miss of misses) console.log(`      ${miss.replaceAll('\n', '\n      ')}`);
    if (misses.length > 0) failed++;
  }
});
await Promise.all(seats);
console.log(`${chosen.length - failed} of ${chosen.length} scenarios went as they should`);
process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1;
