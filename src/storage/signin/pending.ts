import type { Statement } from '../drivers/driver.ts';
import { eachOf, guard, write } from '../sql.ts';
import type { Step } from '../transaction.ts';

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
const SIGN_IN_BYTES = 6144;

/** Bound of the open sign-ins: those that have neither expired nor had their code redeemed. */
export interface PendingBound {
  readonly maxSignIns: number;
  /** Bytes of requests and signals, plus 6144 for each sign-in. */
  readonly maxBytes: number;
}

/** Bounds of open sign-ins, over all nodes. An expired sign-in counts until the end of its minute. */
export interface PendingBounds {
  readonly all: PendingBound;
  /** For the client of the sign-in. */
  readonly client: PendingBound;
  /** For the network that begins it; also counts redeemed sign-ins: no row names the network. */
  readonly network: (PendingBound & { readonly networkKey: string }) | undefined;
}

/** Outcome of an addition that a bound refuses. */
export type PendingRefusal = 'network_full' | 'client_full' | 'full';

/** An open sign-in or a pushed request, for the counts. */
export interface PendingEntry {
  /** A number that differs between entries, so that they are spread over rows. */
  readonly seed: number;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Members of a sign-in by which it is counted. */
export interface CountedSignIn {
  readonly txn: string;
  readonly request: string;
  readonly signal: string;
  readonly expiresAt: number;
}

const addCount = write(
  'insert into signin_usage as u (holder, minute, slot, sign_ins, bytes, expires_at) values ($1,$2,$3,1,$4,$5) on conflict (holder, minute, slot) do update set sign_ins = u.sign_ins + 1, bytes = u.bytes + excluded.bytes',
);
/**
 * Fails if the counted sign-ins and pushed requests of a holder exceed a bound. An ended sign-in is counted until the end
 * of its minute. If several nodes write concurrently, the bound may be exceeded by the writes in flight.
 */
const withinBound = guard(
  'select 1 from (select sum(sign_ins) as sign_ins, sum(bytes) as bytes from signin_usage where holder = $1 and minute >= $2) as held where sign_ins <= $3 and bytes <= $4',
);
const ofSignIn = (expression: string): string =>
  `(select ${expression} from signin_transactions where txn = $1)`;
const HOLDERS = { client: ofSignIn('client_id'), all: `'${ALL_SIGN_INS}'` };
const subtractFrom = eachOf(['client', 'all'], (holder) =>
  write(
    `update signin_usage set sign_ins = sign_ins - 1, bytes = bytes - ${ofSignIn(`octet_length(request) + octet_length(signal) + ${SIGN_IN_BYTES}`)} where holder = ${HOLDERS[holder]} and minute = ${ofSignIn(`expires_at / ${MINUTE_MS}`)} and slot = $2`,
  ),
);
const eraseSignIn = write(
  `update signin_transactions set ended = 'redeemed', request = '', signal = '""', code = null, sub = null, level = null, auth_time = null, evidence = null, ask = null, known_hash = null, agreed = null where txn = $1 and state = 'consumed'`,
);

/**
 * Counts an open sign-in or a pushed request and checks the bounds; every transaction updates the counts in the same
 * order.
 */
export function pendingSteps(
  { seed, bytes, expiresAt }: PendingEntry,
  clientId: string,
  { network, client, all }: PendingBounds,
  now: number,
): Step<PendingRefusal>[] {
  const minute = Math.floor(expiresAt / MINUTE_MS);
  const counted = (
    holder: string,
    { maxSignIns, maxBytes }: PendingBound,
    refusal: PendingRefusal,
  ): Step<PendingRefusal>[] => [
    [addCount(holder, minute, seed % SLOTS, bytes, (minute + 1) * MINUTE_MS)],
    [withinBound(holder, Math.floor(now / MINUTE_MS), maxSignIns, maxBytes), refusal],
  ];
  return [
    // No client has the id of such a holder.
    ...(network === undefined ? [] : counted(`network ${network.networkKey}`, network, 'network_full')),
    ...counted(clientId, client, 'client_full'),
    ...counted(ALL_SIGN_INS, all, 'full'),
  ];
}

/** Returns how a new sign-in is counted. */
export function pendingSignIn({ txn, request, signal, expiresAt }: CountedSignIn): PendingEntry {
  const bytes = Buffer.byteLength(request) + Buffer.byteLength(JSON.stringify(signal)) + SIGN_IN_BYTES;
  return { seed: seedOf(txn), bytes, expiresAt };
}

/**
 * Erases a sign-in whose code is redeemed: what is left is small, so that it need not be counted any more. Does nothing
 * about a sign-in that is over.
 */
export function closeSignIn(txn: string): Statement[] {
  const slot = seedOf(txn) % SLOTS;
  return [subtractFrom.client(txn, slot), subtractFrom.all(txn, slot), eraseSignIn(txn)];
}

/** Returns the seed of a sign-in, by the first character of its random id. */
function seedOf(txn: string): number {
  return txn.charCodeAt(0);
}
