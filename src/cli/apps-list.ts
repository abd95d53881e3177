import type { Command } from './command.ts';
import { textTable } from './output.ts';
import { appJson } from './show-app.ts';

/** `apps list`: every app of the registry. */
export const appsList: Command = {
  path: ['apps', 'list'],
  summary: 'list the apps',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const apps = (await store.apps.list()).map(appJson);
      const rows = apps.map((app) => [app.app_id, app.rp_id, app.status, app.verification, app.name]);
      await context.print({ apps }, textTable(['app_id', 'rp_id', 'status', 'verification', 'name'], rows));
      return 0;
    }),
};
