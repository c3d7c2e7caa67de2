import { contractInvalid } from './contract-invalid.js';
import type { AnyHandlers, Handlers, Implementation } from './implementation.js';
import type { Contract } from './types.js';

/**
 * Gives each tool, resource and prompt of a contract its handler.
 *
 * @throws {DoorError} CONTRACT_INVALID where one is missing or too many: types are no guard where programs are not compiled
 */
export function implement<One extends Contract>(contract: One, handlers: Handlers<One>): Implementation<One> {
  const given: Partial<AnyHandlers> = (handlers as Partial<AnyHandlers> | undefined) ?? {};
  const complete = { tools: given.tools ?? {}, resources: given.resources ?? {}, prompts: given.prompts ?? {} };
  for (const kind of ['tools', 'resources', 'prompts'] as const) {
    const names = contract[kind].map(({ name }) => name);
    const group: Readonly<Record<string, unknown>> = complete[kind];
    for (const name of names) {
      if (typeof (Object.hasOwn(group, name) ? group[name] : undefined) === 'function') continue;
      throw contractInvalid(`${kind}/${name}`, '', 'has no handler');
    }
    for (const name of Object.keys(group)) {
      if (!names.includes(name))
        throw contractInvalid(`${kind}/${name}`, '', 'there is a handler, but the contract has none');
    }
  }
  return Object.freeze({ contract, handlers: complete });
}
