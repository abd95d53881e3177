import { ServiceError } from '../errors/index.ts';
import { valueFault } from './drivers/bind.ts';
import { ENVIRONMENTS } from './statements/roots.ts';
import type { NullifierEntry } from './store.ts';

const NULLIFIER_BYTES = 32;
/** The longest statement; the fewer there are, the less a row costs. */
const MAX_BATCH_ROWS = 64;

/** An entry that can be written. It keeps nothing of the caller's buffer: its key has the nullifier. */
export interface NullifierRow extends Omit<NullifierEntry, 'nullifier'> {
  /** Text that is equal for equal environments and nullifiers alone: the nullifier in hex, then the environment. */
  readonly key: string;
}

/** Rows that one statement writes: of one environment, app and action, each with a request id of its own. */
export type NullifierBatch = [NullifierRow, ...NullifierRow[]];

/**
 * Checks an entry. One bad value must not fail the others of its group, so that a row is checked before it joins.
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
  const key = nullifierKey(environment, nullifier);
  return { key, environment, createdAt, appId, action, actionDescription, requestId };
}

/** The nullifier of a row, 32 bytes. */
export function nullifierOf({ key }: NullifierRow): Uint8Array {
  return Buffer.from(key.slice(0, NULLIFIER_BYTES * 2), 'hex');
}

function checkText(name: string, value: unknown): void {
  const fault = typeof value === 'string' ? valueFault(value) : 'must be text';
  if (fault !== undefined) throw new ServiceError('store.invalid_value', `${name} ${fault}`);
}

/** The key of a row by what it is made of. */
export function nullifierKey(environment: string, { buffer, byteOffset, byteLength }: Uint8Array): string {
  return `${Buffer.from(buffer, byteOffset, byteLength).toString('hex')} ${environment}`;
}

/**
 * Divides rows with different keys into statements. They are in the order of environment, app, action and key: two
 * groups that overlap write what they have in common in the same order, and cannot wait for each other on an engine
 * with row locks. A nullifier belongs to one app and action, so that app and action change nothing in that order.
 */
export function toBatches(rows: readonly NullifierRow[]): NullifierBatch[] {
  const [first] = rows;
  const isOnePlace = rows.every((row) => first !== undefined && comparePlaces(first, row) === 0);
  const sorted = rows.toSorted(isOnePlace ? byKey : byPlaceAndKey);
  return alike(sorted).flatMap(inPowersOfTwo);
}

/** Runs of rows that one statement could write. */
function alike(rows: readonly NullifierRow[]): NullifierBatch[] {
  const runs: NullifierBatch[] = [];
  let run: NullifierBatch | undefined;
  let requestIds = new Set<string>();
  for (const row of rows) {
    if (run !== undefined && comparePlaces(run[0], row) === 0 && !requestIds.has(row.requestId))
      run.push(row);
    else {
      run = [row];
      requestIds = new Set();
      runs.push(run);
    }
    requestIds.add(row.requestId);
  }
  return runs;
}

/** Each length of statement is a text to prepare: with those of 64, 32, 16 … rows there are seven. */
function inPowersOfTwo(rows: NullifierBatch): NullifierBatch[] {
  const batches: NullifierBatch[] = [];
  let size = MAX_BATCH_ROWS;
  for (let at = 0; at < rows.length; at += size) {
    while (size > rows.length - at) size /= 2;
    batches.push(rows.slice(at, at + size) as NullifierBatch);
  }
  return batches;
}

function byKey(one: NullifierRow, other: NullifierRow): number {
  return compare(one.key, other.key);
}

function byPlaceAndKey(one: NullifierRow, other: NullifierRow): number {
  return comparePlaces(one, other) || compare(one.key, other.key);
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
