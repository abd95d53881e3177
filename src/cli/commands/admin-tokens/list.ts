import type { AdminTokenRow } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** Admin token as it is shown: never its value. */
export interface ShownAdminToken {
  readonly token_id: string;
  readonly name: string;
  readonly scope: AdminTokenRow['scope'];
  readonly created_at: string;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

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

/** Returns the members of a token. */
export function adminTokenJson({
  tokenId,
  name,
  scope,
  createdAt,
  expiresAt,
}: AdminTokenRow): ShownAdminToken {
  return {
    ...{ token_id: tokenId, name, scope, created_at: isoTime(createdAt) },
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
  };
}

/** Formats tokens as a table. */
export function adminTokenText(rows: readonly AdminTokenRow[]): string {
  const table = rows
    .map(adminTokenJson)
    .map(({ token_id, name, scope, created_at, expires_at }) => [
      ...[token_id, scope, created_at, expires_at ?? '-', name],
    ]);
  return textTable(['id', 'scope', 'made', 'ends', 'name'], table);
}
