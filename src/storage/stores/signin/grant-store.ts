import type { AuditWriter } from '../../audit/audit-log.ts';
import { auditAll, shortDigest } from '../../audit/audit-writer.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { CodeRow, GrantStore } from '../../model/store-signin.ts';
import {
  codeByHash,
  codeUsedFor,
  insertCode,
  insertRevocation,
  insertSpent,
  insertUsedProof,
  revocation,
  toCodeRow,
  useCode,
} from '../../statements/signin/grants.ts';
import { endFamilyById, endOldestFamilies, insertFamily } from '../../statements/signin/refresh-families.ts';
import { allOrNothing, guarded, type Step, settled } from '../../transaction.ts';
import type { Bytes32 } from '../../values.ts';

/** Most families of refresh tokens that a person has at a client (spec/sign-in.md#refresh-tokens). */
const MAX_FAMILIES = 20;

/** Creates the store of codes, revoked tokens and used proofs over a driver. */
export function createGrantStore(driver: Driver, audit: AuditWriter): GrantStore {
  const findCode = async (codeHash: Bytes32, clientId: string, now: number): Promise<CodeRow | undefined> => {
    const [row] = await driver.read(codeByHash(codeHash, clientId, now));
    return row === undefined ? undefined : toCodeRow(row);
  };
  const revoke = async (jti: string, expiresAt: number): Promise<void> => {
    await driver.write([insertRevocation(jti, expiresAt)]);
  };
  return {
    useCode: async (codeHash, clientId, jti, tokensEndAt, now, familyFor, proof) => {
      const before = await findCode(codeHash, clientId, now);
      // A guessed code is answered without the writer.
      if (before === undefined) return { outcome: 'unknown' };
      if (before.usedAt === null && before.codeExpiresAt > now) {
        const steps: Step<'lost' | 'proof_used'>[] = [
          [useCode(codeHash, clientId, jti, tokensEndAt, now), 'lost'],
        ];
        if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
        const family = familyFor?.(before);
        if (family !== undefined && before.accepted !== null) {
          const { accepted } = before;
          const times = { createdAt: now, lastUsedAt: now, tokensEndAt };
          const statements = [
            ...endOldestFamilies(clientId, accepted.sub, MAX_FAMILIES - 1),
            insertFamily({ ...family, familyId: jti, clientId, accepted, ...times }),
          ];
          steps.push(...statements.map((statement): Step<never> => [statement]));
        }
        const outcome = await settled(driver, {
          write: () => guarded(driver, steps, 'used'),
          done: 'used',
          own: codeUsedFor(codeHash, jti),
        });
        if (outcome === 'proof_used') return { outcome };
        if (outcome === 'used') {
          const expiresAt = Math.max(before.expiresAt, tokensEndAt);
          return { outcome: 'used', row: { ...before, usedAt: now, jti, expiresAt } };
        }
      }
      const used = before.usedAt === null ? await findCode(codeHash, clientId, now) : before;
      if (used === undefined || used.jti === null) return { outcome: 'unknown' };
      await driver.write([...endFamilyById(used.jti), insertRevocation(used.jti, used.expiresAt)]);
      return { outcome: 'replayed' };
    },
    issue: (code, spent, now) =>
      allOrNothing(driver, [insertSpent(spent, now), ...(code === undefined ? [] : [insertCode(code)])]),
    useProof: (proof) => allOrNothing(driver, [insertUsedProof(proof)]),
    revoke,
    revokeByOperator: async (jti, expiresAt) => {
      // Shown as in the log of the service.
      const change = { action: 'token.revoked', target: `jti:${shortDigest(jti)}` };
      await auditAll(audit, [insertRevocation(jti, expiresAt)], change);
    },
    isRevoked: async (jti, now, familyId = jti) =>
      (await driver.read(revocation(jti, familyId, now))).length > 0,
  };
}
