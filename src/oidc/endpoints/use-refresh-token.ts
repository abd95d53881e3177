import { randomUUID, timingSafeEqual } from 'node:crypto';
import { acceptsProof } from '../../apps/signin-policy.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { RefreshFamilyRow } from '../../storage/signin/refresh-families.ts';
import { type CheckedProof, proofUsed } from '../dpop/check-proof.ts';
import { required, wordsOf } from '../parameters.ts';
import { parseRefreshToken, type RefreshToken, renewRefreshToken } from '../refresh-tokens.ts';
import { subjectOf } from '../token-issuer.ts';
import type { ClientCall } from './authenticate-client.ts';
import { issueTokens, type TokenEndpointParts, type TokenResponse, tokensEndAt } from './issue-tokens.ts';

/**
 * Exchanges a refresh token for new tokens (spec/sign-in.md#refresh-tokens, RFC 6749 section 6). The tokens are signed
 * before the new refresh token becomes current, so that a failure does not cost the client its token.
 *
 * @throws ServiceError `signin.parameter_required`, `token.invalid_refresh_token`, `token.scope_not_granted`,
 *   `dpop.refresh_key_differs`, `dpop.invalid_proof`, `store.unreachable`
 */
export async function useRefreshToken(
  client: AppRow,
  call: ClientCall,
  proof: CheckedProof | undefined,
  parts: TokenEndpointParts,
): Promise<TokenResponse> {
  const { config, refreshTokens, now } = parts;
  const at = now();
  const { family, token } = await findFamily(client, call, at, parts);
  if (family.jkt !== null && family.jkt !== proof?.jkt) {
    throw new ServiceError('dpop.refresh_key_differs', undefined, { path: 'refresh_token' });
  }
  const scope = narrowedScope(family.scope, call.parameters.get('scope'));
  const next = renewRefreshToken(token);
  const { clientId, accepted, familyId, sid } = family;
  const grant = {
    clientId,
    scope,
    subject: subjectOf(accepted),
    family: familyId,
    ...(sid === null ? {} : { sid }),
    ...(proof === undefined ? {} : { jkt: proof.jkt }),
  };
  const response = await issueTokens(grant, randomUUID(), next, parts);
  const { lookupHash, tokenHash: from } = token;
  const rotation = {
    lookupHash,
    from,
    to: next.tokenHash,
    tokensEndAt: tokensEndAt(at, config),
    ...(proof === undefined ? {} : { proof: proof.use }),
  };
  const outcome = await refreshTokens.rotate(rotation, at);
  if (outcome === 'replayed') reportReplay(client, call, parts);
  if (outcome === 'proof_used') throw proofUsed();
  if (outcome !== 'rotated') throw invalidToken();
  parts.metrics.tokenIssuedTotal.inc({ grant: 'refresh_token' });
  return response;
}

interface PresentedToken {
  readonly token: RefreshToken;
  readonly family: RefreshFamilyRow;
}

/** Looks up the family of the presented token, and ends it if the token is not the current one. */
async function findFamily(
  app: AppRow,
  call: ClientCall,
  at: number,
  parts: TokenEndpointParts,
): Promise<PresentedToken> {
  const { appId, client } = app;
  const token = parseRefreshToken(required(call.parameters, 'refresh_token'));
  if (token === undefined || !client.refreshTokens) throw invalidToken();
  const family = await parts.refreshTokens.find(token.lookupHash, at);
  if (family?.clientId !== appId) throw invalidToken();
  if (!timingSafeEqual(family.tokenHash, token.tokenHash)) {
    if (await parts.refreshTokens.end(token.lookupHash)) reportReplay({ appId }, call, parts);
    throw invalidToken();
  }
  // The policy of the app may have changed since the person signed in.
  if (!acceptsProof(app, family.accepted)) throw invalidToken();
  return { token, family };
}

function reportReplay(
  { appId }: Pick<AppRow, 'appId'>,
  { requestId }: ClientCall,
  { metrics, log }: TokenEndpointParts,
): void {
  metrics.refreshTokenReplayTotal.inc();
  log.warn('a refresh token came back after it was replaced; its family has ended', {
    event: 'refresh_token.replayed',
    requestId,
    clientId: appId,
  });
}

function invalidToken(): ServiceError {
  return new ServiceError('token.invalid_refresh_token', undefined, { path: 'refresh_token' });
}

/**
 * Returns the scopes of a response: the granted ones, or the subset that the request names.
 *
 * @throws ServiceError `token.scope_not_granted`
 */
function narrowedScope(granted: string, requested: string | undefined): readonly string[] {
  const words = wordsOf(granted);
  if (requested === undefined) return words;
  const wanted = [...new Set(wordsOf(requested))];
  if (!wanted.includes('openid') || !wanted.every((word) => words.includes(word))) {
    throw new ServiceError('token.scope_not_granted', undefined, { path: 'scope' });
  }
  return wanted;
}
