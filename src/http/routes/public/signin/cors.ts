import { type Clients, originsOf } from '../../../../apps/index.ts';
import { anyOrigin, type CorsPolicy, someOrigins } from '../../../headers/cors.ts';

/** Discovery and the key set: public, and the same for everybody. */
export const PUBLIC_DOCUMENT_CORS: CorsPolicy = anyOrigin({
  methods: ['GET', 'HEAD', 'OPTIONS'],
  requestHeaders: 'Content-Type',
});

/**
 * CORS of endpoints that clients call from their pages (spec/sign-in.md#cors): the origins of the redirect
 * URIs of the client that calls, or of all active ones where it is not known.
 */
export function clientCors(
  clients: Pick<Clients, 'find' | 'hasOrigin'>,
  methods: readonly string[],
): CorsPolicy {
  return someOrigins({
    methods: [...methods, 'OPTIONS'],
    // `*` never covers Authorization
    requestHeaders: 'Authorization, Content-Type',
    exposed: 'WWW-Authenticate',
    async isAllowed(origin, clientId) {
      const client = clientId === undefined ? undefined : await clients.find(clientId);
      return client?.status === 'active' ? originsOf(client).has(origin) : clients.hasOrigin(origin);
    },
  });
}
