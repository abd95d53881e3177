import { findApp } from '../apps/index.ts';
import type { Command } from './command.ts';
import { appJson, appText } from './show-app.ts';

/** `apps show ID`: one app. */
export const appsShow: Command = {
  path: ['apps', 'show'],
  summary: 'show one app',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const app = await findApp(store.apps, input.argument('id'));
      await context.print(appJson(app), appText(app));
      return 0;
    }),
};
