import {
  type AccessTokenClaims,
  examineToken,
  type InactiveReason,
  type TokenVerdict,
} from '../../../oidc/access-tokens.ts';
import {
  examineRefreshToken,
  type RefreshRefusal,
  type RefreshVerdict,
} from '../../../oidc/refresh-tokens.ts';
import { familyJson } from '../../../operations/refresh-tokens.ts';
import { isoTime } from '../../../text.ts';
import type { Command } from '../../program/command.ts';
import { readJti, readToken, TOKEN_OPTIONS } from './token-input.ts';

const REASONS: Readonly<Record<InactiveReason, string>> = {
  malformed: 'it is not a token of this service',
  not_an_access_token: 'it is not an access token but, for example, an ID token',
  unknown_key: 'its key is not in the published set, or no longer',
  bad_signature: 'its signature is invalid',
  other_issuer: 'it was issued by, or for, another address than baseUrl',
  expired: 'it has expired',
  client_unknown: 'its app is not registered',
  client_disabled: 'its app is disabled',
  revoked: 'it was revoked',
};

const REFRESH_REASONS: Readonly<Record<RefreshRefusal, string>> = {
  unknown: 'it was never issued, or its family has ended',
  replaced: 'a newer one has replaced it',
  client_refused: 'its app is gone, disabled, or may not have refresh tokens',
};

/** `tokens introspect`: reports whether the service accepts a token, and if not why. */
export const tokensIntrospect: Command = {
  path: ['tokens', 'introspect'],
  summary: 'show whether an access token or a refresh token is active, and if not why',
  details: `Prints neither the token nor its subject. Exit code 1 when it is not active.
With --jti only the revocation list is checked: all other checks need the token.`,
  options: [
    ...TOKEN_OPTIONS,
    {
      flags: '--jti <jti>',
      description: 'identifier of a token, instead of the token: whether it is revoked',
    },
  ],
  run: async (input, context) => {
    const jti = readJti(input);
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async (store) => {
      if (jti !== undefined) {
        const isRevoked = await store.grants.isRevoked(jti, context.now());
        await context.print({ jti, revoked: isRevoked }, isRevoked ? 'revoked' : 'not revoked');
        return isRevoked ? 1 : 0;
      }
      const token = await readToken(input, context);
      const refresh = await examineRefreshToken(token, store, config, context.now());
      if (refresh !== undefined) {
        const { reason } = refresh;
        const json = refreshVerdictJson(refresh);
        await context.print(json, textOf(reason && REFRESH_REASONS[reason], json));
        return reason === undefined ? 0 : 1;
      }
      const verdict = await examineToken(token, config, store, context.now);
      await context.print(verdictJson(verdict), verdictText(verdict));
      return verdict.isActive ? 0 : 1;
    });
  },
};

function verdictJson(verdict: TokenVerdict): Record<string, unknown> {
  return {
    active: verdict.isActive,
    ...(verdict.isActive ? {} : { reason: verdict.reason }),
    ...(verdict.claims === undefined ? {} : claimsJson(verdict.claims)),
  };
}

function refreshVerdictJson({ reason, family }: RefreshVerdict): Record<string, unknown> {
  return {
    active: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    ...(family === undefined ? {} : { client_id: family.clientId, ...familyJson(family) }),
  };
}

function claimsJson({ clientId, scope, jti, iat, exp, level }: AccessTokenClaims): Record<string, unknown> {
  return {
    client_id: clientId,
    scope: scope.join(' '),
    jti,
    issued_at: isoTime(iat * 1000),
    expires_at: isoTime(exp * 1000),
    acr: level,
  };
}

function verdictText(verdict: TokenVerdict): string {
  return textOf(verdict.isActive ? undefined : REASONS[verdict.reason], verdictJson(verdict));
}

/** Returns the verdict in words, and its further members, a line each. */
function textOf(reason: string | undefined, json: Readonly<Record<string, unknown>>): string {
  const head = reason === undefined ? 'active' : `not active: ${reason}`;
  const members = Object.entries(json).filter(([name]) => name !== 'active' && name !== 'reason');
  return [head, ...members.map(([name, value]) => `${name.padEnd(13)}${value}`)].join('\n');
}
