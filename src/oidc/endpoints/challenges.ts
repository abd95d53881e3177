/**
 * `WWW-Authenticate` for a client that has to authenticate (spec/sign-in.md#client-authentication, RFC 7617).
 */
export function basicChallenge(baseUrl: string): string {
  return `Basic realm="${baseUrl}", charset="UTF-8"`;
}

/** `WWW-Authenticate` for a request without a token: no error, as RFC 6750 section 3.1 wants. */
export function bearerChallenge(baseUrl: string): string {
  return `Bearer realm="${baseUrl}"`;
}

/** `WWW-Authenticate` for a token that is not active (spec/sign-in.md#interface-codes, invalid_token). */
export function invalidTokenChallenge(baseUrl: string): string {
  const error = 'error="invalid_token", error_description="Token is invalid or expired."';
  return `${bearerChallenge(baseUrl)}, ${error}`;
}
