import type { ServerIdentity, Slice } from '../contract/index.js';
import type { AdmissionOptions } from './http/admission.js';
import { createHttpApp, type HttpApp } from './http/http-app.js';
import { HttpDoor, type HttpDoorOptions } from './http/http-door.js';
import type { Readiness } from './http/readiness.js';
import { metadataUrlOf, resourceUrl } from './http/resource-metadata.js';
import { type PublicOptions, SurfaceBoard } from './surface.js';

export interface AssembledDoorOptions extends Omit<HttpDoorOptions, 'admission' | 'metadataUrl'> {
  readonly admission: Omit<AdmissionOptions, 'publicUrl'>;
  /** The path of the endpoint. */
  readonly path: string;
  /** Where callers reach it, as a whole URL. */
  readonly publicUrl?: string;
  /** Who the server is to the public. */
  readonly server: ServerIdentity;
  /** What of a contract everybody may know of; undefined where no contract is served. */
  readonly slice: () => Slice | undefined;
  readonly documents: PublicOptions;
  readonly readiness: () => Readiness;
}

/** The door at the endpoint, and all that is answered over HTTP, that door included. */
export interface AssembledDoor {
  readonly door: HttpDoor;
  readonly app: HttpApp;
}

/**
 * Puts the HTTP door together with its documents: what both say of addresses and of who may come in is of one making.
 *
 * @throws {DoorError} CONFIG_INVALID for a public URL that cannot be one
 */
export function assembleHttpDoor(options: AssembledDoorOptions): AssembledDoor {
  const { admission, path, publicUrl, server, slice, documents, readiness, ...served } = options;
  const { gateway, identifier } = served;
  const resource = publicUrl === undefined ? undefined : resourceUrl(publicUrl, path);
  const isLedTo = resource !== undefined && identifier.issuers.length > 0;
  const door = new HttpDoor({
    ...served,
    admission: { ...admission, ...(publicUrl !== undefined && { publicUrl }) },
    ...(isLedTo && { metadataUrl: metadataUrlOf(resource) }),
  });
  const board = new SurfaceBoard({
    gateway,
    server,
    slice,
    identifier,
    path,
    ...(resource !== undefined && { resource }),
    documents,
  });
  return { door, app: createHttpApp({ door, readiness, surface: () => board.surface }) };
}
