import type { Statement } from '../../drivers/driver.ts';
import type { NewTransaction, PendingBound } from '../../model/store-signin.ts';

/** Holder of what all sign-ins take together. */
const ALL_SIGN_INS = '';
const MINUTE_MS = 60_000;
/** Rows among which the counts of one holder and minute are spread; on libsql, which has one writer, one would do. */
const SLOTS = 8;

/**
 * Bytes that every open sign-in is charged with beside its request and signal: the place of its wallet's answer (4096),
 * its request on the bridge (up to 1.5 KB for the longest names), and what else its rows and their indexes take.
 */
export const SIGN_IN_BYTES = 6144;

/** Bytes that a new sign-in is charged with. */
export function signInBytes({ request, first }: Pick<NewTransaction, 'request' | 'first'>): number {
  return Buffer.byteLength(request) + Buffer.byteLength(JSON.stringify(first.signal)) + SIGN_IN_BYTES;
}

/** Holder that stands for a network; no client has such an id. */
export function networkHolder(networkKey: string): string {
  return `network ${networkKey}`;
}

/** Counts a new sign-in for a holder, all sign-ins where none is given. */
export function addSignIn(row: NewTransaction, holder: string = ALL_SIGN_INS): Statement {
  const minute = Math.floor(row.expiresAt / MINUTE_MS);
  return {
    sql: 'insert into signin_usage as u (holder, minute, slot, sign_ins, bytes, expires_at) values ($1,$2,$3,1,$4,$5) on conflict (holder, minute, slot) do update set sign_ins = u.sign_ins + 1, bytes = u.bytes + excluded.bytes',
    params: [holder, minute, slotOf(row.txn), signInBytes(row), (minute + 1) * MINUTE_MS],
  };
}

/** Counts a sign-in no longer, for its client or for all sign-ins, before it is consumed. */
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
 * A guard that gives no row when the sign-ins of a holder that are counted are beyond a bound. An ended one is counted
 * until the end of its minute. Where several nodes write at once it may be passed by as many as are being written.
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

/** The slot of a sign-in, by the first character of its random id. */
function slotOf(txn: string): number {
  return txn.charCodeAt(0) % SLOTS;
}
