import { appJson, findApp, removeApp } from '../../../apps/index.ts';
import type { Command } from '../../program/command.ts';

/** `apps remove ID`: removes an app after confirmation. */
export const appsRemove: Command = {
  path: ['apps', 'remove'],
  summary: 'remove an app with its secrets and tokens; its nullifiers stay recorded',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const { appId, name } = await findApp(store.apps, input.argument('id'));
      await context.confirm(`Remove app ${appId} (${name})?`);
      const app = await removeApp(store.apps, appId);
      await context.print({ removed: appJson(app) }, `removed ${app.appId}`);
      return 0;
    }),
};
