import { ServiceError } from '../../../errors/service-error.ts';
import { examineToken, MAX_ACCESS_TOKEN_LIFETIME_MS } from '../../../oidc/access-tokens.ts';
import { endRefreshFamily, examineRefreshToken, type RefreshVerdict } from '../../../oidc/refresh-tokens.ts';
import type { GrantStore } from '../../../storage/signin/grants.ts';
import type { RefreshTokenStore } from '../../../storage/signin/refresh-families.ts';
import { isoTime, parseTime, TIME_FORMS } from '../../../text.ts';
import type { Command, CommandContext, CommandInput } from '../../program/command.ts';
import { readJti, readToken, TOKEN_OPTIONS } from './token-input.ts';

/** `tokens revoke`: revokes one access token, or the family of a refresh token, after confirmation. */
export const tokensRevoke: Command = {
  path: ['tokens', 'revoke'],
  summary:
    'put an access token on the revocation list until it expires, or end the family of a refresh token',
  options: [
    ...TOKEN_OPTIONS,
    { flags: '--jti <jti>', description: 'identifier of a token, instead of the token' },
    {
      flags: '--expires <time>',
      description: 'with --jti: when the token expires; the longest lifetime from now if absent',
    },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const jti = readJti(input);
    const expires = readExpires(input, jti);
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async (store) => {
      if (jti !== undefined) {
        return await revoke(
          jti,
          expires ?? context.now() + MAX_ACCESS_TOKEN_LIFETIME_MS,
          store.grants,
          context,
        );
      }
      const token = await readToken(input, context);
      const refresh = await examineRefreshToken(token, store, config, context.now());
      if (refresh !== undefined) return await revokeFamily(refresh, store.refreshTokens, context);
      const verdict = await examineToken(token, config, store, context.now);
      if (verdict.claims === undefined) {
        const reason = verdict.isActive ? '' : `: ${verdict.reason}`;
        throw new ServiceError('cli.usage', `the token is not an access token of this service${reason}`);
      }
      const end = verdict.claims.exp * 1000;
      if (!verdict.isActive && verdict.reason === 'expired') {
        const text = `expired at ${isoTime(end)}; nothing to revoke`;
        await context.print({ revoked: false, jti: verdict.claims.jti, expires_at: isoTime(end) }, text);
        return 0;
      }
      return await revoke(verdict.claims.jti, end, store.grants, context);
    });
  },
};

async function revoke(
  jti: string,
  end: number,
  grants: Pick<GrantStore, 'revokeByOperator'>,
  context: CommandContext,
): Promise<number> {
  await context.confirm(`Revoke token ${jti}?`);
  await grants.revokeByOperator(jti, end);
  await context.print(
    { revoked: true, jti, expires_at: isoTime(end) },
    `revoked ${jti} until it expires, ${isoTime(end)}`,
  );
  return 0;
}

async function revokeFamily(
  { family }: RefreshVerdict,
  refreshTokens: RefreshTokenStore,
  context: CommandContext,
): Promise<number> {
  if (family === undefined) {
    await context.print(
      { revoked: false },
      'no such refresh token, or its family has ended; nothing to revoke',
    );
    return 0;
  }
  const { clientId, familyId } = family;
  await context.confirm(`End the refresh tokens ${familyId} of app ${clientId}?`);
  await endRefreshFamily(refreshTokens, clientId, familyId);
  const shown = { revoked: true, client_id: clientId, family_id: familyId };
  await context.print(shown, `ended the refresh tokens ${familyId} of app ${clientId}`);
  return 0;
}

function readExpires(input: CommandInput, jti: string | undefined): number | undefined {
  const text = input.option('expires');
  if (text === undefined) return undefined;
  if (jti === undefined) throw new ServiceError('cli.usage', '--expires: expected only with --jti');
  const time = parseTime(text);
  if (time === undefined) throw new ServiceError('cli.usage', `--expires: expected ${TIME_FORMS}`);
  return time;
}
