import type { Principal } from '../base/index.js';
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.js';
import type { Contract, PromptDefinition, ResourceDefinition, Tool } from './types.js';

/** How far a call has come (MCP basic/utilities/progress). `progress` must grow. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a handler asks the user: to fill in a form, or to open a page (MCP client/elicitation). */
export type Question<Form extends StandardSchema = StandardSchema> = FormQuestion<Form> | PageQuestion;

export interface FormQuestion<Form extends StandardSchema = StandardSchema> {
  readonly message: string;
  /** A flat object of strings, numbers, booleans and choices. */
  readonly form: Form;
}

export interface PageQuestion {
  readonly message: string;
  readonly url: string;
}

/** What came of a question. `decline`: said no. `cancel`: did not decide. */
export type Reply<Content = unknown> =
  | { readonly action: 'accept'; readonly content: Content }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** What travels with each call of a handler. */
export interface HandlerContext {
  /** Ends when nobody wants the answer any more; fits `fetch` and whatever else takes one. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  /** Tells the caller how far it has come; does nothing where the caller did not ask to know. */
  progress(update: ProgressUpdate): void;
  /**
   * Asks the user, and waits.
   *
   * @throws {DoorError} CAPABILITY_MISSING where the caller cannot be asked that
   */
  elicit<Form extends StandardSchema>(question: FormQuestion<Form>): Promise<Reply<OutputOf<Form>>>;
  elicit(question: PageQuestion): Promise<Reply<undefined>>;
}

type MaybePromise<Value> = Value | Promise<Value>;

/** Content blocks of a result (MCP schema, ContentBlock). */
export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/** A result with content of its own beside the value; made by `withContent`. */
export interface ValueWithContent<Value = unknown> {
  readonly [CONTENT]: readonly ContentBlock[];
  readonly value: Value;
}

/** Marks a `ValueWithContent`: no value of a tool can look like one by accident. The same in every copy of doorward. */
export const CONTENT: unique symbol = Symbol.for('doorward.content');

/** Returned by a handler that wants to say more than its value: images, links, a text for people. */
export function withContent<Value>(value: Value, content: readonly ContentBlock[]): ValueWithContent<Value> {
  return { [CONTENT]: content, value };
}

export type ToolHandler<One extends Tool = Tool> = (
  input: OutputOf<One['input']>,
  context: HandlerContext,
) => MaybePromise<InputOf<One['output']> | ValueWithContent<InputOf<One['output']>>>;

/** What is read: text, or bytes. A string is text of the resource's own type. */
export type ResourceContent =
  | string
  | Uint8Array
  | readonly {
      readonly uri?: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: Uint8Array;
    }[];

/** @param variables the template's, decoded; empty where the resource has a `uri` of its own */
export type ResourceHandler = (
  request: { readonly uri: string; readonly variables: Readonly<Record<string, string>> },
  context: HandlerContext,
) => MaybePromise<ResourceContent>;

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}

/** A string is one message of the user's. */
export type PromptHandler = (
  args: Readonly<Record<string, string>>,
  context: HandlerContext,
) => MaybePromise<string | readonly PromptMessage[]>;

type ToolsOf<One extends Contract> = One['tools'][number];
type ResourcesOf<One extends Contract> = One['resources'][number];
type PromptsOf<One extends Contract> = One['prompts'][number];

/** One handler for each tool, under its name. */
export type ToolHandlers<One extends Contract> = {
  readonly [Each in ToolsOf<One> as Each['name']]: ToolHandler<Each>;
};

/** A handler for each thing the contract names: one that is missing, or too many, does not compile. */
export type Handlers<One extends Contract> = Group<'tools', ToolsOf<One>, ToolHandlers<One>> &
  Group<'resources', ResourcesOf<One>, { readonly [Each in ResourcesOf<One> as Each['name']]: ResourceHandler }> &
  Group<'prompts', PromptsOf<One>, { readonly [Each in PromptsOf<One> as Each['name']]: PromptHandler }>;

/** A group without members may be left out. */
type Group<Key extends string, Member extends Tool | ResourceDefinition | PromptDefinition, Members> = [
  Member,
] extends [never]
  ? { readonly [K in Key]?: Record<string, never> }
  : { readonly [K in Key]: Members };

/** A contract that can be served. */
export interface Implementation<One extends Contract = Contract> {
  readonly contract: One;
  readonly handlers: AnyHandlers;
}

/** The same handlers, for those who call them by name. */
export interface AnyHandlers {
  readonly tools: Readonly<Record<string, ToolHandler>>;
  readonly resources: Readonly<Record<string, ResourceHandler>>;
  readonly prompts: Readonly<Record<string, PromptHandler>>;
}
