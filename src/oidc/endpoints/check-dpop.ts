import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { AccessTokenClaims } from '../access-tokens.ts';
import type { CheckedProof, Dpop } from '../dpop/check-proof.ts';
import { DPOP_ALGORITHMS } from '../dpop/read-proof.ts';
import { bearerChallenge, invalidTokenChallenge } from './authenticate-client.ts';

/** A request to a protected resource with an access token. */
export interface ResourceRequest {
  readonly method: string;
  /** Public address of the resource. */
  readonly address: string;
  readonly token: string;
  readonly claims: AccessTokenClaims;
  readonly proof: string | undefined;
  /** The issuer; used as the realm of challenges. */
  readonly baseUrl: string;
}

const ALGORITHMS = `algs="${DPOP_ALGORITHMS.join(' ')}"`;

/** Returns the challenges for a request without a token, one for each scheme (RFC 9449 section 7.2). */
export function tokenChallenges(baseUrl: string): string {
  return `${bearerChallenge(baseUrl)}, DPoP ${ALGORITHMS}`;
}

/**
 * Returns the challenge of the scheme DPoP with an error (RFC 9449 section 7.1).
 *
 * @param description - ASCII without `"` and `\`.
 */
export function dpopChallenge(baseUrl: string, error: string, description: string): string {
  return `DPoP realm="${baseUrl}", error="${error}", error_description="${description}", ${ALGORITHMS}`;
}

/**
 * Refuses a bound access token that was sent as Bearer, as a thief could use it this way (RFC 9449 section 7.2).
 *
 * @throws ServiceError `dpop.token_binding`
 */
export function refuseBound({ jkt }: AccessTokenClaims, baseUrl: string): void {
  if (jkt === undefined) return;
  const challenge = `${invalidTokenChallenge(baseUrl)}, DPoP ${ALGORITHMS}`;
  throw tokenBinding('The token is bound to a key: send it with scheme DPoP and a proof.', challenge);
}

/**
 * Checks the proof for an access token that was sent with scheme DPoP, and records its use
 * (spec/sign-in.md#bound-tokens-at-userinfo).
 *
 * @throws ServiceError `dpop.token_binding`, `dpop.invalid_resource_proof`, `dpop.use_resource_nonce`,
 *   `store.unreachable`
 */
export async function requireProof(dpop: Dpop, request: ResourceRequest): Promise<void> {
  const { method, address, token, claims, proof, baseUrl } = request;
  const binding = (text: string): ServiceError =>
    tokenBinding(text, dpopChallenge(baseUrl, 'invalid_token', text));
  if (claims.jkt === undefined) throw binding('The token is bound to no key: send it with scheme Bearer.');
  await asResource(baseUrl, async () => {
    if (proof === undefined) throw new ServiceError('dpop.invalid_proof', 'The DPoP proof is missing.');
    const checked = await dpop.check({ method, address, proof, accessToken: token });
    if (checked.jkt !== claims.jkt) throw binding('The DPoP proof is by another key than that of the token.');
    await dpop.use(checked);
  });
}

/**
 * Checks the proof of a token request; undefined for a request without one. The caller records its use with the grant.
 *
 * @param isRequired - Whether the client must send a proof (`dpop_bound_access_tokens`).
 * @throws ServiceError `dpop.proof_required`, `dpop.invalid_proof`, `dpop.use_nonce`
 */
export async function checkTokenProof(
  dpop: Dpop,
  proof: string | undefined,
  baseUrl: string,
  isRequired: boolean,
): Promise<CheckedProof | undefined> {
  if (proof !== undefined) return await dpop.check({ method: 'POST', address: `${baseUrl}/token`, proof });
  if (isRequired) throw new ServiceError('dpop.proof_required');
  return undefined;
}

function tokenBinding(text: string, challenge: string): ServiceError {
  return new ServiceError('dpop.token_binding', text, { path: 'token', challenge });
}

/** Converts refusals of a proof to the status and challenge of a protected resource. */
async function asResource(baseUrl: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (isServiceError(cause, 'dpop.invalid_proof')) {
      const challenge = dpopChallenge(baseUrl, 'invalid_dpop_proof', cause.message);
      throw new ServiceError('dpop.invalid_resource_proof', cause.message, { challenge }, { cause });
    }
    if (isServiceError(cause, 'dpop.use_nonce')) {
      const text = cause.spec.signin?.text ?? cause.message;
      const challenge = dpopChallenge(baseUrl, 'use_dpop_nonce', text);
      throw new ServiceError('dpop.use_resource_nonce', undefined, { challenge }, { cause });
    }
    throw cause;
  }
}
