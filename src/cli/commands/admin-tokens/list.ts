import { adminTokenJson } from '../../../admin/forms/index.ts';
import type { AdminTokenRow } from '../../../storage/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `admin-tokens list`: lists the live tokens of the admin API. */
export const adminTokensList: Command = {
  path: ['admin-tokens', 'list'],
  summary: 'list the tokens of the admin API, the oldest first',
  details: 'The setting admin.token is a token of scope write, too, which is not listed.',
  run: async (_input, context) =>
    await context.withStore(await context.loadConfig(), async ({ adminTokens }) => {
      const rows = await adminTokens.list(context.now());
      await context.print({ tokens: rows.map(adminTokenJson) }, adminTokenText(rows));
      return 0;
    }),
};

/** Formats tokens as a table. */
export function adminTokenText(rows: readonly AdminTokenRow[]): string {
  const table = rows
    .map(adminTokenJson)
    .map(({ token_id, name, scope, created_at, expires_at }) => [
      ...[token_id, scope, created_at, expires_at ?? '-', name],
    ]);
  return textTable(['id', 'scope', 'made', 'ends', 'name'], table);
}
