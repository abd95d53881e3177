/**
 * What the modules of the OpenID conformance suite look at, with fetch and jose alone
 * (spec/sign-in.md#openid-conformance).
 */
import { createHash } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { TestClient } from '../signin/clients.ts';

/** A JSON answer. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An ID token and what came with it. */
export interface IssuedIdToken {
  readonly id_token?: unknown;
  readonly access_token?: unknown;
  readonly code?: unknown;
}

/** The other side of a sign-in: what the suite does as a relying party. */
export interface ConformanceClient {
  /** Exchanges a code; the secret goes by Basic, or in the body where `inBody` is set. */
  redeem(code: string | undefined, options?: RedeemOptions): Promise<JsonAnswer>;
  /**
   * Verifies signature, issuer, audience, times, `nonce`, and `at_hash` and `c_hash` of an ID token against what came
   * with it. Throws for what does not hold.
   *
   * @param nonce - As it was sent; undefined expects that there is none.
   */
  readIdToken(issued: IssuedIdToken, nonce: string | undefined): Promise<JWTPayload>;
  userinfo(accessToken: unknown, init?: RequestInit): Promise<JsonAnswer>;
}

/** How a code is exchanged. */
export interface RedeemOptions {
  readonly inBody?: boolean;
  /** For a code with a challenge. */
  readonly codeVerifier?: string;
}

/**
 * Makes the relying party that a client is.
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

/** Left half of SHA-256, as OIDC Core 3.1.3.6 and 3.3.2.11 have it; undefined for what was not issued. */
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
