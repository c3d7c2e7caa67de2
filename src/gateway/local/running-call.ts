import { DoorError, type Piece, type Principal } from '../../base/index.js';
import type {
  FormQuestion,
  HandlerContext,
  OutputOf,
  PageQuestion,
  ProgressUpdate,
  Reply,
  StandardSchema,
} from '../../contract/index.js';
import { formSchemaOf } from '../../contract/index.js';
import { notificationMessage } from '../../protocol/index.js';

/** Puts a request of a handler's to its caller. @returns the `result` it was answered with */
export type Ask = (method: 'elicitation/create', params: object, signal: AbortSignal) => Promise<unknown>;

export interface RunningCallOptions {
  readonly principal: Principal;
  /** Which kinds of questions the caller has said it can be asked. */
  readonly canElicit: { readonly form: boolean; readonly url: boolean };
  /** JSON text of the token that progress is told under; undefined where the caller does not want to know. */
  readonly progressToken: string | undefined;
  readonly ask: Ask;
  readonly tell: (pieces: readonly Piece[]) => void;
}

/** More progress in one go than this, and only the newest of the rest is told. */
const MAX_BURST = 64;

/** One call of a handler while it runs. */
export class RunningCall {
  readonly #options: RunningCallOptions;
  readonly #ends = new AbortController();
  #isOver = false;
  #last = Number.NEGATIVE_INFINITY;
  /** How much progress has been told since others had their turn. */
  #burst = 0;
  /** The newest that was too much to tell at once. */
  #held: readonly Piece[] | undefined;

  constructor(options: RunningCallOptions) {
    this.#options = options;
  }

  /** What the handler is given beside its input. */
  get context(): HandlerContext {
    return {
      signal: this.#ends.signal,
      principal: this.#options.principal,
      progress: (update) => this.#progress(update),
      elicit: ((question: FormQuestion | PageQuestion) => {
        const reply = this.#elicit(question);
        // A handler that does not wait for it hears nothing; unheard, it would end the process and everybody's calls.
        reply.catch(() => {});
        return reply;
      }) as HandlerContext['elicit'],
    };
  }

  get isCancelled(): boolean {
    return this.#ends.signal.aborted;
  }

  /** Nobody wants its answer any more. */
  cancel(reason: unknown): void {
    this.#ends.abort(reason);
  }

  /** It has been answered: what the handler still says goes nowhere. */
  end(): void {
    this.#tellHeld();
    this.#isOver = true;
  }

  #progress({ progress, total, message }: ProgressUpdate): void {
    const { progressToken } = this.#options;
    // It must grow (MCP basic/utilities/progress): what does not is no news.
    if (progressToken === undefined || this.#isOver || this.isCancelled) return;
    if (!Number.isFinite(progress) || progress <= this.#last) return;
    this.#last = progress;
    const facts = { progress, ...(Number.isFinite(total) && { total }), ...(message !== undefined && { message }) };
    const rest = JSON.stringify(facts).slice(1);
    this.#tell(notificationMessage('notifications/progress', `{"progressToken":${progressToken},${rest}`));
  }

  /** A loop that tells of each of a million steps would fill the memory before anybody could read the first. */
  #tell(pieces: readonly Piece[]): void {
    if (this.#burst === MAX_BURST) {
      this.#held = pieces;
      return;
    }
    if (this.#burst === 0) {
      queueMicrotask(() => {
        this.#burst = 0;
        this.#tellHeld();
      });
    }
    this.#burst += 1;
    this.#options.tell(pieces);
  }

  #tellHeld(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && !this.isCancelled) this.#options.tell(held);
  }

  async #elicit(question: FormQuestion | PageQuestion): Promise<Reply> {
    const { canElicit, ask } = this.#options;
    if (this.#isOver) throw new DoorError('INTERNAL', 'a handler asked something after it had answered');
    const kind = 'form' in question ? 'form' : 'url';
    if (!canElicit[kind]) {
      throw new DoorError('CAPABILITY_MISSING', `the caller has not said that it can be asked by ${kind}`, {
        data: { capability: `elicitation.${kind}` },
        hint: 'Call from a client that supports elicitation, or do without the question.',
      });
    }
    this.#ends.signal.throwIfAborted();
    const answer = await ask('elicitation/create', paramsOf(question), this.#ends.signal);
    return 'form' in question ? replyOf(answer, question.form) : replyOf(answer, undefined);
  }
}

function paramsOf(question: FormQuestion | PageQuestion): object {
  const { message } = question;
  if ('form' in question) return { mode: 'form', message, requestedSchema: formSchemaOf(question.form) };
  return { mode: 'url', message, url: question.url, elicitationId: crypto.randomUUID() };
}

/** What the user said; the form has been judged by what was asked, and here gets its defaults and transformations. */
async function replyOf<Form extends StandardSchema>(
  answer: unknown,
  form: Form | undefined,
): Promise<Reply<OutputOf<Form>>> {
  const { action, content } = answer as { readonly action?: unknown; readonly content?: unknown };
  if (action !== 'accept') return { action: action === 'decline' ? 'decline' : 'cancel' };
  if (form === undefined) return { action, content: undefined as OutputOf<Form> };
  const read = await form['~standard'].validate(content ?? {});
  if (read.issues === undefined) return { action, content: read.value as OutputOf<Form> };
  throw new DoorError('INVALID_ANSWER', `the answer does not fit the form: ${read.issues[0]?.message ?? 'unknown'}`);
}
