import { approve } from '../test-wallet.ts';
import type { TestClient } from './clients.ts';
import { beginSignIn, type SignInParameters } from './driver.ts';

/** A session of a person with an app. */
export interface Stay {
  /** `name=value` of the session's cookie. */
  readonly cookie: string;
  readonly idToken: string;
  readonly accessToken: string;
  readonly sub: string;
  readonly sid: string;
}

/** Signs a person in who stays signed in to the app on the browser. */
export async function signInToStay(
  baseUrl: string,
  client: TestClient,
  person = 'alice',
  parameters: SignInParameters = {},
): Promise<Stay> {
  const { clientId: client_id, redirectUri: redirect_uri, clientSecret: client_secret } = client;
  const request = { response_type: 'code', scope: 'openid', client_id, redirect_uri, ...parameters };
  const signIn = await beginSignIn(baseUrl, request);
  await signIn.agree(['stay']);
  await approve(signIn.connectUrl, { person });
  await signIn.settle();
  const response = await signIn.continue();
  await response.arrayBuffer();
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const tokens = await fetch(`${baseUrl}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      client_id,
      client_secret,
    }),
  });
  const { id_token: idToken = '', access_token: accessToken = '' } = (await tokens.json()) as {
    readonly id_token?: string;
    readonly access_token?: string;
  };
  return {
    cookie: sessionCookieOf(response),
    idToken,
    accessToken,
    ...(claimsOf(idToken) as Pick<Stay, 'sub' | 'sid'>),
  };
}

/** Returns `name=value` of the session's cookie that a response sets. */
export function sessionCookieOf(response: Response): string {
  const lines = response.headers.getSetCookie().filter((line) => line.startsWith('__Host-pg_session_'));
  if (lines.length !== 1) throw new Error(`expected one cookie of a session, got ${lines.length}`);
  return lines[0]?.split(';')[0] ?? '';
}

/** Returns the claims of a token without a check of its signature. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}

/** Returns the `error` of the answer to a sign-in that must not ask, or `signed in`. */
export async function silently(baseUrl: string, client: TestClient, cookie: string): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
  });
  const response = await fetch(`${baseUrl}/authorize?${query}`, { redirect: 'manual', headers: { cookie } });
  await response.arrayBuffer();
  const { searchParams } = new URL(response.headers.get('location') ?? '');
  return searchParams.get('error') ?? (searchParams.has('code') ? 'signed in' : 'no answer');
}
