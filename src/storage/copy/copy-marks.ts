import { randomUUID } from 'node:crypto';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { columns, integer, optional, type RowOf, text, word } from '../columns.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import { guard, point, write } from '../sql.ts';

const MARK = columns({
  /** Role of the store in the copy: source or target of the rows. */
  role: word(['source', 'target']),
  /** Id of the copy, the same in both stores. */
  copyId: text,
  /** Set while the store must not be served: milliseconds since the epoch. */
  closedAt: optional(integer),
});
/** The part of a store in a copy; a store has at most one mark for each role. */
export type CopyMark = RowOf<typeof MARK>;
const STORED_MARK = columns({ ...MARK.members, holder: text });

const allMarks = point(MARK, `select ${MARK.list()} from store_copies`);
const putMark = write(
  `insert into store_copies (${STORED_MARK.list()}) values (${STORED_MARK.slots()}) on conflict (role) do update set ${STORED_MARK.replaced('role')}`,
);
/** Fails once another process copies to this store, or the copy is finished. */
const holdTarget = guard(
  "update store_copies set holder = $1 where role = 'target' and holder = $1 and closed_at is not null returning 1",
);
/** Opens the finished target for service. */
const openTarget = write("update store_copies set closed_at = null where role = 'target'");
const deleteMark = write('delete from store_copies where role = $1');

/** Writes the mark of a role; `holder` is the process that copies. */
export function putCopyMark(mark: CopyMark, holder: string): Statement {
  return putMark(...STORED_MARK.values({ ...mark, holder }));
}

/**
 * Refuses a store that must not be used: one that was moved to another, or an unfinished copy.
 *
 * @throws ServiceError `store.moved`, `store.copy_unfinished`
 */
export async function refuseClosed(driver: Driver): Promise<void> {
  const { source, target } = await marksByRole(driver);
  if (isClosed(target)) throw new ServiceError('store.copy_unfinished');
  if (isClosed(source)) throw new ServiceError('store.moved');
}

/** The right of this process to write to the target of a copy. */
export interface CopyClaim {
  /** A guard of every transaction that writes to the target. */
  readonly guard: Statement;
  /** Takes the source out of service from this time on, or with null puts it back. */
  closeSource(closedAt: number | null): Promise<void>;
  /** Opens the target for service; the source remains out of service, unless `keepsSource`. */
  finish(keepsSource: boolean): Promise<void>;
}

/**
 * Marks two stores as source and target of a copy, and takes the copy over from any other process.
 *
 * @param isEmpty - Whether the target has no rows.
 * @throws ServiceError `copy.target_in_service` for a target with rows that are not of the source, `store.moved` and
 * `store.copy_unfinished` for a source that must not be used
 */
export async function claimCopy(
  source: Driver,
  target: Driver,
  isEmpty: boolean,
  now: number,
): Promise<CopyClaim> {
  const ofSource = await marksByRole(source);
  const ofTarget = await marksByRole(target);
  const isResumed = isClosed(ofTarget.target) && isPair(ofSource.source, ofTarget.target);
  // The target was moved to the source before, and no node has served it since.
  const isWayBack = isClosed(ofTarget.source) && isPair(ofTarget.source, ofSource.target);
  if (isClosed(ofSource.target)) throw new ServiceError('store.copy_unfinished');
  if (isClosed(ofSource.source) && !isResumed) throw new ServiceError('store.moved');
  if (!isEmpty && !isResumed && !isWayBack) throw new ServiceError('copy.target_in_service');
  const copyId = (isResumed ? ofTarget.target?.copyId : undefined) ?? randomUUID();
  const holder = randomUUID();
  // In this order: a target whose mark has no counterpart could not be resumed.
  if (!isResumed) await source.write([putCopyMark({ role: 'source', copyId, closedAt: null }, holder)]);
  await target.write([putCopyMark({ role: 'target', copyId, closedAt: now }, holder), deleteMark('source')]);
  return {
    guard: holdTarget(holder),
    closeSource: async (closedAt) => {
      await source.write([putCopyMark({ role: 'source', copyId, closedAt }, holder)]);
    },
    finish: async (keepsSource) => {
      const { ok } = await target.write([holdTarget(holder), openTarget()]);
      if (!ok) throw new ServiceError('copy.taken_over');
      if (keepsSource) await source.write([deleteMark('source')]);
    },
  };
}

/**
 * Puts a store that was moved to another back into service.
 *
 * @returns False if it was not moved.
 */
export async function reopenSource(driver: Driver): Promise<boolean> {
  const { source } = await marksByRole(driver);
  if (!isClosed(source)) return false;
  await driver.write([deleteMark('source')]);
  return true;
}

async function marksByRole(driver: Driver): Promise<Partial<Record<CopyMark['role'], CopyMark>>> {
  try {
    const marks = await driver.read(allMarks());
    return Object.fromEntries(marks.map((mark) => [mark.role, mark]));
  } catch (error) {
    if (isServiceError(error, 'store.migrations_pending')) return {};
    throw error;
  }
}

function isPair(one: CopyMark | undefined, other: CopyMark | undefined): boolean {
  return one !== undefined && one.copyId === other?.copyId;
}

function isClosed(mark: CopyMark | undefined): mark is CopyMark {
  return mark !== undefined && mark.closedAt !== null;
}
