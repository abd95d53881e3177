import { createKeySet } from '../../../oidc/keys/key-set.ts';
import type { Command } from '../../program/command.ts';
import { exportCredential } from './credential.ts';
import { USE_OPTION, useOf } from './key-uses.ts';

/** `keys export --public`: prints the published key set. */
export const keysExport: Command = {
  path: ['keys', 'export'],
  summary: 'print the public keys as /jwks shows them, or with --use credential as /api/v1/issuer-keys does',
  options: [
    { flags: '--public', description: 'public keys; there is no export of private ones', isRequired: true },
    USE_OPTION,
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    if (useOf(input) === 'credential') return await exportCredential(loaded, context);
    return await context.withStore(loaded, async ({ signingKeys }) => {
      const keySet = createKeySet({ store: signingKeys, use: 'signin', cacheMs: 0, now: context.now });
      const set = await keySet.jwks();
      await context.print(set, JSON.stringify(set, null, 2));
      return 0;
    });
  },
};
