import type { AuditWriter } from '../../audit/audit-log.ts';
import { shortDigest } from '../../audit/audit-writer.ts';
import { removeAll } from '../../batches.ts';
import type { Driver, Statement } from '../../drivers/driver.ts';
import type { RefreshTokenStore } from '../../model/store-refresh-tokens.ts';
import { insertUsedProof } from '../../statements/signin/grants.ts';
import {
  endFamily,
  endFamilyOf,
  endSomeFamilies,
  familyByLookup,
  familyPage,
  rotateToken,
  tokenInForce,
  toRefreshFamily,
} from '../../statements/signin/refresh-families.ts';
import { MAX_ENDED } from '../../statements/signin/sessions.ts';
import { guarded, type Step, settled, writeAll } from '../../transaction.ts';
import type { Bytes32 } from '../../values.ts';

/** Creates the store of refresh tokens over a driver. */
export function createRefreshTokenStore(driver: Driver, audit: AuditWriter): RefreshTokenStore {
  const end = async (lookupHash: Bytes32): Promise<boolean> => {
    const results = await writeAll(driver, endFamily(lookupHash));
    return results.at(-1)?.length === 1;
  };
  return {
    find: async (lookupHash, now) => {
      const [row] = await driver.read(familyByLookup(lookupHash, now));
      return row === undefined ? undefined : toRefreshFamily(row);
    },
    rotate: async (rotation, now) => {
      const { proof } = rotation;
      const steps: Step<'lost' | 'proof_used'>[] = [[rotateToken(rotation, now), 'lost']];
      if (proof !== undefined) steps.push([insertUsedProof(proof), 'proof_used']);
      const outcome = await settled<'rotated' | 'lost' | 'proof_used'>(driver, {
        write: () => guarded(driver, steps, 'rotated'),
        done: 'rotated',
        own: tokenInForce(rotation.lookupHash, rotation.to),
      });
      if (outcome !== 'lost') return outcome;
      return (await end(rotation.lookupHash)) ? 'replayed' : 'unknown';
    },
    end,
    page: async (clientId, limit, now, after) =>
      (await driver.scan(familyPage(clientId, limit, now, after))).map(toRefreshFamily),
    endByOperator: async (clientId, familyId) => {
      const after = { family: familyId === undefined ? 'all' : shortDigest(familyId) };
      const endAudited = async (ending: readonly Statement[]): Promise<number> => {
        // A family that does not exist leaves no row in the log.
        const statements = ending.map((statement, index) =>
          index === ending.length - 1 ? { ...statement, isGuard: true } : statement,
        );
        const outcome = await audit.write(statements, {
          ...{ action: 'refresh_tokens.revoked', target: clientId },
          after,
        });
        return outcome.ok ? (outcome.results.at(-1)?.length ?? 0) : 0;
      };
      if (familyId !== undefined) return await endAudited(endFamilyOf(clientId, familyId));
      return await removeAll((limit) => endAudited(endSomeFamilies(clientId, limit)), MAX_ENDED);
    },
  };
}
