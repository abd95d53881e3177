import type { SigningKeys } from '../../../../../oidc/keys/signing-keys.ts';
import { renderSigninError } from '../../../../errors/signin.ts';
import type { Route } from '../../../../exchange/exchange-types.ts';
import { PUBLIC_DOCUMENT_CORS } from '../cors.ts';

/** Parts of the service that the key set needs. */
export interface JwksRouteParts {
  readonly keys: Pick<SigningKeys, 'jwks'>;
  /** Path of `baseUrl`. */
  readonly basePath: string;
  /** `keys.jwksMaxAgeSeconds`. */
  readonly maxAgeSeconds: number;
}

/** Builds `GET /jwks` and its alias `/jwks.json` (spec/sign-in.md#key-set). */
export function jwksRoutes({ keys, basePath, maxAgeSeconds }: JwksRouteParts): Route[] {
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
