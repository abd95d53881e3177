/**
 * Checks of the modules of the OpenID conformance suite, made with only fetch and jose
 * (spec/sign-in.md#openid-conformance).
 */
import { createHash } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { TestClient } from '../signin/clients.ts';

/** Nonce of the requests. */
export const NONCE = 'n-0S6_WzA2Mj';
/** Response types of the test plans. */
export const TYPES: readonly string[] = [
  'code',
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
];
/** Response types, each with the modes that it allows. */
export const PLANS: readonly (readonly [type: string, mode: string])[] = TYPES.flatMap((type) =>
  ['query', 'fragment', 'form_post']
    .filter((mode) => type === 'code' || mode !== 'query')
    .map((mode) => [type, mode] as const),
);

/** A JSON answer. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An ID token and the values issued with it. */
export interface IssuedIdToken {
  readonly id_token?: unknown;
  readonly access_token?: unknown;
  readonly code?: unknown;
}

/** The relying party that the suite acts as. */
export interface ConformanceClient {
  /** Exchanges a code; the secret is sent by Basic authentication, or in the body if `inBody` is set. */
  redeem(code: string | undefined, options?: RedeemOptions): Promise<JsonAnswer>;
  /**
   * Verifies signature, issuer, audience, times, `nonce`, `at_hash` and `c_hash` of an ID token.
   *
   * @param nonce - As it was sent; undefined if the token must have none.
   * @throws Error for the first check that fails
   */
  readIdToken(issued: IssuedIdToken, nonce: string | undefined): Promise<JWTPayload>;
  userinfo(accessToken: unknown, init?: RequestInit): Promise<JsonAnswer>;
}

/** Options of a code exchange. */
export interface RedeemOptions {
  readonly inBody?: boolean;
  /** For a code with a challenge. */
  readonly codeVerifier?: string;
}

/**
 * Creates the relying party of a client.
 *
 * @param now - Clock of the service, milliseconds since the epoch.
 */
export function conformanceClient(
  issuer: string,
  { clientId, clientSecret, redirectUri }: TestClient,
  now: () => number,
): ConformanceClient {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  return {
    async redeem(code, { inBody = false, codeVerifier } = {}) {
      const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: redirectUri,
        ...(inBody ? { client_id: clientId, client_secret: clientSecret } : {}),
        ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
      });
      const headers: Record<string, string> = inBody ? {} : { authorization: basic };
      return await readJson(await fetch(`${issuer}/token`, { method: 'POST', headers, body }));
    },
    async readIdToken({ id_token, access_token, code }, nonce) {
      const { payload, protectedHeader } = await jwtVerify(String(id_token), keys, {
        issuer,
        audience: clientId,
        algorithms: ['RS256'],
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'exp', 'iat', 'auth_time', 'acr'],
      });
      expectEqual('kid', typeof protectedHeader.kid, 'string');
      expectEqual('nonce', payload.nonce, nonce);
      expectEqual('at_hash', payload.at_hash, hashOf(access_token));
      expectEqual('c_hash', payload.c_hash, hashOf(code));
      return payload;
    },
    async userinfo(accessToken, init = {}) {
      const headers = { authorization: `Bearer ${String(accessToken)}` };
      return await readJson(await fetch(`${issuer}/userinfo`, { headers, ...init }));
    },
  };
}

/** Left half of SHA-256, as in OIDC Core 3.1.3.6 and 3.3.2.11; undefined for a value that was not issued. */
function hashOf(issued: unknown): string | undefined {
  if (issued === undefined) return undefined;
  return createHash('sha256').update(String(issued)).digest().subarray(0, 16).toString('base64url');
}

function expectEqual(name: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${name} is ${String(actual)}, expected ${String(expected)}`);
}

async function readJson(response: Response): Promise<JsonAnswer> {
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as JsonAnswer['body'] };
}
