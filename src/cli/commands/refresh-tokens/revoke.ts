import { findApp } from '../../../apps/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { endRefreshFamily } from '../../../oidc/issuing/index.ts';
import type { Command } from '../../program/command.ts';
import { APP_OPTION, requiredApp } from './app-option.ts';

/** `refresh-tokens revoke`: ends one family of refresh tokens of an app, or all, after confirmation. */
export const refreshTokensRevoke: Command = {
  path: ['refresh-tokens', 'revoke'],
  summary: 'end one family of refresh tokens of an app, or all, with their access tokens',
  options: [
    APP_OPTION,
    { flags: '--family <id>', description: 'the family, as `refresh-tokens list` shows it' },
    { flags: '--all', description: 'all families of the app' },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const familyId = input.option('family');
    if ((familyId === undefined) === (input.option('all') === undefined)) {
      throw new ServiceError('cli.usage', 'expected either --family or --all');
    }
    const id = requiredApp(input);
    return await context.withStore(await context.loadConfig(), async ({ apps, refreshTokens }) => {
      const { appId, name } = await findApp(apps, id);
      const what = familyId === undefined ? 'all refresh tokens' : `the refresh tokens ${familyId}`;
      await context.confirm(`End ${what} of app ${appId} (${name})?`);
      if (familyId !== undefined) await endRefreshFamily(refreshTokens, appId, familyId);
      const revoked = familyId === undefined ? await refreshTokens.endByOperator(appId) : 1;
      await context.print({ app_id: appId, revoked }, `ended ${revoked} families of refresh tokens`);
      return 0;
    });
  },
};
