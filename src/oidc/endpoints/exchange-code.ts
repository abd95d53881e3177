import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { CodeRow } from '../../storage/signin/grants.ts';
import type { NewRefreshFamily } from '../../storage/signin/refresh-families.ts';
import { withoutOfflineAccess } from '../authorize/request-parameters.ts';
import { hashOfCode } from '../authorize/responder.ts';
import { type CheckedProof, proofUsed } from '../dpop/check-proof.ts';
import { OFFLINE_ACCESS, type Parameters, required } from '../parameters.ts';
import { makeRefreshToken, type RefreshToken } from '../refresh-tokens.ts';
import { subjectOf } from '../token-issuer.ts';
import type { Grant } from '../types.ts';
import type { ClientCall } from './authenticate-client.ts';
import { issueTokens, type TokenEndpointParts, type TokenResponse, tokensEndAt } from './issue-tokens.ts';

/**
 * Exchanges an authorization code for tokens (spec/sign-in.md#token-endpoint); `useCode` is the first step that touches
 * the code.
 *
 * @throws ServiceError `signin.parameter_required`, `token.invalid_code`, `token.redirect_uri_differs`, those of
 *   `checkPkce`, `dpop.code_key_differs`, `dpop.invalid_proof`, `store.unreachable`
 */
export async function exchangeCode(
  client: AppRow,
  call: ClientCall,
  proof: CheckedProof | undefined,
  parts: TokenEndpointParts,
): Promise<TokenResponse> {
  const { parameters } = call;
  const code = required(parameters, 'code');
  required(parameters, 'redirect_uri');
  const id = randomUUID();
  const refresh = makeRefreshToken();
  const { row, hasFamily } = await useCode(client, code, { id, refresh, proof }, call, parts);
  checkRequest(row, parameters, proof);
  const grant = grantOf(row, proof);
  // A family has an id of its own, so that its first access token can be revoked alone.
  const response = hasFamily
    ? await issueTokens({ ...grant, family: id }, randomUUID(), refresh, parts)
    : await issueTokens(withoutOfflineAccess(grant), id, undefined, parts);
  parts.metrics.tokenIssuedTotal.inc({ grant: 'authorization_code' });
  return response;
}

/** @throws ServiceError `token.redirect_uri_differs`, those of `checkPkce`, `dpop.code_key_differs` */
function checkRequest(
  { redirectUri, codeChallenge, dpopJkt }: CodeRow,
  parameters: Parameters,
  proof: CheckedProof | undefined,
): void {
  if (redirectUri !== parameters.get('redirect_uri')) {
    throw new ServiceError('token.redirect_uri_differs', undefined, { path: 'redirect_uri' });
  }
  checkPkce(codeChallenge, parameters.get('code_verifier'));
  if (dpopJkt !== null && dpopJkt !== proof?.jkt) throw new ServiceError('dpop.code_key_differs');
}

interface UsedCode {
  readonly row: CodeRow;
  /** Whether a family of refresh tokens was created. */
  readonly hasFamily: boolean;
}

/** Result of the exchange of a code. */
interface Exchange {
  /** Id of the access token, or of the new family. */
  readonly id: string;
  readonly refresh: RefreshToken;
  readonly proof: CheckedProof | undefined;
}

async function useCode(
  { appId, client }: AppRow,
  code: string,
  { id, refresh, proof }: Exchange,
  { parameters, requestId }: ClientCall,
  { grants, config, metrics, log, now }: TokenEndpointParts,
): Promise<UsedCode> {
  const at = now();
  let hasFamily = false;
  const familyFor = (row: CodeRow): NewRefreshFamily | undefined => {
    const { accepted, scope } = row;
    const isOffline = client.refreshTokens && scope.split(' ').includes(OFFLINE_ACCESS);
    // A refused request uses up the code but gets no token.
    if (!isOffline || accepted === null || isRefused(() => checkRequest(row, parameters, proof)))
      return undefined;
    hasFamily = true;
    const { lookupHash, tokenHash } = refresh;
    const expiresAt = at + config.signin.refreshTokenSeconds * 1000;
    // A confidential client authenticates by its secret, so its refresh tokens are not bound (RFC 9449 section 5).
    const jkt = (client.tokenEndpointAuthMethod === 'none' ? proof?.jkt : undefined) ?? null;
    return { lookupHash, tokenHash, scope, sid: row.sid, jkt, expiresAt };
  };
  const end = tokensEndAt(at, config);
  const use = await grants.useCode(hashOfCode(code), appId, id, end, at, familyFor, proof?.use);
  if (use.outcome === 'used') return { row: use.row, hasFamily };
  if (use.outcome === 'proof_used') throw proofUsed();
  if (use.outcome === 'replayed') {
    metrics.codeReplayTotal.inc();
    log.warn('an authorization code came back; its access token is revoked', {
      event: 'code.replayed',
      requestId,
      clientId: appId,
    });
  }
  throw new ServiceError('token.invalid_code', undefined, { path: 'code' });
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (isServiceError(error)) return true;
    throw error;
  }
}

function grantOf({ clientId, scope, nonce, sid, accepted }: CodeRow, proof: CheckedProof | undefined): Grant {
  if (accepted === null)
    throw new Error('expected the accepted proof in the row of a code that was just used, got null');
  return {
    clientId,
    scope: scope.split(' '),
    ...(nonce === null ? {} : { nonce: JSON.parse(nonce) as string }),
    ...(sid === null ? {} : { sid }),
    subject: subjectOf(accepted),
    ...(proof === undefined ? {} : { jkt: proof.jkt }),
  };
}

// RFC 7636 section 4.1
const VERIFIER_FORM = /^[A-Za-z0-9\-._~]{43,128}$/;
const AT_VERIFIER = { path: 'code_verifier' };

/**
 * Checks the verifier of PKCE against the challenge of the authorization request
 * (spec/sign-in.md#pkce-check). A verifier without a challenge is refused too: an attacker may have removed
 * the challenge from the request.
 *
 * @param challenge - S256, base64url, or null if none was sent.
 * @throws ServiceError `token.verifier_missing`, `token.verifier_unexpected`, `token.verifier_malformed`,
 *   `token.verifier_differs`
 * @see RFC 7636 section 4.6
 */
export function checkPkce(challenge: string | null, verifier: string | undefined): void {
  if (challenge === null) {
    if (verifier !== undefined) throw new ServiceError('token.verifier_unexpected', undefined, AT_VERIFIER);
    return;
  }
  if (verifier === undefined) throw new ServiceError('token.verifier_missing', undefined, AT_VERIFIER);
  if (!VERIFIER_FORM.test(verifier))
    throw new ServiceError('token.verifier_malformed', undefined, AT_VERIFIER);
  const digest = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  if (expected.length !== digest.length || !timingSafeEqual(expected, digest)) {
    throw new ServiceError('token.verifier_differs', undefined, AT_VERIFIER);
  }
}
