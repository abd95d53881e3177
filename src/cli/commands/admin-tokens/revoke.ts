import { revokeAdminToken } from '../../../admin/admin-tokens.ts';
import type { Command } from '../../program/command.ts';

/** `admin-tokens revoke ID`: removes a token of the admin API after confirmation. */
export const adminTokensRevoke: Command = {
  path: ['admin-tokens', 'revoke'],
  summary: 'remove a token of the admin API: servers refuse it immediately',
  arguments: [{ name: 'id', description: 'the id, see `admin-tokens list`' }],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const id = input.argument('id');
    return await context.withStore(await context.loadConfig(), async ({ adminTokens }) => {
      await context.confirm(`Revoke the admin token ${id}?`);
      await revokeAdminToken(adminTokens, id);
      await context.print({ revoked: id }, `revoked ${id}`);
      return 0;
    });
  },
};
