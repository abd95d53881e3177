import type { OrbKeyRow } from '../../storage/index.ts';
import { LineRefused } from './line-refused.ts';
import { type Members, readMembers, textMember } from './read-members.ts';
import { readOrbKey } from './read-orb-key.ts';

/** The keys of one orb in a line of `orb-keys import`: at least one, without duplicates. */
export interface OrbKeyLine {
  readonly orbId: string;
  readonly rows: readonly OrbKeyRow[];
}

/**
 * Parses one line of `orb-keys import` (spec/refresh.md#imports) to records.
 *
 * @param now - Milliseconds since the epoch, for `addedAt`.
 * @throws LineRefused `not_json`, `unknown_member`, `missing_member`, `invalid_text`, `invalid_pem`,
 *   `wrong_curve`
 */
export function parseOrbKeyLine(line: string, now: number): OrbKeyLine {
  const members = readMembers(line, ['orb_id', 'keys']);
  const orbId = textMember(members, 'orb_id');
  const rows = new Map<string, OrbKeyRow>();
  for (const [index, pem] of pemsOf(members).entries()) {
    const { keyHash, pem: normalisedPem } = readOrbKey(pem, `keys[${index}]`);
    rows.set(Buffer.from(keyHash).toString('hex'), {
      orbId,
      keyHash,
      pem: normalisedPem,
      status: 'active',
      addedAt: now,
    });
  }
  return { orbId, rows: [...rows.values()] };
}

function pemsOf(members: Members): string[] {
  const keys = members.get('keys');
  if (keys?.kind !== 'array' || keys.items.length === 0) throw notAList();
  return keys.items.map((item) => {
    if (item.kind !== 'string') throw notAList();
    return item.text;
  });
}

function notAList(): LineRefused {
  return new LineRefused('invalid_pem', 'keys: expected a list of one or more PEM texts');
}
