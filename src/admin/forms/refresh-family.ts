import { type RefreshFamilyRow, shortDigest } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Family of refresh tokens as the admin API and `refresh-tokens list --json` show it: neither a token nor a sub. */
export interface ShownRefreshFamily {
  readonly family_id: string;
  /** First 8 hex digits of the SHA-256 of the sub: tells the families of one person. */
  readonly person: string;
  readonly acr: 'orb' | 'device';
  readonly scope: string;
  readonly created_at: string;
  /** When the token in force was issued. */
  readonly last_used_at: string;
  readonly expires_at: string;
}

/** Returns the members of a family. */
export function refreshFamilyJson(family: RefreshFamilyRow): ShownRefreshFamily {
  return {
    family_id: family.familyId,
    person: shortDigest(family.accepted.sub),
    acr: family.accepted.level,
    scope: family.scope,
    created_at: isoTime(family.createdAt),
    last_used_at: isoTime(family.lastUsedAt),
    expires_at: isoTime(family.expiresAt),
  };
}
