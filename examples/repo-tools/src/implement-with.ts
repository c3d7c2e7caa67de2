import { type Implementation, implement } from 'doorward/contract';
import { contract } from './contract.js';
import type { GitHandlers } from './git/handlers.js';
import { getLicence, licenceHandlers, licenceText } from './licences/handlers.js';

/**
 * Gives the contract its handlers. One that is missing, or too many, does not compile.
 *
 * @param local the tools that need a working tree; where there is none they are not served, and never called
 */
export function implementWith(local: GitHandlers): Implementation<typeof contract> {
  return implement(contract, {
    tools: { ...local, ...licenceHandlers },
    resources: { licence: ({ variables }) => licenceText(getLicence(variables.id ?? '')) },
    prompts: {
      explain_licence: ({ id = '' }) =>
        `Explain to somebody who wants to use a library under it what this licence allows and asks for, in plain words:\n\n${licenceText(getLicence(id))}`,
    },
  });
}
