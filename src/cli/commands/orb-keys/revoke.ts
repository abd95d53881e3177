import { revokeOrbKey } from '../../../refresh/records/index.ts';
import type { Command } from '../../program/command.ts';

/** `orb-keys revoke ORB_ID KEY_HASH`: ends a key of an orb after a question. */
export const orbKeysRevoke: Command = {
  path: ['orb-keys', 'revoke'],
  summary: 'revoke a public key of an orb: custody packages that it signed are refused',
  details: 'Takes effect at once. A revoked key stays revoked; an import does not take it back.',
  arguments: [
    { name: 'orb_id', description: 'id of the orb' },
    { name: 'key_hash', description: '64 hex digits, see `orb-keys list`' },
  ],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const orbId = input.argument('orb_id');
    const keyHash = input.argument('key_hash');
    return await context.withStore(await context.loadConfig(), async ({ orbKeys }) => {
      await context.confirm(
        'Revoke the key for good? Custody packages that it signed are refused from now on.',
      );
      await revokeOrbKey(orbKeys, orbId, keyHash);
      await context.print({ orb_id: orbId, revoked: keyHash }, `revoked ${keyHash}`);
      return 0;
    });
  },
};
