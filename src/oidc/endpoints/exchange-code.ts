import { randomUUID } from 'node:crypto';
import { isServiceError, ServiceError } from '../../errors/index.ts';
import type { AppRow, CodeRow, NewRefreshFamily } from '../../storage/index.ts';
import { hashOfCode, withoutOfflineAccess } from '../authorize/index.ts';
import { makeRefreshToken, type RefreshToken } from '../issuing/index.ts';
import { subjectOf } from '../issuing/user-claims.ts';
import { OFFLINE_ACCESS, type Parameters, required } from '../parameters.ts';
import type { Grant } from '../types.ts';
import type { ClientCall } from './authenticate-client.ts';
import { checkPkce } from './check-pkce.ts';
import { issueTokens, type TokenEndpointParts, type TokenResponse, tokensEndAt } from './issue-tokens.ts';

/**
 * Exchanges an authorization code for tokens (spec/sign-in.md#token-endpoint); `useCode` is the first step that touches
 * the code.
 *
 * @throws ServiceError `signin.parameter_required`, `token.invalid_code`, `token.redirect_uri_differs`, those of
 *   `checkPkce`, `store.unreachable`
 */
export async function exchangeCode(
  client: AppRow,
  call: ClientCall,
  parts: TokenEndpointParts,
): Promise<TokenResponse> {
  const { parameters } = call;
  const code = required(parameters, 'code');
  required(parameters, 'redirect_uri');
  const id = randomUUID();
  const refresh = makeRefreshToken();
  const { row, hasFamily } = await useCode(client, code, { id, refresh }, call, parts);
  checkRequest(row, parameters);
  // A family has an id of its own, so that its first access token can be revoked alone.
  const response = hasFamily
    ? await issueTokens({ ...grantOf(row), family: id }, randomUUID(), refresh, parts)
    : await issueTokens(withoutOfflineAccess(grantOf(row)), id, undefined, parts);
  parts.metrics.tokenIssuedTotal.inc({ grant: 'authorization_code' });
  return response;
}

/** @throws ServiceError `token.redirect_uri_differs`, those of `checkPkce` */
function checkRequest({ redirectUri, codeChallenge }: CodeRow, parameters: Parameters): void {
  if (redirectUri !== parameters.get('redirect_uri')) {
    throw new ServiceError('token.redirect_uri_differs', undefined, { path: 'redirect_uri' });
  }
  checkPkce(codeChallenge, parameters.get('code_verifier'));
}

interface UsedCode {
  readonly row: CodeRow;
  /** Whether a family of refresh tokens began. */
  readonly hasFamily: boolean;
}

async function useCode(
  { appId, client }: AppRow,
  code: string,
  { id, refresh }: { readonly id: string; readonly refresh: RefreshToken },
  { parameters, requestId }: ClientCall,
  { grants, config, metrics, log, now }: TokenEndpointParts,
): Promise<UsedCode> {
  const at = now();
  let hasFamily = false;
  const familyFor = (row: CodeRow): NewRefreshFamily | undefined => {
    const { accepted, scope } = row;
    const isOffline = client.refreshTokens && scope.split(' ').includes(OFFLINE_ACCESS);
    // A request that is refused uses up the code, but gets no token.
    if (!isOffline || accepted === null || isRefused(() => checkRequest(row, parameters))) return undefined;
    hasFamily = true;
    const { lookupHash, tokenHash } = refresh;
    const expiresAt = at + config.signin.refreshTokenSeconds * 1000;
    return { lookupHash, tokenHash, scope, sid: row.sid, jkt: null, expiresAt };
  };
  const use = await grants.useCode(hashOfCode(code), appId, id, tokensEndAt(at, config), at, familyFor);
  if (use.outcome === 'used') return { row: use.row, hasFamily };
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

function grantOf({ clientId, scope, nonce, sid, accepted }: CodeRow): Grant {
  if (accepted === null)
    throw new Error('expected the accepted proof in the row of a code that was just used, got null');
  return {
    clientId,
    scope: scope.split(' '),
    ...(nonce === null ? {} : { nonce: JSON.parse(nonce) as string }),
    ...(sid === null ? {} : { sid }),
    subject: subjectOf(accepted),
  };
}
