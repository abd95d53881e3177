import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAll } from '../audit/audit-writer.ts';
import { NO_COLUMNS } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';
import { allOrNothing } from '../transaction.ts';
import type { Bytes32 } from '../values.ts';

const SWITCH = 'refresh';
const ATTEMPTS_KEPT_MINUTES = 2;
const MINUTE_MS = 60_000;

const attemptsReached = point(
  NO_COLUMNS,
  'select 1 from refresh_attempts where address_key = $1 and minute = $2 and attempts >= $3',
);
/** Counts an attempt; fails if the limit, at least 1, is reached. */
const addAttempt = guard(
  'insert into refresh_attempts as t (address_key, minute, attempts, expires_at) values ($1,$2,1,$3) on conflict (address_key, minute) do update set attempts = t.attempts + 1 where t.attempts < $4 returning 1',
);
const insertChallenge = write('insert into refresh_challenges (challenge_hash, expires_at) values ($1,$2)');
const liveChallenge = point(
  NO_COLUMNS,
  'select 1 from refresh_challenges where challenge_hash = $1 and expires_at > $2',
);
/** Fails if there is no such challenge, or it has expired. */
const deleteChallenge = guard(
  'delete from refresh_challenges where challenge_hash = $1 and expires_at > $2 returning 1',
);
const switchedOff = point(
  NO_COLUMNS,
  'select 1 from service_switches where name = $1 and off_at is not null',
);
const putSwitch = write(
  'insert into service_switches (name, off_at, updated_at) values ($1,$2,$3) on conflict (name) do update set off_at = excluded.off_at, updated_at = excluded.updated_at',
);

/** Counters and challenges of refresh, shared by all nodes. A write is durable when it resolves. */
export type RefreshGuardStore = ReturnType<typeof createRefreshGuardStore>;

/** Creates the store of refresh counters, challenges and the refresh switch over a driver. */
export function createRefreshGuardStore(driver: Driver, audit: AuditWriter) {
  return {
    /**
     * Counts one attempt of an address in a minute, unless `limit` attempts are counted already.
     *
     * @param addressKey - Address as rate limits take it (IPv6: its /64).
     * @param minute - Minutes since the epoch.
     * @returns False if the limit was reached; the attempt is then not counted.
     */
    async countAttempt(addressKey: string, minute: number, limit: number): Promise<boolean> {
      if (limit < 1) return false;
      // A flood from one address is answered without the writer.
      const reached = await driver.read(attemptsReached(addressKey, minute, limit));
      if (reached.length > 0) return false;
      const expiresAt = (minute + ATTEMPTS_KEPT_MINUTES) * MINUTE_MS;
      return allOrNothing(driver, [addAttempt(addressKey, minute, expiresAt, limit)]);
    },
    /** Stores a challenge until its end. @param hash - SHA-256 of its 32 bytes. */
    async addChallenge(hash: Bytes32, expiresAt: number): Promise<void> {
      await driver.write([insertChallenge(hash, expiresAt)]);
    },
    hasChallenge: async (hash: Bytes32, now: number): Promise<boolean> =>
      (await driver.read(liveChallenge(hash, now))).length > 0,
    /** Removes a live challenge; of concurrent callers exactly one gets true. */
    takeChallenge: (hash: Bytes32, now: number): Promise<boolean> =>
      allOrNothing(driver, [deleteChallenge(hash, now)]),
    /** Whether issuance is switched on; true until an operator switches it off. */
    isSwitchedOn: async (): Promise<boolean> => (await driver.read(switchedOff(SWITCH))).length === 0,
    async switch(isOn: boolean, at: number): Promise<void> {
      const change = { action: 'refresh.switched', target: 'refresh', after: { enabled: isOn } };
      await auditAll(audit, [putSwitch(SWITCH, isOn ? null : at, at)], change);
    },
  };
}
