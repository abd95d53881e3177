import { ServiceError } from '../../../errors/index.ts';
import { parseTime, TIME_FORMS } from '../../../membership/index.ts';
import { isoTime } from '../../../text.ts';
import type { Command, CommandContext, CommandInput } from '../../program/command.ts';
import { examineToken, readJti, readToken, TOKEN_OPTIONS } from './token-input.ts';

/** Longest life of an access token, the upper bound of `signin.accessTokenTtlSeconds`. */
const LONGEST_LIFE_MS = 86_400_000;

/** `tokens revoke`: ends one access token after a question. */
export const tokensRevoke: Command = {
  path: ['tokens', 'revoke'],
  summary: 'put an access token on the revocation list until it ends',
  options: [
    ...TOKEN_OPTIONS,
    { flags: '--jti <jti>', description: 'the identifier of a token, instead of the token' },
    {
      flags: '--expires <time>',
      description: 'with --jti: when the token ends; the longest life from now where absent',
    },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const jti = readJti(input);
    const expires = readExpires(input, jti);
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async (store) => {
      if (jti !== undefined) {
        return await revoke(jti, expires ?? context.now() + LONGEST_LIFE_MS, store.grants, context);
      }
      const verdict = await examineToken(await readToken(input, context), config, store, context.now);
      if (verdict.claims === undefined) {
        const reason = verdict.isActive ? '' : `: ${verdict.reason}`;
        throw new ServiceError('cli.usage', `the token is no access token of this service${reason}`);
      }
      const end = verdict.claims.exp * 1000;
      if (!verdict.isActive && verdict.reason === 'expired') {
        const text = `ended at ${isoTime(end)}; nothing to revoke`;
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
  grants: { revoke(jti: string, expiresAt: number): Promise<void> },
  context: CommandContext,
): Promise<number> {
  await context.confirm(`Revoke token ${jti}?`);
  await grants.revoke(jti, end);
  await context.print(
    { revoked: true, jti, expires_at: isoTime(end) },
    `revoked ${jti} until it ends, ${isoTime(end)}`,
  );
  return 0;
}

function readExpires(input: CommandInput, jti: string | undefined): number | undefined {
  const text = input.option('expires');
  if (text === undefined) return undefined;
  if (jti === undefined) throw new ServiceError('cli.usage', '--expires: expected together with --jti');
  const time = parseTime(text);
  if (time === undefined) throw new ServiceError('cli.usage', `--expires: expected ${TIME_FORMS}`);
  return time;
}
