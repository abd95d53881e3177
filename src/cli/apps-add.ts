import { createApp } from '../apps/index.ts';
import type { Command } from './command.ts';
import { appJson, appText } from './show-app.ts';

/** `apps add`: registers an app for verification. */
export const appsAdd: Command = {
  path: ['apps', 'add'],
  summary: 'add an app, active and registered for verification',
  details:
    'An app made outside the production profile carries a mark; production does not start while it is there.',
  options: [
    { flags: '--app-id <id>', description: 'app_ or app_staging_ and 32 hex digits; made up where absent' },
    { flags: '--name <name>', description: 'a name for people; the app_id where absent' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    return await context.withStore(loaded, async (store) => {
      const appId = input.option('appId');
      const name = input.option('name');
      const request = {
        ...(appId === undefined ? {} : { appId }),
        ...(name === undefined ? {} : { name }),
        isDevelopment: loaded.config.profile !== 'production',
      };
      const app = await createApp(store.apps, request, context.now());
      await context.print(appJson(app), appText(app));
      return 0;
    });
  },
};
