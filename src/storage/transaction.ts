import { ServiceError } from '../errors/service-error.ts';
import {
  type Driver,
  type Read,
  type RowsQuery,
  rowsOf,
  type SqlRow,
  type Statement,
} from './drivers/driver.ts';
import { OutcomeUnknownError } from './drivers/outcome-unknown.ts';
import { write } from './sql.ts';

/** A statement of a transaction and, for a guard, the refusal that its failure means. */
export type Step<Refusal extends string> = readonly [statement: Statement, refusal?: Refusal];

/** Runs statements in one transaction; returns the refusal of the guard that failed, or `done`. */
export async function guarded<Refusal extends string, Done extends string>(
  driver: Driver,
  steps: readonly Step<Refusal>[],
  done: Done,
): Promise<Refusal | Done> {
  const outcome = await driver.write(steps.map(([statement]) => statement));
  return outcome.ok ? done : refusalOf(steps, outcome.guard);
}

/** Returns the refusal of the guard at an index. */
export function refusalOf<Refusal extends string>(steps: readonly Step<Refusal>[], guard: number): Refusal {
  const [statement, refusal] = steps[guard] ?? [];
  if (refusal === undefined) throw unexpectedGuard(statement);
  return refusal;
}

/** Runs statements in one transaction; returns false if a guard failed. */
export async function allOrNothing(driver: Driver, statements: readonly Statement[]): Promise<boolean> {
  return (await driver.write(statements)).ok;
}

/** Rows of each statement of a transaction. */
export type RowsOfAll<S extends readonly Statement[]> = {
  readonly [Index in keyof S]: (S[Index] extends RowsQuery<infer Row> ? Row : SqlRow)[];
};

/** Runs statements without guards in one transaction; returns the rows of each. */
export async function writeAll<const S extends readonly Statement[]>(
  driver: Driver,
  statements: S,
): Promise<RowsOfAll<S>> {
  const outcome = await driver.write(statements);
  if (!outcome.ok) throw unexpectedGuard(statements[outcome.guard]);
  return rowsOfAll(statements, outcome.results);
}

/** Returns the rows of each statement as its columns describe them. */
export function rowsOfAll<const S extends readonly Statement[]>(
  statements: S,
  results: readonly SqlRow[][],
): RowsOfAll<S> {
  const rows = results.map((values, index) => rowsOf(statements[index] as Read<unknown>, values));
  return rows as unknown as RowsOfAll<S>;
}

/** Runs one statement durably; returns its first row, undefined if there is none or a guard failed. */
export async function writeOne<Row = SqlRow>(driver: Driver, query: Read<Row>): Promise<Row | undefined> {
  const outcome = await driver.write([query]);
  return outcome.ok ? rowsOf(query, outcome.results[0] ?? [])[0] : undefined;
}

function unexpectedGuard(statement: Statement | undefined): ServiceError {
  return new ServiceError('store.failed', `a guard without a refusal failed: ${statement?.sql}`);
}

/** A transaction whose outcome can be determined later. */
export interface VerifiableTransaction<Outcome> {
  readonly write: () => Promise<Outcome>;
  /** Outcome of a commit. */
  readonly done: Outcome;
  /** Selects a row that only this transaction writes. */
  readonly own: Statement;
}

/**
 * Runs a transaction and, if its outcome is unknown, determines it from a row that only this transaction writes.
 *
 * If the row is missing, the transaction runs once more: the first one may still be committed, and then the guard of
 * the second fails, and the row is there. Reading is not enough, since a server may show a row that its standby does
 * not have: a further commit waits for it.
 */
export async function settled<Outcome>(
  driver: Driver,
  { write, done, own }: VerifiableTransaction<Outcome>,
): Promise<Outcome> {
  const isWritten = (): Promise<boolean> =>
    allOrNothing(driver, [{ ...own, isGuard: true }, addMark('settlement')]);
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof OutcomeUnknownError)) throw error;
    if (await isWritten()) return done;
    const outcome = await write();
    return outcome !== done && (await isWritten()) ? done : outcome;
  }
}

/** Purpose of a mark: a probe of the store, or the commit after one with unknown outcome. */
export type MarkName = 'probe' | 'settlement';

/** Rows of each name: writers seldom wait for each other's commit. */
const SLOTS = 16;

const putMark = write(
  'insert into store_marks as m (name, marks) values ($1,1) on conflict (name) do update set marks = m.marks + 1',
);

/** Changes a row that nothing depends on: a real, durable write. */
export function addMark(name: MarkName): Statement {
  return putMark(`${name} ${Math.floor(Math.random() * SLOTS)}`);
}
