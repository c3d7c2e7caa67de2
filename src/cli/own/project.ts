/** doorward as a project of its own: what its package.json names, as any author's does. Bundled as dist/own.js. */
import { createGateway, type Gateway } from '../../gateway/index.js';
import { ownImplementation } from './implementation.js';
import { ownMount } from './mount.js';

export { contract } from './contract.js';

/** Where nothing else is served, its own tools are what there is to see. */
let alone: Gateway | undefined;

function gatewayOfItsOwn(): Gateway {
  alone ??= createGateway({ mounts: [ownMount({ gatewayOf: gatewayOfItsOwn })] });
  alone.start();
  return alone;
}

export const implementation = ownImplementation(gatewayOfItsOwn);
