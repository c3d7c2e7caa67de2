import type { Clock, EventBus, JsonSlice } from '../../base/index.js';
import { type ElicitationWarning, type FormRules, RareWarnings } from '../../client/index.js';
import { type JudgedResponses, judgeResponses } from './input-responses.js';
import type { SealedRequest } from './sealing.js';

export interface InputJudgeOptions {
  readonly clock: Clock;
  readonly events: EventBus;
}

/** Whose question an answer is to. */
export interface AskedBy extends Pick<FormRules, 'formats'> {
  readonly upstream: string;
  readonly tool: string;
}

/** Judges answers to questions of upstreams, and tells the operator what came of it. */
export class InputJudge {
  readonly #options: InputJudgeOptions;
  readonly #warnings = new Map<string, RareWarnings>();

  constructor(options: InputJudgeOptions) {
    this.#options = options;
  }

  /**
   * @param responses the JSON text of `inputResponses`; absent where the caller sent none
   * @throws {DoorError} INVALID_ANSWER: none of it is to go anywhere
   */
  judge(
    { upstream, tool, formats }: AskedBy,
    responses: JsonSlice | undefined,
    requests: readonly SealedRequest[],
  ): Omit<JudgedResponses, 'warnings'> {
    const { warnings, ...judged } = judgeResponses(responses, requests, {
      upstream,
      formats,
      rejected: (found) => {
        const issues = found.map(({ path, message }) => ({ path, message }));
        this.#options.events.emit('elicitation.rejected', { upstream, tool, issues });
      },
    });
    this.warn(upstream, warnings);
    return judged;
  }

  warn(upstream: string, warnings: readonly ElicitationWarning[]): void {
    if (warnings.length === 0) return;
    let rare = this.#warnings.get(upstream);
    if (rare === undefined) {
      const { clock, events } = this.#options;
      rare = new RareWarnings(clock, (warning, message) =>
        events.emit('server.warning', { upstream, warning, message }),
      );
      this.#warnings.set(upstream, rare);
    }
    for (const { warning, message } of warnings) rare.tell(warning, message);
  }
}
