import type { Config } from '../../../../../config/settings/types.ts';
import { basePathOf } from '../../../../../config/values/public-address.ts';
import { discoveryDocument } from '../../../../../oidc/discovery-document.ts';
import type { SigningKeys } from '../../../../../oidc/keys/signing-keys.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { HttpResponse, Route } from '../../../../exchange/exchange-types.ts';
import { PUBLIC_DOCUMENT_CORS } from '../endpoint-rules.ts';

/** Parts of the service that discovery and the key set need. */
export interface DiscoveryRoutesParts {
  readonly config: Pick<Config, 'baseUrl' | 'claims' | 'signin' | 'keys'>;
  readonly keys: Pick<SigningKeys, 'jwks'>;
}

// spec/sign-in.md#discovery-document
const MAX_AGE_SECONDS = 3600;

/**
 * Builds discovery at its three addresses, and the key set (spec/sign-in.md#discovery-document and
 * spec/sign-in.md#key-set).
 */
export function discoveryRoutes({ config, keys }: DiscoveryRoutesParts): Route[] {
  const basePath = basePathOf(config.baseUrl);
  const answer: HttpResponse = {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` },
    body: JSON.stringify(discoveryDocument(config)),
  };
  const paths = new Set([
    `${basePath}/.well-known/openid-configuration`,
    `${basePath}/.well-known/oauth-authorization-server`,
    // RFC 8414 section 3.1 puts the well-known path between the host and the path of the issuer.
    `/.well-known/oauth-authorization-server${basePath}`,
  ]);
  const documents = [...paths].map(
    (path): Route => ({
      method: 'GET',
      head: true,
      path,
      bodyLimitBytes: 0,
      cors: PUBLIC_DOCUMENT_CORS,
      renderError: renderSigninError,
      handler: () => answer,
    }),
  );
  return [...documents, ...jwksRoutes({ keys, basePath, maxAgeSeconds: config.keys.jwksMaxAgeSeconds })];
}

/** Parts of the service that the key set needs. */
interface JwksRouteParts {
  readonly keys: Pick<SigningKeys, 'jwks'>;
  /** Path of `baseUrl`. */
  readonly basePath: string;
  /** `keys.jwksMaxAgeSeconds`. */
  readonly maxAgeSeconds: number;
}

/** Builds `GET /jwks` and its alias `/jwks.json` (spec/sign-in.md#key-set). */
function jwksRoutes({ keys, basePath, maxAgeSeconds }: JwksRouteParts): Route[] {
  return ['/jwks', '/jwks.json'].map((path) => ({
    method: 'GET',
    head: true,
    path: basePath + path,
    bodyLimitBytes: 0,
    cors: PUBLIC_DOCUMENT_CORS,
    renderError: renderSigninError,
    handler: async () => ({
      status: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      },
      body: JSON.stringify(await keys.jwks()),
    }),
  }));
}
