import { columns, integer, optional, type RowOf, text, word } from '../columns.ts';
import type { Driver, SqlRow, SqlValue, Statement } from '../drivers/driver.ts';
import { eachOf, guard, point, write } from '../sql.ts';
import type { BridgeMessage } from '../values.ts';

/**
 * Lifetime of an entry, which restarts when its request is taken and when it is answered
 * (spec/sign-in.md#bridge-calls).
 */
export const BRIDGE_LIFE_MS = 900_000;

const MESSAGE = columns({ iv: text, payload: text });

/** Columns of a charge to an address and its network, by the keys of `BridgeSender`. */
export const CHARGE = columns({ addressKey: text, networkKey: text, bytes: integer });
/** The address and network that a message is charged to. */
export type BridgeCharge = RowOf<typeof CHARGE>;

const ROW = columns({
  id: text,
  /** A request, whose message is null once it was taken, or a waiting answer. */
  kind: word(['request', 'response']),
  message: MESSAGE.together(),
  /** Null for an answer. */
  status: optional(word(['initialized', 'retrieved'])),
  /** Milliseconds since the epoch. */
  expiresAt: integer,
});
/** A row to write. */
export type BridgeRow = RowOf<typeof ROW>;
/** Kind of a row. */
export type BridgeKind = BridgeRow['kind'];
/** Status of the request of an id; an answered id has no status. */
export type BridgeStatus = NonNullable<BridgeRow['status']>;

const STORED_ROW = columns({ ...ROW.members, sizeBytes: integer });
const { kind, message, status, expiresAt } = ROW.members;
const TAKEN = columns({ message });
const SEEN = columns({
  kind,
  status,
  expiresAt,
  /** Null for a message of a sign-in of this service. */
  charge: CHARGE.together('c'),
});
/** A row as it was read, without its message. */
export interface SeenMessage extends RowOf<typeof SEEN> {
  readonly id: string;
}

/** Condition on a row of `bridge_messages`: it belongs to a sign-in of this service. */
export const UNCHARGED =
  'not exists (select 1 from bridge_charges c where c.id = bridge_messages.id and c.kind = bridge_messages.kind)';

const INSERT = `insert into bridge_messages (${STORED_ROW.list()}) values (${STORED_ROW.slots()})`;
/** Fails with an error if the id is taken. */
const insertNew = write(INSERT);
/** Fails if any row, ended or not, has the key of this one. */
const insertUnlessTaken = guard(`${INSERT} on conflict (id, kind) do nothing returning 1`);
/** Removes a row and returns its message; fails if the row has changed since it was read. */
const deleteSeen = eachOf(['charged', 'uncharged'], (charge) =>
  guard(
    `delete from bridge_messages where id = $1 and kind = $2 and expires_at = $3 and coalesce(status, '') = $4${charge === 'charged' ? '' : ` and ${UNCHARGED}`} returning ${TAKEN.list()}`,
  ),
);
/** Selects the rows of an id, ended or not: one or two. */
const rowsOfId = point(
  SEEN,
  `select ${SEEN.list('m')} from bridge_messages m left join bridge_charges c on c.id = m.id and c.kind = m.kind where m.id = $1`,
);
const deleteEnded = write(
  `delete from bridge_messages where (id, kind) in (select id, kind from bridge_messages where expires_at <= $1 and ${UNCHARGED} order by expires_at limit $2) returning 1`,
);

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
  return insertNew(...storedValues(row));
}

/** Writes a row; a guard that fails if any row, ended or not, has its key. */
export function insertMessage(row: BridgeRow): Statement {
  return insertUnlessTaken(...storedValues(row));
}

/**
 * Removes a row; a guard that fails if it is no longer as it was read, and returns a row for `toMessage`. If the message is
 * charged, a separate guard (`deleteSeenCharge`) removes the charge.
 */
export function deleteSeenMessage({ id, kind, status, expiresAt, charge }: SeenMessage): Statement {
  return deleteSeen[charge === null ? 'uncharged' : 'charged'](id, kind, expiresAt, status ?? '');
}

/** Reads a row of `deleteSeenMessage`: its message, if it had one. */
export function toMessage(row: SqlRow): BridgeMessage | undefined {
  return TAKEN.toRow(row).message ?? undefined;
}

/** Reads the rows of an id, ended or not, without their messages: one or two. */
export async function seenMessages(driver: Driver, id: string): Promise<SeenMessage[]> {
  return (await driver.read(rowsOfId(id))).map((row) => ({ id, ...row }));
}

/** Removes up to `limit` messages of sign-ins that have ended; returns one row for each. */
export function deleteEndedUncharged(now: number, limit: number): Statement {
  return deleteEnded(now, limit);
}

function storedValues(row: BridgeRow): SqlValue[] {
  return STORED_ROW.values({ ...row, sizeBytes: rowBytes(row) });
}
