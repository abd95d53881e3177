import { appJson, setAppStatus } from '../../../apps/index.ts';
import type { Command } from '../../program/command.ts';
import { appText } from './show-app.ts';

/** `apps enable ID`: enables an app. */
export const appsEnable: Command = {
  path: ['apps', 'enable'],
  summary: 'let an app verify and sign people in again',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async (store) => {
      const app = await setAppStatus(store.apps, input.argument('id'), 'active', context.now());
      await context.print(appJson(app), appText(app));
      return 0;
    }),
};
