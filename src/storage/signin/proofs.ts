import {
  bytes,
  type Columns,
  columns,
  converted,
  integer,
  named,
  optional,
  type RowOf,
  text,
  word,
} from '../columns.ts';
import type { Statement } from '../drivers/driver.ts';
import { guard } from '../sql.ts';
import type { AcceptedProof, Evidence4, Level, UsedProof } from '../values.ts';

const LEVELS: readonly Level[] = ['orb', 'device'];

/** Columns of an accepted proof (`AcceptedProof`), all null without one. */
export const ACCEPTED: Columns<AcceptedProof> = columns({
  sub: bytes,
  level: word(LEVELS),
  authTime: integer,
  evidence: converted(
    optional(text),
    (stored) => (stored === null ? undefined : (JSON.parse(stored) as Evidence4)),
    (evidence) => (evidence === undefined ? null : JSON.stringify(evidence)),
  ),
});

const SPENT = columns({ hash: bytes, expiresAt: integer });
/** A proof that must not be used twice (spec/sign-in.md#spent-proofs). */
export type SpentProof = RowOf<typeof SPENT>;

const USED = columns({ hash: named('proof_hash', bytes), expiresAt: integer });

const insertSpentProof = guard(
  `insert into spent_signins as t (${SPENT.list()}) values (${SPENT.slots()}) on conflict (hash) do update set expires_at = excluded.expires_at where t.expires_at <= $3 returning 1`,
);
const insertProofUse = guard(
  `insert into dpop_proofs (${USED.list()}) values (${USED.slots()}) on conflict (proof_hash) do nothing returning 1`,
);

/** Records a proof as spent; a guard that fails if it was spent already. */
export function insertSpent(proof: SpentProof, now: number): Statement {
  return insertSpentProof(...SPENT.values(proof), now);
}

/** Records a proof of possession as used; a guard that fails if it was used before. */
export function insertUsedProof(proof: UsedProof): Statement {
  return insertProofUse(...USED.values(proof));
}
