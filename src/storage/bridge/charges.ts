import { columns, integer, NO_COLUMNS, type RowOf, text, word } from '../columns.ts';
import type { Driver, SqlValue, Statement } from '../drivers/driver.ts';
import { eachOf, guard, point, write } from '../sql.ts';
import { writeAll } from '../transaction.ts';
import { type BridgeCharge, CHARGE, type SeenMessage, UNCHARGED } from './messages.ts';

/** Key of the usage of all networks together. */
const ALL_NETWORKS = '';
/** Most messages that one transaction removes to make room. */
const MAX_RELEASED = 64;
/** A network must make room if it holds at least this many times what the new sender's network will hold. */
const FAIR_FACTOR = 2;

/**
 * Bounds of what strangers can store, over all nodes: in live messages, taken requests included, and in bytes of id, iv
 * and payload. A request is charged with 4096 additional bytes, the space for its answer.
 */
export interface BridgeLimits {
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly maxEntriesPerAddress: number;
  readonly maxBytesPerAddress: number;
}

/** Sender of a message, and the bounds that apply. */
export interface BridgeSender {
  /** Key of the client address whose share is charged. */
  readonly addressKey: string;
  /** Key of the address's network; networks that hold much make room for those that hold little. */
  readonly networkKey: string;
  readonly limits: BridgeLimits;
}

/**
 * Reason why a message is refused: the share of the address is full, or external senders have filled the bridge.
 */
export type BridgeRefusal = 'share_full' | 'full';

const CHARGE_ROW = columns({
  id: text,
  /**
   * Subject of a charge: a message of an external sender, under its own kind; or an answer to a sign-in of this
   * service that is larger than the space reserved for it. Its sender is charged, while the message itself belongs to
   * the sign-in.
   */
  kind: word(['request', 'response', 'sign_in_answer']),
  ...CHARGE.members,
  /** End of the message, in milliseconds since the epoch. */
  expiresAt: integer,
});
/** A charge to write. */
export type ChargeRow = RowOf<typeof CHARGE_ROW>;
const { networkKey, bytes, expiresAt } = CHARGE_ROW.members;
const NETWORK = columns({ networkKey });
const SIZE = columns({ bytes });
const END = columns({ expiresAt });

const USAGE = columns({ entries: integer, bytes: integer });
/** Messages and bytes that an address, a network, or all networks hold. */
export type BridgeUsage = RowOf<typeof USAGE>;
const NOTHING: BridgeUsage = { entries: 0, bytes: 0 };

const insertChargeRow = write(
  `insert into bridge_charges (${CHARGE_ROW.list()}) values (${CHARGE_ROW.slots()})`,
);
const deleteSeen = guard(
  'delete from bridge_charges where id = $1 and kind = $2 and expires_at = $3 and address_key = $4 and network_key = $5 and bytes = $6 returning 1',
);
const addAmount = write(
  `insert into bridge_usage as u (network_key, ${USAGE.list()}) values ($1,$2,$3) on conflict (network_key) do update set entries = u.entries + excluded.entries, bytes = u.bytes + excluded.bytes`,
);
const dropEmpty = write('delete from bridge_usage where network_key = $1 and entries = 0');
const WITHIN_SHARE =
  'select 1 from (select count(*) as entries, coalesce(sum(bytes), 0) as bytes from bridge_charges where address_key = $1 and expires_at > $2) as held where entries + $3 <= $4 and bytes + $5 <= $6';
const hasRoomInShare = point(NO_COLUMNS, WITHIN_SHARE);
const isWithinShare = guard(WITHIN_SHARE);
const firstEnd = point(
  END,
  `select ${END.list()} from bridge_charges where address_key = $1 and expires_at > $2 order by expires_at limit 1`,
);
const isWithinBridge = guard(
  'select 1 from bridge_usage where network_key = $1 and entries <= $2 and bytes <= $3',
);
/** Returns no row if the network has no entries. */
const networkUsage = point(USAGE, `select ${USAGE.list()} from bridge_usage where network_key = $1`);
/** Selects the network that holds the most entries, or the most bytes. */
const largestNetwork = eachOf(['entries', 'bytes'], (by) =>
  point(
    NETWORK,
    `select ${NETWORK.list()} from bridge_usage where network_key <> $1 order by ${by} desc, network_key desc limit 1`,
  ),
);
/** Selects the networks of the first messages that have ended. */
const networksWithEnded = point(
  NETWORK,
  `select distinct ${NETWORK.list()} from (select network_key from bridge_charges where expires_at <= $1 order by expires_at limit $2) as ended`,
);
/** The oldest messages of a network, of those that end by a time. */
const OLDEST =
  '(select id, kind, bytes from bridge_charges where network_key = $1 and expires_at <= $2 order by expires_at, id, kind limit $3) as oldest';
const oldestSizes = point(SIZE, `select ${SIZE.list()} from ${OLDEST}`);
const subtractOldest = eachOf(['network', 'all'], (usage) =>
  write(
    `update bridge_usage set entries = entries - (select count(*) from ${OLDEST}), bytes = bytes - (select coalesce(sum(bytes), 0) from ${OLDEST}) where network_key = ${usage === 'network' ? '$1' : `'${ALL_NETWORKS}'`}`,
  ),
);
const deleteOldest = write(
  `delete from bridge_messages where (id, kind) in (select id, kind from ${OLDEST})`,
);
const deleteOldestAnswers = write(
  `delete from bridge_messages where kind = 'response' and id in (select id from ${OLDEST} where kind = 'sign_in_answer') and ${UNCHARGED}`,
);
const deleteOldestCharges = write(
  `delete from bridge_charges where (id, kind) in (select id, kind from ${OLDEST}) returning 1`,
);

/** Adds a charge. */
export function insertCharge(row: ChargeRow): Statement {
  return insertChargeRow(...CHARGE_ROW.values(row));
}

/** Removes the charge of a message; a guard that fails if it has changed since it was read. */
export function deleteSeenCharge({ id, kind, expiresAt }: SeenMessage, charge: BridgeCharge): Statement {
  return deleteSeen(id, kind, expiresAt, ...CHARGE.values(charge));
}

/** Adds a positive or negative amount to the usage of a network; waits for other such transactions. */
export function addUsage(networkKey: string, amount: BridgeUsage): Statement[] {
  const add = addAmount(networkKey, ...USAGE.values(amount));
  return amount.entries < 0 ? [add, dropEmpty(networkKey)] : [add];
}

/** Adds an amount to the usage of all strangers, like `addUsage`. */
export function addTotalUsage(amount: BridgeUsage): Statement[] {
  return addUsage(ALL_NETWORKS, amount);
}

/** A guard that fails if the live messages of an address exceed its share. */
export function withinShare(sender: BridgeSender, now: number): Statement {
  return isWithinShare(...shareValues(sender, now, NOTHING));
}

/** Whether the live messages of an address, plus `more`, are beyond its share. */
export async function isBeyondShare(
  driver: Driver,
  sender: BridgeSender,
  now: number,
  more: BridgeUsage,
): Promise<boolean> {
  return (await driver.read(hasRoomInShare(...shareValues(sender, now, more)))).length === 0;
}

function shareValues({ addressKey, limits }: BridgeSender, now: number, more: BridgeUsage): SqlValue[] {
  const { maxEntriesPerAddress, maxBytesPerAddress } = limits;
  return [addressKey, now, more.entries, maxEntriesPerAddress, more.bytes, maxBytesPerAddress];
}

/** A guard that fails if the messages of all strangers exceed the bounds. */
export function withinBridge({ maxEntries, maxBytes }: BridgeLimits): Statement {
  return isWithinBridge(ALL_NETWORKS, maxEntries, maxBytes);
}

/** Returns when the oldest live message of an address ends; undefined if it has none. */
export async function firstEndOfAddress(
  driver: Driver,
  addressKey: string,
  now: number,
): Promise<number | undefined> {
  return (await driver.read(firstEnd(addressKey, now)))[0]?.expiresAt;
}

/** Whether the usage of all strangers, with an addition, exceeds the bounds. */
export async function isBeyond(driver: Driver, added: BridgeUsage, limits: BridgeLimits): Promise<boolean> {
  return isMore(excessOf(await usageOf(driver, ALL_NETWORKS), added, limits));
}

/** Whether a usage grows in entries or bytes. */
export function isMore({ entries, bytes }: BridgeUsage): boolean {
  return entries > 0 || bytes > 0;
}

/**
 * Makes room on a bridge that external senders have filled: removes messages that have ended or, if there are
 * none, the oldest messages of the network with the most usage, in favour of a network with clearly less. Networks with
 * similar usage never make room for each other, so an attacker who fills the bridge gains nothing by retrying.
 *
 * @param needed - Usage to be added for `sender`.
 * @returns Number of removed live messages, or undefined if no room can be made.
 */
export async function makeRoom(
  driver: Driver,
  needed: BridgeUsage,
  sender: BridgeSender,
  now: number,
): Promise<number | undefined> {
  if ((await releaseEnded(driver, now, MAX_RELEASED)) > 0) return 0;
  const excess = excessOf(await usageOf(driver, ALL_NETWORKS), needed, sender.limits);
  if (!isMore(excess)) return 0;
  const scarce = excess.entries > 0 ? 'entries' : 'bytes';
  const own = await usageOf(driver, sender.networkKey);
  const [largest] = await driver.read(largestNetwork[scarce](ALL_NETWORKS));
  if (largest === undefined) return undefined;
  const held = await usageOf(driver, largest.networkKey);
  if (held[scarce] < FAIR_FACTOR * (own[scarce] + needed[scarce])) return undefined;
  const count = await countOldest(driver, largest.networkKey, excess);
  return await release(driver, largest.networkKey, Number.MAX_SAFE_INTEGER, count);
}

/**
 * Removes messages of strangers that have ended: finds the networks of the first `limit` of them and removes
 * up to `limit` messages of each network. Returns the number of removed messages.
 */
export async function releaseEnded(driver: Driver, now: number, limit: number): Promise<number> {
  let count = 0;
  for (const { networkKey } of await driver.read(networksWithEnded(now, limit))) {
    count += await release(driver, networkKey, now, limit);
  }
  return count;
}

/** Reads the usage of a network, or of all. */
async function usageOf(driver: Driver, networkKey: string): Promise<BridgeUsage> {
  return (await driver.read(networkUsage(networkKey)))[0] ?? NOTHING;
}

function excessOf(
  held: BridgeUsage,
  added: BridgeUsage,
  { maxEntries, maxBytes }: BridgeLimits,
): BridgeUsage {
  return {
    entries: held.entries + added.entries - maxEntries,
    bytes: held.bytes + added.bytes - maxBytes,
  };
}

/** Counts the oldest messages of a network that must be removed to end an excess. */
async function countOldest(driver: Driver, networkKey: string, excess: BridgeUsage): Promise<number> {
  const sizes = await driver.read(oldestSizes(networkKey, Number.MAX_SAFE_INTEGER, MAX_RELEASED));
  let freed = 0;
  let count = 0;
  for (const { bytes } of sizes) {
    if (count >= excess.entries && freed >= excess.bytes) break;
    freed += bytes;
    count++;
  }
  return count;
}

/**
 * Removes the oldest messages of a network with their charges.
 *
 * @param until - Removes only messages that end by this time, in milliseconds since the epoch.
 * @returns Number of removed messages.
 */
async function release(driver: Driver, networkKey: string, until: number, limit: number): Promise<number> {
  const oldest = [networkKey, until, limit];
  const results = await writeAll(driver, [
    // Takes the lock first: the following statements see everything that was committed during the wait.
    ...addUsage(networkKey, NOTHING),
    subtractOldest.network(...oldest),
    dropEmpty(networkKey),
    deleteOldest(...oldest),
    deleteOldestAnswers(...oldest),
    subtractOldest.all(...oldest),
    dropEmpty(ALL_NETWORKS),
    deleteOldestCharges(...oldest),
  ]);
  return results.at(-1)?.length ?? 0;
}
