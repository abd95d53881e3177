import type { SqlRow, Statement } from '../../drivers/driver.ts';
import type { BridgeStatus } from '../../model/store-bridge.ts';
import type { BridgeMessage } from '../../values.ts';
import { integerColumn, optionalTextColumn, textColumn, wordColumn } from '../columns.ts';

/** Kind of a row: a request, whose message is null once it was taken, or a waiting answer. */
export type BridgeKind = 'request' | 'response';

/** The address and network that a message is charged to, by the keys of `BridgeSender`. */
export interface BridgeCharge {
  readonly addressKey: string;
  readonly networkKey: string;
  readonly bytes: number;
}

/** A row to write. */
export interface BridgeRow {
  readonly id: string;
  readonly kind: BridgeKind;
  /** Null for a request that was taken. */
  readonly message: BridgeMessage | null;
  /** Null for an answer. */
  readonly status: BridgeStatus | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A row as it was read, without its message. */
export interface SeenMessage {
  readonly id: string;
  readonly kind: BridgeKind;
  readonly status: BridgeStatus | null;
  readonly expiresAt: number;
  /** Null for a message of a sign-in of this service. */
  readonly charge: BridgeCharge | null;
}

/**
 * Lifetime of an entry, which restarts when its request is taken and when it is answered
 * (spec/sign-in.md#bridge-calls).
 */
export const BRIDGE_LIFE_MS = 900_000;

const KINDS: readonly BridgeKind[] = ['request', 'response'];
const STATUSES: readonly BridgeStatus[] = ['initialized', 'retrieved'];

const INSERT =
  'insert into bridge_messages (id, kind, iv, payload, status, size_bytes, expires_at) values ($1,$2,$3,$4,$5,$6,$7)';

/** Builds the row of a request whose lifetime starts now. */
export function requestRow(
  id: string,
  message: BridgeMessage | null,
  status: BridgeStatus,
  now: number,
): BridgeRow {
  return { id, kind: 'request', message, status, expiresAt: now + BRIDGE_LIFE_MS };
}

/** Builds the row of an answer whose lifetime starts now. */
export function answerRow(id: string, message: BridgeMessage, now: number): BridgeRow {
  return { id, kind: 'response', message, status: null, expiresAt: now + BRIDGE_LIFE_MS };
}

/** Returns the bytes of the id and the message of a row. */
export function rowBytes({ id, message }: Pick<BridgeRow, 'id' | 'message'>): number {
  return Buffer.byteLength(id) + (message === null ? 0 : messageBytes(message));
}

/** Returns the bytes of a message. */
export function messageBytes({ iv, payload }: BridgeMessage): number {
  return Buffer.byteLength(iv) + Buffer.byteLength(payload);
}

/** Writes a row under a new id; fails if the id is taken. */
export function addMessage(row: BridgeRow): Statement {
  return { sql: INSERT, params: valuesOf(row) };
}

/** Writes a row; a guard that returns no row if any row, ended or not, has its key. */
export function insertMessage(row: BridgeRow): Statement {
  return {
    sql: `${INSERT} on conflict (id, kind) do nothing returning 1`,
    params: valuesOf(row),
    isGuard: true,
  };
}

/**
 * Removes a row if it is still as it was read; a guard that returns its message. If the message is charged, a
 * separate guard (`deleteSeenCharge`) removes the charge.
 */
export function deleteSeenMessage({ id, kind, status, expiresAt, charge }: SeenMessage): Statement {
  const isUncharged = charge === null ? ` and ${UNCHARGED}` : '';
  return {
    sql: `delete from bridge_messages where id = $1 and kind = $2 and expires_at = $3 and coalesce(status, '') = $4${isUncharged} returning iv, payload`,
    params: [id, kind, expiresAt, status ?? ''],
    isGuard: true,
  };
}

/** Condition on a row of `bridge_messages`: it belongs to a sign-in of this service. */
export const UNCHARGED =
  'not exists (select 1 from bridge_charges c where c.id = bridge_messages.id and c.kind = bridge_messages.kind)';

/** Selects the rows of an id, ended or not, without their messages: one or two. */
export function seenMessages(id: string): Statement {
  return {
    sql: 'select m.kind, m.status, m.expires_at, c.address_key, c.network_key, c.bytes from bridge_messages m left join bridge_charges c on c.id = m.id and c.kind = m.kind where m.id = $1',
    params: [id],
  };
}

/** Parses a row of `seenMessages`. */
export function toSeenMessage(id: string, row: SqlRow): SeenMessage {
  const status = row[1] === null ? null : wordColumn(STATUSES, row[1]);
  const addressKey = optionalTextColumn(row[3] ?? null);
  return {
    id,
    kind: wordColumn(KINDS, row[0]),
    status,
    expiresAt: integerColumn(row[2]),
    charge:
      addressKey === null
        ? null
        : { addressKey, networkKey: textColumn(row[4]), bytes: integerColumn(row[5]) },
  };
}

/** Parses a row of `deleteSeenMessage`. */
export function toBridgeMessage(row: SqlRow): BridgeMessage {
  return { iv: textColumn(row[0]), payload: textColumn(row[1]) };
}

/** Removes up to `limit` messages of sign-ins that have ended; returns one row for each. */
export function deleteEndedUncharged(now: number, limit: number): Statement {
  return {
    sql: `delete from bridge_messages where (id, kind) in (select id, kind from bridge_messages where expires_at <= $1 and ${UNCHARGED} order by expires_at limit $2) returning 1`,
    params: [now, limit],
  };
}

function valuesOf(row: BridgeRow): Statement['params'] {
  const { id, kind, message, status, expiresAt } = row;
  const { iv = null, payload = null } = message ?? {};
  return [id, kind, iv, payload, status, rowBytes(row), expiresAt];
}
