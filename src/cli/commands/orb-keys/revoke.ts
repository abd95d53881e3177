import { revokeOrbKey } from '../../../refresh/records/orb-keys.ts';
import type { Command } from '../../program/command.ts';

/** `orb-keys revoke ORB_ID KEY_HASH`: revokes a key of an orb after confirmation. */
export const orbKeysRevoke: Command = {
  path: ['orb-keys', 'revoke'],
  summary: 'revoke a public key of an orb: custody packages that it signed are refused',
  details: 'Takes effect immediately. A revoked key stays revoked; an import does not reactivate it.',
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
        'Revoke the key permanently? Custody packages that it signed are refused from now on.',
      );
      await revokeOrbKey(orbKeys, orbId, keyHash);
      await context.print({ orb_id: orbId, revoked: keyHash }, `revoked ${keyHash}`);
      return 0;
    });
  },
};
