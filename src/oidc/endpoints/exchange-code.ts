import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Log, Metrics } from '../../observability/index.ts';
import type { AppRow, CodeRow, GrantStore } from '../../storage/index.ts';
import { hashOfCode } from '../authorize/index.ts';
import type { TokenIssuer } from '../issuing/index.ts';
import { subjectOf } from '../issuing/user-claims.ts';
import { refuseRepeated, required } from '../parameters.ts';
import type { Grant } from '../types.ts';
import { type ClientAuthentication, type ClientCall, onBehalfOf } from './authenticate-client.ts';
import { checkPkce } from './check-pkce.ts';

/** Dependencies of `createCodeExchange`. */
export interface CodeExchangeParts {
  readonly authentication: ClientAuthentication;
  readonly grants: Pick<GrantStore, 'useCode'>;
  readonly tokens: TokenIssuer;
  readonly config: {
    readonly signin: Pick<Config['signin'], 'accessTokenTtlSeconds' | 'idTokenTtlSeconds'>;
    readonly http: Pick<Config['http'], 'handlerTimeoutMs'>;
  };
  readonly metrics: Pick<Metrics, 'codeReplayTotal' | 'tokenIssuedTotal'>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Body of a successful response, with members named as they are sent. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly id_token: string;
}

/** The tokens of a client. */
export interface IssuedTokens {
  readonly clientId: string;
  readonly response: TokenResponse;
}

const KNOWN = ['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', 'code_verifier'] as const;

/**
 * Creates the exchange of an authorization code (spec/sign-in.md#token-endpoint), which begins with the check
 * for repeated parameters.
 *
 * @returns A function that throws ServiceError `signin.repeated_parameter`, those of client authentication,
 *   `token.grant_type_missing`, `token.grant_type_unsupported`, `signin.parameter_required`,
 *   `token.invalid_code`, `token.redirect_uri_differs`, those of `checkPkce`, `store.unreachable`
 */
export function createCodeExchange(parts: CodeExchangeParts): (call: ClientCall) => Promise<IssuedTokens> {
  return async (call) => {
    refuseRepeated(call.parameters, KNOWN);
    const client = await parts.authentication.authenticate(call, 'any_client');
    const response = await onBehalfOf(client.appId, () => exchange(client, call, parts));
    return { clientId: client.appId, response };
  };
}

/** Runs the steps after client authentication; `useCode` is the first that touches the code. */
async function exchange(client: AppRow, call: ClientCall, parts: CodeExchangeParts): Promise<TokenResponse> {
  const { parameters } = call;
  checkGrantType(parameters.get('grant_type'));
  const code = required(parameters, 'code');
  const redirectUri = required(parameters, 'redirect_uri');
  const jti = randomUUID();
  const row = await useCode(client, code, jti, call.requestId, parts);
  if (row.redirectUri !== redirectUri) {
    throw new ServiceError('token.redirect_uri_differs', undefined, { path: 'redirect_uri' });
  }
  checkPkce(row.codeChallenge, parameters.get('code_verifier'));
  return issue(grantOf(row), jti, parts);
}

function checkGrantType(grantType: string | undefined): void {
  if (grantType === 'authorization_code') return;
  const code = grantType === undefined ? 'token.grant_type_missing' : 'token.grant_type_unsupported';
  throw new ServiceError(code, undefined, { path: 'grant_type' });
}

async function useCode(
  { appId }: AppRow,
  code: string,
  jti: string,
  requestId: string,
  { grants, config, metrics, log, now }: CodeExchangeParts,
): Promise<CodeRow> {
  const { signin, http } = config;
  const at = now();
  // Tokens are signed later than `at`, but at most `handlerTimeoutMs` later: a slower request gets no
  // response.
  const lifeMs = Math.max(signin.accessTokenTtlSeconds, signin.idTokenTtlSeconds) * 1000;
  const tokensEndAt = at + http.handlerTimeoutMs + lifeMs;
  const use = await grants.useCode(hashOfCode(code), appId, jti, tokensEndAt, at);
  if (use.outcome === 'used') return use.row;
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

async function issue(
  grant: Grant,
  jti: string,
  { tokens, metrics }: CodeExchangeParts,
): Promise<TokenResponse> {
  const { token, expiresInSeconds } = await tokens.accessToken(grant, jti);
  const idToken = await tokens.idToken(grant, { accessToken: token });
  metrics.tokenIssuedTotal.inc({ grant: 'authorization_code' });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    scope: grant.scope.join(' '),
    id_token: idToken,
  };
}
