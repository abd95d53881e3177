import type { SqlRow, Statement, WriteOutcome } from '../driver.ts';
import { OutcomeUnknownError } from '../outcome-unknown.ts';
import { type PostgresFailure, postgresFailure } from './postgres-failure.ts';
import type { PipelineOutcome, PostgresSession, Query, Reply } from './postgres-session.ts';

/** A failure that left no trace: the same work may be tried again. */
export class NotCommitted extends Error {
  readonly failure: PostgresFailure;

  constructor(failure: PostgresFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const BEGIN: Query = { text: 'begin' };
const COMMIT: Query = { text: 'commit' };
const ROLLBACK: Query = { text: 'rollback' };
/**
 * Between two pipelines a transaction holds its locks. If this process is stopped there, the server ends the transaction.
 * Set for the transaction only: poolers refuse it as a start-up parameter.
 */
const LIMIT_IDLE: Query = { text: 'set local idle_in_transaction_session_timeout = 5000' };

/**
 * Runs statements in one transaction. They are sent in pipelines, each up to the next guard: statements behind a guard
 * that does not hold would take locks in another order than those of other transactions. Without a guard there is one
 * pipeline.
 *
 * @throws NotCommitted, OutcomeUnknownError
 */
export async function runTransaction(
  session: PostgresSession,
  statements: readonly Statement[],
  limitMs: number,
): Promise<WriteOutcome> {
  const [first] = statements;
  if (first === undefined) return { ok: true, results: [] };
  if (statements.length === 1 && first.mustChange === undefined && session.opening.length === 0) {
    return runSingle(session, first, limitMs);
  }
  const end = performance.now() + limitMs;
  const remainingMs = (): number => Math.max(1, end - performance.now());
  const results: SqlRow[][] = [];
  let opening = [BEGIN, ...session.opening, ...(statements.some(isGuard) ? [LIMIT_IDLE] : [])];
  while (results.length < statements.length) {
    const pipeline = upToGuard(statements, results.length);
    const last = pipeline.at(-1) as Statement;
    const isCommitting = results.length + pipeline.length === statements.length && !isGuard(last);
    const closing = isCommitting ? [COMMIT] : [];
    const outcome = await session.sendPipeline(
      [...opening, ...pipeline.map(toQuery), ...closing],
      remainingMs(),
    );
    if (isCommitting) checkCommit(outcome);
    else await checkPipeline(session, outcome, remainingMs());
    const replies = outcome.replies.slice(opening.length, opening.length + pipeline.length);
    opening = [];
    results.push(...replies.map(({ rows }) => rows));
    if (!holds(last, replies.at(-1) as Reply)) {
      await rollBack(session, remainingMs());
      return { ok: false, guard: results.length - 1 };
    }
    if (isCommitting) return { ok: true, results };
  }
  checkCommit(await session.sendPipeline([COMMIT], remainingMs()));
  return { ok: true, results };
}

/**
 * Runs a statement that commits nothing, or nothing that matters twice.
 *
 * @throws NotCommitted
 */
export async function runAlone(
  session: PostgresSession,
  query: Query,
  limitMs: number,
  opening: readonly Query[] = session.opening,
): Promise<SqlRow[]> {
  const before = opening.length === 0 ? [] : [BEGIN, ...opening];
  const after = opening.length === 0 ? [] : [COMMIT];
  const { error, replies } = await session.sendPipeline([...before, query, ...after], limitMs);
  if (error !== undefined) throw new NotCommitted(postgresFailure(error));
  return replies[before.length]?.rows ?? [];
}

/** Converts a statement whose values have passed `bind`. */
export function toQuery({ sql, params }: Statement): Query {
  return { text: sql, values: params };
}

/** Runs a statement in a transaction of its own, which the server commits before its answer. */
async function runSingle(
  session: PostgresSession,
  statement: Statement,
  limitMs: number,
): Promise<WriteOutcome> {
  const outcome = await session.sendPipeline([toQuery(statement)], limitMs);
  checkOutcome(outcome);
  const reply = outcome.replies[0] as Reply;
  return holds(statement, reply) ? { ok: true, results: [reply.rows] } : { ok: false, guard: 0 };
}

/** Returns the statements from an index up to and including the next guard. */
function upToGuard(statements: readonly Statement[], from: number): readonly Statement[] {
  const guard = statements.findIndex((statement, index) => index >= from && isGuard(statement));
  return statements.slice(from, guard < 0 ? undefined : guard + 1);
}

function isGuard({ isGuard, mustChange }: Statement): boolean {
  return isGuard === true || mustChange !== undefined;
}

function holds({ isGuard, mustChange }: Statement, { rows, count }: Reply): boolean {
  if (mustChange !== undefined) return count >= mustChange;
  return isGuard !== true || rows.length > 0;
}

/** Checks a pipeline that ends with a commit. */
function checkCommit(outcome: PipelineOutcome): void {
  checkOutcome(outcome);
  const tag = outcome.replies.at(-1)?.tag;
  if (tag !== 'COMMIT') throw new OutcomeUnknownError(`PostgreSQL answered a commit with ${tag}`);
}

/** Checks a pipeline that commits, by its last statement or as its only one. */
function checkOutcome({ error, isWaitCancelled }: PipelineOutcome): void {
  if (error !== undefined) {
    const failure = postgresFailure(error);
    if (failure.isCommitUnclear) throw new OutcomeUnknownError(`PostgreSQL: ${failure.message}`);
    throw new NotCommitted(failure);
  }
  if (isWaitCancelled) {
    throw new OutcomeUnknownError('PostgreSQL: the wait for a standby was cancelled');
  }
}

/** Checks a pipeline within a transaction; rolls back if a statement failed. */
async function checkPipeline(
  session: PostgresSession,
  { error }: PipelineOutcome,
  limitMs: number,
): Promise<void> {
  if (error === undefined) return;
  const failure = postgresFailure(error);
  if (!failure.isConnectionLost) await rollBack(session, limitMs);
  throw new NotCommitted(failure);
}

/** Rolls back; a session on which that fails is cut, and the server rolls back. */
async function rollBack(session: PostgresSession, limitMs: number): Promise<void> {
  const { error } = await session.sendPipeline([ROLLBACK], limitMs);
  if (error !== undefined) session.destroy();
}
