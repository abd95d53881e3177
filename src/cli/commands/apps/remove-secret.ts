import { appJson, findApp, removeSecret } from '../../../apps/index.ts';
import type { Command } from '../../program/command.ts';
import { appText } from './show-app.ts';

/** `apps remove-secret ID SECRET_ID`: removes a secret immediately, after confirmation. */
export const appsRemoveSecret: Command = {
  path: ['apps', 'remove-secret'],
  summary: 'remove a client secret immediately; running servers follow within storage.cacheSeconds',
  arguments: [
    { name: 'id', description: 'app_id or rp_id' },
    { name: 'secret-id', description: 'as `apps show` lists it' },
  ],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async ({ apps }) => {
      const secretId = input.argument('secret-id');
      const { appId, name } = await findApp(apps, input.argument('id'));
      await context.confirm(`Remove secret ${secretId} of app ${appId} (${name})?`);
      const app = await removeSecret(apps, appId, secretId);
      const secrets = await apps.listSecrets(appId, context.now());
      await context.print(appJson(app, secrets), appText(app, secrets));
      return 0;
    }),
};
