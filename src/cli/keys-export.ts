import { createKeySet } from '../oidc/keys/index.ts';
import type { Command } from './command.ts';
import { KEY_USES } from './keys-list.ts';

/** `keys export --public`: the published key set. */
export const keysExport: Command = {
  path: ['keys', 'export'],
  summary: 'print the public keys as a JSON Web Key Set, as /jwks shows it',
  options: [
    { flags: '--public', description: 'public keys; there is no export of private ones', isRequired: true },
    { flags: '--use <use>', description: 'signin where absent', choices: KEY_USES },
  ],
  run: async (input, context) =>
    await context.withStore(await context.loadConfig(), async ({ signingKeys }) => {
      const use = KEY_USES.find((known) => known === input.option('use')) ?? 'signin';
      const keySet = createKeySet({ store: signingKeys, use, cacheMs: 0, now: context.now });
      const set = await keySet.jwks();
      await context.print(set, JSON.stringify(set, null, 2));
      return 0;
    }),
};
