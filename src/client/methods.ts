/** What is asked of an upstream for the gateway's own sake. Tool calls are none of it: they are judged. */
const OWN_METHODS = ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'] as const;
export type OwnMethod = (typeof OWN_METHODS)[number];

/** Types are no guard where programs are not compiled: nothing else goes this way. */
export function isOwnMethod(method: string): method is OwnMethod {
  return (OWN_METHODS as readonly string[]).includes(method);
}

/** Requests of a caller that are passed on as they are. */
const PASSED_METHODS = [
  'prompts/get',
  'resources/read',
  'completion/complete',
  'resources/subscribe',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
] as const;
export type PassedMethod = (typeof PASSED_METHODS)[number];

/** A call of a tool, above all, must not pass unjudged. */
export function isPassedMethod(method: string): method is PassedMethod {
  return (PASSED_METHODS as readonly string[]).includes(method);
}
