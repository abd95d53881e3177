import { updateApp, VERIFICATION_STATES } from '../apps/index.ts';
import { ServiceError } from '../errors/index.ts';
import type { Command } from './command.ts';
import { appJson, appText } from './show-app.ts';

/** `apps update ID`: changes name or verification state. */
export const appsUpdate: Command = {
  path: ['apps', 'update'],
  summary: 'change an app; running servers see it within storage.cacheSeconds',
  arguments: [{ name: 'id', description: 'app_id or rp_id' }],
  options: [
    { flags: '--name <name>', description: 'a name for people' },
    {
      flags: '--verification <state>',
      description: 'state of the registration',
      choices: VERIFICATION_STATES,
    },
  ],
  run: async (input, context) => {
    const name = input.option('name');
    const verification = input.option('verification');
    if (name === undefined && verification === undefined) {
      throw new ServiceError('cli.usage', 'nothing to change: give --name or --verification');
    }
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(verification === undefined ? {} : { verification }),
    };
    return await context.withStore(await context.loadConfig(), async (store) => {
      const app = await updateApp(store.apps, input.argument('id'), change, context.now());
      await context.print(appJson(app), appText(app));
      return 0;
    });
  },
};
