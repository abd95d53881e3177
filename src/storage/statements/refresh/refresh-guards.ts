import type { Statement } from '../../drivers/driver.ts';
import type { Bytes32 } from '../../values.ts';

const SWITCH = 'refresh';
const ATTEMPTS_KEPT_MINUTES = 2;
const MINUTE_MS = 60_000;

/** Selects one row if an address has made this many attempts in a minute. */
export function attemptsReached(addressKey: string, minute: number, limit: number): Statement {
  return {
    sql: 'select 1 from refresh_attempts where address_key = $1 and minute = $2 and attempts >= $3',
    params: [addressKey, minute, limit],
  };
}

/** Counts an attempt; a guard that returns no row if the limit, at least 1, is reached. */
export function addAttempt(addressKey: string, minute: number, limit: number): Statement {
  return {
    sql: 'insert into refresh_attempts as t (address_key, minute, attempts, expires_at) values ($1,$2,1,$3) on conflict (address_key, minute) do update set attempts = t.attempts + 1 where t.attempts < $4 returning 1',
    params: [addressKey, minute, (minute + ATTEMPTS_KEPT_MINUTES) * MINUTE_MS, limit],
    isGuard: true,
  };
}

/** Adds a challenge. */
export function insertChallenge(hash: Bytes32, expiresAt: number): Statement {
  return {
    sql: 'insert into refresh_challenges (challenge_hash, expires_at) values ($1,$2)',
    params: [hash, expiresAt],
  };
}

/** Selects one row if a challenge exists and has not expired. */
export function liveChallenge(hash: Bytes32, now: number): Statement {
  return {
    sql: 'select 1 from refresh_challenges where challenge_hash = $1 and expires_at > $2',
    params: [hash, now],
  };
}

/** Removes a live challenge; a guard that returns no row if there is none. */
export function deleteChallenge(hash: Bytes32, now: number): Statement {
  return {
    sql: 'delete from refresh_challenges where challenge_hash = $1 and expires_at > $2 returning 1',
    params: [hash, now],
    isGuard: true,
  };
}

/** Selects one row if refresh is switched off. */
export function switchedOff(): Statement {
  return { sql: 'select 1 from service_switches where name = $1 and off_at is not null', params: [SWITCH] };
}

/** Switches refresh on or off. */
export function putSwitch(isOn: boolean, at: number): Statement {
  return {
    sql: 'insert into service_switches (name, off_at, updated_at) values ($1,$2,$3) on conflict (name) do update set off_at = excluded.off_at, updated_at = excluded.updated_at',
    params: [SWITCH, isOn ? null : at, at],
  };
}
