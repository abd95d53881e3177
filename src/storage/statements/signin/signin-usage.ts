import type { Statement } from '../../drivers/driver.ts';
import type { PushedRequestRow } from '../../model/store-pushed.ts';
import type { NewTransaction, PendingBound } from '../../model/store-signin.ts';

/** Holder of the total over all sign-ins. */
const ALL_SIGN_INS = '';
const MINUTE_MS = 60_000;
/** Rows over which counts of one holder and minute are spread; libsql, with one writer, needs only one. */
const SLOTS = 8;

/**
 * Bytes that every open sign-in is charged with in addition to its request and signal: the space for the
 * wallet's answer (4096), its request on the bridge (up to 1.5 KB for the longest names), and the rest of its
 * rows and indexes.
 */
export const SIGN_IN_BYTES = 6144;

/** Bytes that every pushed request is charged with in addition to its parameters: the rest of its row and indexes. */
export const PUSHED_REQUEST_BYTES = 512;

/** An open sign-in or a pushed request, as it is counted. */
export interface UsageEntry {
  readonly slot: number;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Returns the bytes that a new sign-in is charged with. */
export function signInBytes({ request, first }: Pick<NewTransaction, 'request' | 'first'>): number {
  return Buffer.byteLength(request) + Buffer.byteLength(JSON.stringify(first.signal)) + SIGN_IN_BYTES;
}

/** Returns the holder of a network; no client has such an id. */
export function networkHolder(networkKey: string): string {
  return `network ${networkKey}`;
}

/** Returns how a new sign-in is counted. */
export function usageOfSignIn(row: NewTransaction): UsageEntry {
  return { slot: slotOf(row.txn), bytes: signInBytes(row), expiresAt: row.expiresAt };
}

/** Returns how a pushed request is counted. */
export function usageOfPushed({ referenceHash, parameters, expiresAt }: PushedRequestRow): UsageEntry {
  return {
    slot: (referenceHash[0] ?? 0) % SLOTS,
    bytes: Buffer.byteLength(parameters) + PUSHED_REQUEST_BYTES,
    expiresAt,
  };
}

/** Counts an entry for a holder; without one, in the total. */
export function addUsage({ slot, bytes, expiresAt }: UsageEntry, holder: string = ALL_SIGN_INS): Statement {
  const minute = Math.floor(expiresAt / MINUTE_MS);
  return {
    sql: 'insert into signin_usage as u (holder, minute, slot, sign_ins, bytes, expires_at) values ($1,$2,$3,1,$4,$5) on conflict (holder, minute, slot) do update set sign_ins = u.sign_ins + 1, bytes = u.bytes + excluded.bytes',
    params: [holder, minute, slot, bytes, (minute + 1) * MINUTE_MS],
  };
}

/** Subtracts a sign-in from the counts of its client, or from the total, before it is consumed. */
export function subtractSignIn(txn: string, isOfClient: boolean): Statement {
  const column = (expression: string): string =>
    `(select ${expression} from signin_transactions where txn = $1)`;
  const holder = isOfClient ? column('client_id') : `'${ALL_SIGN_INS}'`;
  const bytes = column(`octet_length(request) + octet_length(signal) + ${SIGN_IN_BYTES}`);
  return {
    sql: `update signin_usage set sign_ins = sign_ins - 1, bytes = bytes - ${bytes} where holder = ${holder} and minute = ${column(`expires_at / ${MINUTE_MS}`)} and slot = $2`,
    params: [txn, slotOf(txn)],
  };
}

/**
 * A guard that returns no row if the counted sign-ins and pushed requests of a holder exceed a bound. An ended sign-in is counted
 * until the end of its minute. If several nodes write concurrently, the bound may be exceeded by the writes
 * in flight.
 */
export function withinPending(
  { maxSignIns, maxBytes }: PendingBound,
  now: number,
  holder: string = ALL_SIGN_INS,
): Statement {
  return {
    sql: 'select 1 from (select sum(sign_ins) as sign_ins, sum(bytes) as bytes from signin_usage where holder = $1 and minute >= $2) as held where sign_ins <= $3 and bytes <= $4',
    params: [holder, Math.floor(now / MINUTE_MS), maxSignIns, maxBytes],
    isGuard: true,
  };
}

/** Returns the slot of a sign-in, by the first character of its random id. */
function slotOf(txn: string): number {
  return txn.charCodeAt(0) % SLOTS;
}
