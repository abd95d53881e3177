import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { BridgeLimits, BridgeSender } from '../../model/store-bridge.ts';
import { integerColumn, textColumn } from '../columns.ts';
import { type BridgeCharge, type BridgeKind, type SeenMessage, UNCHARGED } from './bridge.ts';

/**
 * What a charge is for: a message of a stranger, under its own kind; or an answer to a sign-in of this
 * service that is larger than the space reserved for it. Its sender is charged, while the message itself
 * belongs to the sign-in.
 */
export type ChargeKind = BridgeKind | 'sign_in_answer';

/** A charge to write. */
export interface ChargeRow extends BridgeCharge {
  readonly id: string;
  readonly kind: ChargeKind;
  /** End of the message, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Messages and bytes that an address, a network, or all networks hold. */
export interface BridgeUsage {
  readonly entries: number;
  readonly bytes: number;
}

/** Key of the usage of all networks together. */
export const ALL_NETWORKS = '';

const OLDEST =
  '(select id, kind, bytes from bridge_charges where network_key = $1 and expires_at <= $2 order by expires_at, id, kind limit $3) as oldest';

/** Adds a charge. */
export function insertCharge(row: ChargeRow): Statement {
  return {
    sql: 'insert into bridge_charges (id, kind, address_key, network_key, bytes, expires_at) values ($1,$2,$3,$4,$5,$6)',
    params: [row.id, row.kind, row.addressKey, row.networkKey, row.bytes, row.expiresAt],
  };
}

/** Removes the charge of a message if it is still as it was read; a guard. */
export function deleteSeenCharge({ id, kind, expiresAt }: SeenMessage, charge: BridgeCharge): Statement {
  return {
    sql: 'delete from bridge_charges where id = $1 and kind = $2 and expires_at = $3 and address_key = $4 and network_key = $5 and bytes = $6 returning 1',
    params: [id, kind, expiresAt, charge.addressKey, charge.networkKey, charge.bytes],
    isGuard: true,
  };
}

/** Adds a positive or negative amount to the usage of a network; waits for other such transactions. */
export function addUsage(networkKey: string, { entries, bytes }: BridgeUsage): Statement {
  return {
    sql: 'insert into bridge_usage as u (network_key, entries, bytes) values ($1,$2,$3) on conflict (network_key) do update set entries = u.entries + excluded.entries, bytes = u.bytes + excluded.bytes',
    params: [networkKey, entries, bytes],
  };
}

/** Removes the usage row of a network, or of all networks, if it holds nothing. */
export function dropEmptyUsage(networkKey: string): Statement {
  return { sql: 'delete from bridge_usage where network_key = $1 and entries = 0', params: [networkKey] };
}

/** A guard that returns no row if the live messages of an address, plus `more`, exceed its share. */
export function withinShare({ addressKey, limits }: BridgeSender, more: BridgeUsage, now: number): Statement {
  const { maxEntriesPerAddress, maxBytesPerAddress } = limits;
  return {
    sql: 'select 1 from (select count(*) as entries, coalesce(sum(bytes), 0) as bytes from bridge_charges where address_key = $1 and expires_at > $2) as held where entries + $3 <= $4 and bytes + $5 <= $6',
    params: [addressKey, now, more.entries, maxEntriesPerAddress, more.bytes, maxBytesPerAddress],
    isGuard: true,
  };
}

/** Selects when the oldest live message of an address ends; returns no row if it has none. */
export function firstEndOfAddress(addressKey: string, now: number): Statement {
  return {
    sql: 'select expires_at from bridge_charges where address_key = $1 and expires_at > $2 order by expires_at limit 1',
    params: [addressKey, now],
  };
}

/** A guard that returns no row if the messages of all strangers exceed the bounds. */
export function withinBridge({ maxEntries, maxBytes }: BridgeLimits): Statement {
  return {
    sql: 'select 1 from bridge_usage where network_key = $1 and entries <= $2 and bytes <= $3',
    params: [ALL_NETWORKS, maxEntries, maxBytes],
    isGuard: true,
  };
}

/** Selects the usage of a network; returns no row if it holds nothing. */
export function networkUsage(networkKey: string): Statement {
  return { sql: 'select entries, bytes from bridge_usage where network_key = $1', params: [networkKey] };
}

/** Parses a row of `networkUsage`; no row means no usage. */
export function toUsage(row: SqlRow | undefined): BridgeUsage {
  if (row === undefined) return { entries: 0, bytes: 0 };
  return { entries: integerColumn(row[0]), bytes: integerColumn(row[1]) };
}

/** Selects the key of the network that holds the most entries, or the most bytes. */
export function largestNetwork(by: keyof BridgeUsage): Statement {
  return {
    sql: `select network_key from bridge_usage where network_key <> $1 order by ${by} desc, network_key desc limit 1`,
    params: [ALL_NETWORKS],
  };
}

/** Selects the bytes of the oldest messages of a network, the oldest first. */
export function oldestBytes(networkKey: string, limit: number): Statement {
  return { sql: `select bytes from ${OLDEST}`, params: [networkKey, Number.MAX_SAFE_INTEGER, limit] };
}

/** Selects the networks of the first `limit` messages that have ended. */
export function networksWithEnded(now: number, limit: number): Statement {
  return {
    sql: 'select distinct network_key from (select network_key from bridge_charges where expires_at <= $1 order by expires_at limit $2) as ended',
    params: [now, limit],
  };
}

/** Parses a row of `networksWithEnded` or `largestNetwork`. */
export function toNetworkKey(row: SqlRow): string {
  return textColumn(row[0]);
}

/**
 * Removes the oldest messages of a network with their charges; the last statement returns one row for each.
 *
 * @param until - Removes only messages that end by this time, in milliseconds since the epoch.
 */
export function releaseOldest(networkKey: string, until: number, limit: number): Statement[] {
  const params = [networkKey, until, limit];
  const subtract = (key: string): Statement => ({
    sql: `update bridge_usage set entries = entries - (select count(*) from ${OLDEST}), bytes = bytes - (select coalesce(sum(bytes), 0) from ${OLDEST}) where network_key = ${key}`,
    params,
  });
  return [
    // Takes the lock first: the following statements see everything that was committed during the wait.
    addUsage(networkKey, { entries: 0, bytes: 0 }),
    subtract('$1'),
    dropEmptyUsage(networkKey),
    { sql: `delete from bridge_messages where (id, kind) in (select id, kind from ${OLDEST})`, params },
    {
      sql: `delete from bridge_messages where kind = 'response' and id in (select id from ${OLDEST} where kind = 'sign_in_answer') and ${UNCHARGED}`,
      params,
    },
    subtract(`'${ALL_NETWORKS}'`),
    dropEmptyUsage(ALL_NETWORKS),
    {
      sql: `delete from bridge_charges where (id, kind) in (select id, kind from ${OLDEST}) returning 1`,
      params,
    },
  ];
}
