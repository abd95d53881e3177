import { appJson, findApp } from '../../../apps/index.ts';
import type { Command } from '../../program/command.ts';
import { appText } from './show-app.ts';

/** `apps show ID`: shows one app with its live secrets. */
export const appsShow: Command = {
  path: ['apps', 'show'],
  summary: 'show one app, with the ids of its secrets',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async ({ apps }) => {
      const app = await findApp(apps, input.argument('id'));
      const secrets = await apps.listSecrets(app.appId, context.now());
      await context.print(appJson(app, secrets), appText(app, secrets));
      return 0;
    }),
};
