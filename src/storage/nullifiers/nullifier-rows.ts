import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';
import { bytes, columns, integer, named, type RowOf, text, word } from '../columns.ts';
import { valueFault } from '../drivers/bind.ts';
import { ENVIRONMENTS } from '../values.ts';

/** Columns of an action. */
export const ACTION = columns({
  appId: text,
  environment: word(ENVIRONMENTS),
  action: text,
  description: named('action_description', text),
  /** SHA-256 of the action. */
  hash: named('action_hash', bytes),
  /** Time at which it was first seen, in milliseconds since the epoch. */
  createdAt: integer,
});

/** Columns that the rows of one statement share. */
export const PLACE = columns({ environment: word(ENVIRONMENTS), appId: text, action: text });
/** Columns of a nullifier in addition to its place. */
export const WRITTEN = columns({
  nullifier: bytes,
  /** Milliseconds since the epoch. */
  createdAt: integer,
  requestId: text,
  /**
   * Distinguishes the row of an entry from all others, also from those with the same request id, which a proxy may
   * repeat: identifies the writer of a stored row.
   */
  rowId: text,
});

/** One nullifier to record, with the data of its action (spec/verification.md#nullifier-record). */
export interface NullifierEntry extends RowOf<typeof PLACE>, Omit<RowOf<typeof WRITTEN>, 'rowId'> {
  readonly actionDescription: string;
}

/** Outcome of a recording: whether the nullifier was new, and the `created_at` of its row. */
export interface NullifierRecord {
  readonly isNew: boolean;
  readonly createdAt: number;
}

const NULLIFIER_BYTES = 32;
const START_BYTES = 6;
/** Begins the row ids of this process; 72 random bits. */
const PROCESS_ID = randomBytes(9).toString('base64url');
let rowCount = 0;

/** A checked entry; its nullifier is a copy of the caller's. */
export interface NullifierRow extends NullifierEntry {
  /** First six bytes of the nullifier as a number: enough to order nearly any two nullifiers. */
  readonly start: number;
  /** `WRITTEN.rowId`. */
  readonly rowId: string;
}

/** Rows that one statement writes; all have the same environment, app and action. */
export type NullifierBatch = [NullifierRow, ...NullifierRow[]];

/**
 * Checks an entry before it joins a group: one invalid value would fail the whole group.
 *
 * @throws ServiceError `store.invalid_value`
 */
export function toRow(entry: NullifierEntry): NullifierRow {
  const { environment, nullifier, createdAt, appId, action, actionDescription, requestId } = entry;
  if (!ENVIRONMENTS.includes(environment)) {
    throw new ServiceError('store.invalid_value', 'environment must be production or staging');
  }
  if (!(nullifier instanceof Uint8Array) || nullifier.length !== NULLIFIER_BYTES) {
    throw new ServiceError('store.invalid_value', `a nullifier must be ${NULLIFIER_BYTES} bytes`);
  }
  if (!Number.isSafeInteger(createdAt)) {
    throw new ServiceError('store.invalid_value', 'createdAt must be whole milliseconds');
  }
  checkText('appId', appId);
  checkText('action', action);
  checkText('actionDescription', actionDescription);
  checkText('requestId', requestId);
  const copy = Buffer.from(nullifier);
  const start = copy.readUIntBE(0, START_BYTES);
  const rowId = `${PROCESS_ID}.${(rowCount++).toString(36)}`;
  return {
    nullifier: copy,
    start,
    rowId,
    environment,
    createdAt,
    appId,
    action,
    actionDescription,
    requestId,
  };
}

function checkText(name: string, value: unknown): void {
  const fault = typeof value === 'string' ? valueFault(value) : 'must be text';
  if (fault !== undefined) throw new ServiceError('store.invalid_value', `${name} ${fault}`);
}

/** Returns a map key, unique for each environment and nullifier. */
export function nullifierKey(environment: string, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return `${Buffer.from(buffer, byteOffset, byteLength).toString('latin1')} ${environment}`;
}

/** The rows of a group to write and, for each repeated nullifier, the earlier row. */
export interface DistinctRows {
  /**
   * In the order of environment, app, action and nullifier: two overlapping groups write their common rows in
   * the same order, so they cannot deadlock on an engine with row locks. A nullifier belongs to one app and
   * action, so sorting by app and action first keeps that order consistent.
   */
  readonly sorted: readonly NullifierRow[];
  readonly repeats: ReadonlyMap<NullifierRow, NullifierRow>;
}

/** Finds the first row of each nullifier of an environment. */
export function distinctRows(rows: readonly NullifierRow[]): DistinctRows {
  const distinct: NullifierRow[] = [];
  const repeats = new Map<NullifierRow, NullifierRow>();
  // The sort is stable: of equal nullifiers, the first to arrive comes first.
  for (const row of rows.toSorted(compareNullifiers)) {
    const last = distinct.at(-1);
    if (last !== undefined && compareNullifiers(last, row) === 0) repeats.set(row, last);
    else distinct.push(row);
  }
  const [first] = distinct;
  const isOnePlace = distinct.every((row) => first !== undefined && comparePlaces(first, row) === 0);
  return { sorted: isOnePlace ? distinct : distinct.sort(compareAll), repeats };
}

/**
 * Divides sorted rows into statements.
 *
 * @param maxRows - Most rows of a statement; a power of two.
 * @param anyRows - Up to so many rows make one statement.
 */
export function toBatches(sorted: readonly NullifierRow[], maxRows: number, anyRows = 1): NullifierBatch[] {
  return alike(sorted).flatMap((run) => (run.length <= anyRows ? [run] : inPowersOfTwo(run, maxRows)));
}

/** Splits rows into runs that one statement could write. */
function alike(rows: readonly NullifierRow[]): NullifierBatch[] {
  const runs: NullifierBatch[] = [];
  let run: NullifierBatch | undefined;
  for (const row of rows) {
    if (run !== undefined && comparePlaces(run[0], row) === 0) run.push(row);
    else {
      run = [row];
      runs.push(run);
    }
  }
  return runs;
}

/** Splits a run into powers of two, so that few different statements have to be prepared. */
function inPowersOfTwo(rows: NullifierBatch, maxRows: number): NullifierBatch[] {
  const batches: NullifierBatch[] = [];
  let size = maxRows;
  for (let at = 0; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    batches.push(rows.slice(at, at + size) as NullifierBatch);
  }
  return batches;
}

function compareNullifiers(one: NullifierRow, other: NullifierRow): number {
  return (
    one.start - other.start ||
    Buffer.compare(one.nullifier, other.nullifier) ||
    compare(one.environment, other.environment)
  );
}

function compareAll(one: NullifierRow, other: NullifierRow): number {
  return comparePlaces(one, other) || compareNullifiers(one, other);
}

function comparePlaces(one: NullifierRow, other: NullifierRow): number {
  return (
    compare(one.environment, other.environment) ||
    compare(one.appId, other.appId) ||
    compare(one.action, other.action)
  );
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Returns the SHA-256 under which an action is stored. */
export function actionHash(action: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(action).digest());
}
