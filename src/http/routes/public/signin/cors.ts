import { type Clients, originsOf } from '../../../../apps/clients.ts';
import { anyOrigin, type CorsPolicy, someOrigins } from '../../../headers/cors.ts';

/** CORS of discovery and the key set, which are public and the same for every caller. */
export const PUBLIC_DOCUMENT_CORS: CorsPolicy = anyOrigin({
  methods: ['GET', 'HEAD', 'OPTIONS'],
  requestHeaders: 'Content-Type',
});

/**
 * Creates the CORS policy of endpoints that clients call from their pages (spec/sign-in.md#cors): it allows
 * the origins of the client's redirect URIs, or those of all active clients if the client is not known.
 */
export function clientCors(
  clients: Pick<Clients, 'find' | 'hasOrigin'>,
  methods: readonly string[],
): CorsPolicy {
  return someOrigins({
    methods: [...methods, 'OPTIONS'],
    // `*` never covers Authorization
    requestHeaders: 'Authorization, Content-Type, DPoP',
    exposed: 'DPoP-Nonce, WWW-Authenticate',
    async isAllowed(origin, clientId) {
      const client = clientId === undefined ? undefined : await clients.find(clientId);
      return client?.status === 'active' ? originsOf(client).has(origin) : clients.hasOrigin(origin);
    },
  });
}
