import type { ShownKey } from '../../../admin/forms/index.ts';
import { textTable } from '../../output/output.ts';

/** Formats keys as a table. */
export function signingKeyTable(keys: readonly ShownKey[]): string {
  const rows = keys.map((key) => [
    key.kid,
    key.use,
    key.state,
    key.retired_at ?? key.activated_at ?? key.created_at,
    key.changes_at ?? '-',
    remarks(key).join(', '),
  ]);
  return textTable(['kid', 'use', 'state', 'since', 'changes', ''], rows);
}

function remarks(key: ShownKey): string[] {
  if (key.use === 'signin') return key.development ? ['development'] : [];
  return [`issuer schema ${key.issuer_schema_id}`, key.origin];
}
