import { ServiceError } from '../../errors/index.ts';
import type { Driver, SqlRow, Statement } from '../drivers/driver.ts';

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

/** Runs statements without guards in one transaction; returns the rows of each. */
export async function writeAll(driver: Driver, statements: readonly Statement[]): Promise<SqlRow[][]> {
  const outcome = await driver.write(statements);
  if (outcome.ok) return outcome.results;
  throw unexpectedGuard(statements[outcome.guard]);
}

/** Runs one statement durably; returns its first row, undefined if there is none or a guard failed. */
export async function writeOne(driver: Driver, statement: Statement): Promise<SqlRow | undefined> {
  const outcome = await driver.write([statement]);
  return outcome.ok ? outcome.results[0]?.[0] : undefined;
}

function unexpectedGuard(statement: Statement | undefined): ServiceError {
  return new ServiceError('store.failed', `a guard without a refusal failed: ${statement?.sql}`);
}
