/**
 * OpenAPI 3.1 document of the public listener. `operations/` describes each interface, where possible with the schemas
 * of its checks; `build-document.ts` builds the document. Rules: spec/operations.md#openapi.
 */

import { buildDocument, type ServedRoute } from './build-document.ts';
import type { DocumentConfig, Json, PublicOperation } from './operation.ts';
import { bridgeOperations } from './operations/bridge.ts';
import { developmentOperations } from './operations/development.ts';
import { groth16Operations, groth16Schemas } from './operations/groth16.ts';
import { oidcOperations } from './operations/oidc.ts';
import { pushedRequestOperations } from './operations/pushed-requests.ts';
import { refreshOperations } from './operations/refresh.ts';
import { serviceOperations } from './operations/service.ts';
import { signInPageOperations } from './operations/sign-in-pages.ts';
import { signOutOperations } from './operations/sign-out.ts';
import { verifyOperations, verifySchemas } from './operations/verify.ts';

/** Returns all operations that a listener can have under these settings. */
export function publicOperations(config: DocumentConfig): PublicOperation[] {
  return [
    ...verifyOperations(config),
    ...groth16Operations(config),
    ...oidcOperations(config),
    ...pushedRequestOperations(config),
    ...signInPageOperations(config),
    ...signOutOperations(config),
    ...refreshOperations(config),
    ...bridgeOperations(config),
    ...serviceOperations(config),
    ...developmentOperations(config),
  ];
}

/**
 * Builds the document of the public listener.
 *
 * @param version - Version of the service.
 * @param served - The routes of the listener; all possible routes if absent.
 */
export function publicOpenApi(
  version: string,
  config: DocumentConfig,
  served?: readonly ServedRoute[],
): Json {
  const schemas = { ...verifySchemas(config), ...groth16Schemas(config) };
  return buildDocument(publicOperations(config), { version, schemas }, served);
}
