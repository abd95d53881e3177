import { appJson, setAppStatus } from '../../../apps/index.ts';
import type { Command } from '../../program/command.ts';
import { appText } from './show-app.ts';

/** `apps disable ID`: disables an app. */
export const appsDisable: Command = {
  path: ['apps', 'disable'],
  summary: 'refuse the requests of an app and end its tokens, without removing it',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const app = await setAppStatus(store.apps, input.argument('id'), 'disabled', context.now());
      await context.print(appJson(app), appText(app));
      return 0;
    }),
};
