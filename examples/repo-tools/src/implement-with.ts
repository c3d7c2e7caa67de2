import { type Implementation, implement } from 'doorward/contract';
import { contract } from './contract.js';
import type { Git } from './git/git.js';
import { gitHandlers } from './git/handlers.js';
import { getLicence, licenceHandlers, licenceText } from './licences/handlers.js';

/**
 * Gives the contract its handlers. One that is missing, or too many, does not compile.
 *
 * @param git what runs git here; where tools of locality `local` are not served it is never called
 */
export function implementWith(git: Git): Implementation<typeof contract> {
  return implement(contract, {
    tools: { ...gitHandlers(git), ...licenceHandlers },
    resources: { licence: ({ variables }) => licenceText(getLicence(variables.id ?? '')) },
    prompts: {
      explain_licence: ({ id = '' }) =>
        `Explain to somebody who wants to use a library under it what this licence allows and asks for, in plain words:\n\n${licenceText(getLicence(id))}`,
    },
  });
}
