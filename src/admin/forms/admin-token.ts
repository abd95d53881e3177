import type { AdminTokenRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Admin token as it is shown: never its value. */
export interface ShownAdminToken {
  readonly token_id: string;
  readonly name: string;
  readonly scope: AdminTokenRow['scope'];
  readonly created_at: string;
  /** Null if it does not expire. */
  readonly expires_at: string | null;
}

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
