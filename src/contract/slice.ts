import { isKnown, missingScopes, type Principal } from '../base/index.js';
import { contractInvalid } from './contract-invalid.js';
import { withFingerprint } from './fingerprint.js';
import type { Contract, Locality, Slice, SliceFacts, Tool } from './types.js';

/**
 * What of a contract is there, for somebody, somewhere. Without a principal: what public documents may name.
 *
 * @throws {DoorError} CONTRACT_INVALID for a deployment that the contract does not have, or a `when` that throws
 */
export function sliceContract(contract: Contract, facts: SliceFacts = {}): Slice {
  const { deployment } = facts;
  if (deployment !== undefined && contract.deployments.length > 0 && !contract.deployments.includes(deployment)) {
    const problem = `${JSON.stringify(deployment)} is not among them: ${contract.deployments.join(', ')}`;
    throw contractInvalid('deployments', '', problem);
  }
  const isServed = (one: Placed): boolean => isPlacedAt(one, facts);
  const tools = contract.tools.filter((tool) => isServed(tool) && isToolFor(tool, facts));
  const resources = contract.resources.filter(isServed);
  const prompts = contract.prompts.filter(isServed);
  const parts = { contract, facts, tools, resources, prompts };
  return withFingerprint(parts, { server: contract.server, ...parts });
}

interface Placed {
  readonly availability?: readonly string[];
  readonly locality?: Locality;
}

function isPlacedAt({ availability, locality = 'remote' }: Placed, facts: SliceFacts): boolean {
  if (facts.locality !== undefined && facts.locality !== locality) return false;
  return availability === undefined || facts.deployment === undefined || availability.includes(facts.deployment);
}

function isToolFor(tool: Tool, facts: SliceFacts): boolean {
  if (facts.profile !== undefined && tool.profiles.length > 0 && !tool.profiles.includes(facts.profile)) return false;
  if (!isVisibleTo(tool, facts.principal)) return false;
  return tool.when === undefined || isWanted(tool.name, tool.when, facts);
}

/** Not asked about callers: what is served is laid out once for all of them, and a tool that some see and others call leaks. */
function isWanted(name: string, when: NonNullable<Tool['when']>, { principal: _, ...place }: SliceFacts): boolean {
  try {
    return when(place);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'it threw what is no error';
    throw contractInvalid(`tools/${name}`, '/when', `cannot be asked: ${why}`, 'Let it say yes or no to any facts.');
  }
}

/** Whether a list may name it to somebody; public documents are for nobody in particular. */
export function isVisibleTo({ visibility }: Pick<Tool, 'visibility'>, principal: Principal | undefined): boolean {
  return visibility === 'public' || (principal !== undefined && isKnown(principal));
}

/** Whether somebody was granted what calling it needs. */
export function mayCall({ auth }: Pick<Tool, 'auth'>, principal: Principal): boolean {
  return auth === undefined || missingScopes(auth.scopes, principal).length === 0;
}
