import type { Environment } from '../../config/index.js';
import type {
  RemoteLoggedOut,
  RemoteLoginOptions,
  RemoteLogoutOptions,
  RemoteStatus,
  SignedIn,
} from './remote-login.js';

/** See remote-login.ts. What only commands need is loaded by them. */
export async function logInToRemote(options: RemoteLoginOptions): Promise<SignedIn> {
  return (await import('./remote-login.js')).logInToRemote(options);
}

/** See remote-login.ts. */
export async function logOutOfRemote(options: RemoteLogoutOptions): Promise<RemoteLoggedOut> {
  return (await import('./remote-login.js')).logOutOfRemote(options);
}

/** See remote-login.ts. */
export async function remoteStatusOf(environment: Environment, program?: string): Promise<RemoteStatus | undefined> {
  return (await import('./remote-login.js')).remoteStatusOf(environment, program);
}
