import { findApp } from '../../../apps/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { createSessionOperator } from '../../../oidc/logout/sign-out.ts';
import type { Command } from '../../program/command.ts';

/** `sessions revoke SID` or `sessions revoke --app ID`: ends one session, or all of an app, after confirmation. */
export const sessionsRevoke: Command = {
  path: ['sessions', 'revoke'],
  summary: 'end a session, or all sessions of an app: people prove again at the next sign-in',
  details: 'An app with a backchannel_logout_uri is told by a running server. Tokens stay valid.',
  arguments: [{ name: 'sid', description: 'as `sessions list` shows it', isOptional: true }],
  options: [
    { flags: '--app <id>', description: 'app_id or rp_id whose sessions all end, instead of a sid' },
    { flags: '--yes', description: 'do not ask' },
  ],
  run: async (input, context) => {
    const sid = input.optionalArgument('sid');
    const appId = input.option('app');
    if ((sid === undefined) === (appId === undefined)) {
      throw new ServiceError('cli.usage', 'expected either the sid of a session or --app');
    }
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async ({ apps, sessions }) => {
      const operator = createSessionOperator({ config, apps, store: sessions, now: context.now });
      if (sid !== undefined) {
        await context.confirm(`End the session ${sid}?`);
        await operator.revoke(sid);
        await context.print({ revoked: 1, sid }, `ended ${sid}`);
        return 0;
      }
      const app = await findApp(apps, appId ?? '');
      await context.confirm(`End all sessions of app ${app.appId} (${app.name})?`);
      const revoked = await operator.revokeAll(app);
      await context.print({ revoked, app_id: app.appId }, `ended ${revoked} sessions of ${app.appId}`);
      return 0;
    });
  },
};
