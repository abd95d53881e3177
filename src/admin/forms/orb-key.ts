import type { OrbKeyRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Returns the members of a key of an orb. */
export function orbKeyJson(row: OrbKeyRow): Record<'key_hash' | 'status' | 'added_at' | 'pem', string> {
  return {
    key_hash: Buffer.from(row.keyHash).toString('hex'),
    status: row.status,
    added_at: isoTime(row.addedAt),
    pem: row.pem,
  };
}
