import { CODE_TERMS, type SigninEndpoints } from '../../contenders/signin-contender.ts';

/** Parts of an HTTP request. */
export interface RequestParts {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Encodes a request, head and body in one piece. */
export function requestBytes(
  { port }: Pick<SigninEndpoints, 'port'>,
  { method = 'GET', path, headers = {}, body }: RequestParts,
): Uint8Array {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** Values of an exchange that replace the valid ones. */
export interface ExchangeInput {
  readonly verifier?: string;
  readonly secret?: string;
}

/** Encodes the exchange of a code, with Basic authentication and the PKCE verifier. */
export function tokenRequest(
  endpoints: SigninEndpoints,
  code: string,
  input: ExchangeInput = {},
): Uint8Array {
  const { verifier = CODE_TERMS.verifier, secret = endpoints.clientSecret } = input;
  const credentials = Buffer.from(`${endpoints.clientId}:${secret}`).toString('base64');
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: endpoints.redirectUri,
    code_verifier: verifier,
  });
  return requestBytes(endpoints, {
    method: 'POST',
    path: endpoints.tokenPath,
    headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

/** Encodes a request for user information with an access token. */
export function userinfoRequest(endpoints: SigninEndpoints, token: string): Uint8Array {
  return requestBytes(endpoints, {
    path: endpoints.userinfoPath,
    headers: { Authorization: `Bearer ${token}` },
  });
}

/** Returns path and query of the authorization request that every flow begins with. */
export function authorizeTarget(endpoints: SigninEndpoints, state: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: endpoints.clientId,
    redirect_uri: endpoints.redirectUri,
    scope: CODE_TERMS.scope,
    state,
    nonce: CODE_TERMS.nonce,
    code_challenge: CODE_TERMS.challenge,
    code_challenge_method: 'S256',
  });
  return `${endpoints.authorizePath}?${query}`;
}
