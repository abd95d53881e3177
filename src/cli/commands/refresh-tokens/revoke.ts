import { findApp } from '../../../apps/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { endRefreshFamily } from '../../../oidc/refresh-tokens.ts';
import type { Command } from '../../program/command.ts';

/** `refresh-tokens revoke`: ends one family of refresh tokens of an app, or all, after confirmation. */
export const refreshTokensRevoke: Command = {
  path: ['refresh-tokens', 'revoke'],
  summary: 'end one family of refresh tokens of an app, or all, with their access tokens',
  options: [
    { flags: '--app <id>', description: 'app_id or rp_id of the app', isRequired: true },
    { flags: '--family <id>', description: 'the family, as `refresh-tokens list` shows it' },
    { flags: '--all', description: 'all families of the app' },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const familyId = input.option('family');
    if ((familyId === undefined) === !input.has('all')) {
      throw new ServiceError('cli.usage', 'expected either --family or --all');
    }
    return await context.withStore(await context.loadConfig(), async ({ apps, refreshTokens }) => {
      const { appId, name } = await findApp(apps, input.option('app') ?? '');
      const what = familyId === undefined ? 'all refresh tokens' : `the refresh tokens ${familyId}`;
      await context.confirm(`End ${what} of app ${appId} (${name})?`);
      if (familyId !== undefined) await endRefreshFamily(refreshTokens, appId, familyId);
      const revoked = familyId === undefined ? await refreshTokens.endByOperator(appId) : 1;
      await context.print({ app_id: appId, revoked }, `ended ${revoked} families of refresh tokens`);
      return 0;
    });
  },
};
