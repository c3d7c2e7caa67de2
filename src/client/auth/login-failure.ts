import { InsecureTokenEndpointError } from '@modelcontextprotocol/client';
import { DoorError } from '../../base/index.js';
import { TemporaryTrouble, troubleError } from './trouble.js';

/** What went wrong with a login, for whoever wanted it. */
export function loginFailure(thrown: unknown, server: string): unknown {
  if (thrown instanceof TemporaryTrouble) return troubleError(thrown, `${server} cannot be logged in to`);
  if (thrown instanceof InsecureTokenEndpointError) return insecure(thrown.tokenEndpoint);
  const { name, message } = thrown as Error;
  // A reader's message quotes what it read, which may be a secret.
  const isReader = thrown instanceof SyntaxError || name === 'ZodError';
  if (!isReader && !/^Incompatible auth server/.test(message)) return thrown;
  const why = isReader ? 'it answered with something that OAuth does not know' : message;
  return new DoorError('UPSTREAM_BROKE_PROTOCOL', `${server} cannot be logged in to: ${why}`, {
    data: { server },
    hint: 'Ask those who run its authorization server.',
    cause: thrown,
  });
}

/** MCP basic/authorization/security-considerations, Communication Security. */
export function insecure(url: string): DoorError {
  return new DoorError('FORBIDDEN', `${url} is not https: nothing is sent there`, {
    hint: 'Ask those who run the authorization server to serve it over https.',
  });
}
