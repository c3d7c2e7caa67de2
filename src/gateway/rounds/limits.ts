import { DoorError } from '../../base/index.js';

/** How many times an upstream may ask for something before it answers a request. */
export const MAX_ROUNDS = 8;

/** How much an upstream may ask for at once: each question is a dialog before a person. */
export const MAX_QUESTIONS = 32;

/** After a first question, more are waited for until none has come for this many ticks, or for so many in all. */
export const QUIET_TICKS = 4;
export const MAX_GATHERING_TICKS = 25;
export const GATHERING_TICK_MS = 10;

export function tooManyRounds({ upstream, tool }: { readonly upstream: string; readonly tool: string }): DoorError {
  return new DoorError('BUSY', `${upstream} asked for more input ${MAX_ROUNDS} times without an answer to ${tool}`, {
    data: { upstream, tool, limit: MAX_ROUNDS },
    hint: 'Report it to the author of the server, if it does not need that many answers.',
  });
}
