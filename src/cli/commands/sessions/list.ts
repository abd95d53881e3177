import { sessionJson } from '../../../admin/forms/index.ts';
import { findApp } from '../../../apps/index.ts';
import { createSessionOperator } from '../../../oidc/logout/sign-out.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

const MAX_ROWS = 1000;
const HEAD = ['sid', 'person', 'level', 'proved', 'ends'];

/** `sessions list --app ID`: lists the live sessions of an app. */
export const sessionsList: Command = {
  path: ['sessions', 'list'],
  summary: 'list the sessions of people who stay signed in to an app, the latest first',
  details: `At most ${MAX_ROWS}. There are none while signin.sessionSeconds is 0.`,
  options: [{ flags: '--app <id>', description: 'app_id or rp_id', isRequired: true }],
  run: async (input, context) => {
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async ({ apps, sessions }) => {
      const app = await findApp(apps, input.option('app') ?? '');
      const operator = createSessionOperator({ config, apps, store: sessions, now: context.now });
      const shown = (await operator.page(app, MAX_ROWS)).map(sessionJson);
      const table = shown.map(({ sid, person, acr, auth_time, expires_at }) => [
        ...[sid, person, acr, auth_time, expires_at],
      ]);
      await context.print({ sessions: shown }, textTable(HEAD, table));
      return 0;
    });
  },
};
