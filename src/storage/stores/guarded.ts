import type { Driver, SqlRow, Statement } from '../drivers/driver.ts';

/** A statement of a transaction and, for a guard, the word for what it means when it gives no row. */
export type Step<Refusal extends string> = readonly [statement: Statement, refusal?: Refusal];

/** Runs statements in one transaction; gives the word of the guard that ended it, or `done`. */
export async function guarded<Refusal extends string, Done extends string>(
  driver: Driver,
  steps: readonly Step<Refusal>[],
  done: Done,
): Promise<Refusal | Done> {
  const results = await driver.write(steps.map(([statement]) => statement));
  const last = steps[results.length - 1];
  const hasEnded = last?.[0].isGuard === true && results.at(-1)?.length === 0;
  return hasEnded && last[1] !== undefined ? last[1] : done;
}

/** Runs statements in one transaction; false when a guard ended it. */
export async function allOrNothing(driver: Driver, statements: readonly Statement[]): Promise<boolean> {
  const results = await driver.write(statements);
  const last = statements[results.length - 1];
  return !(last?.isGuard === true && results.at(-1)?.length === 0);
}

/** Runs one statement durably; gives its first row. */
export async function writeOne(driver: Driver, statement: Statement): Promise<SqlRow | undefined> {
  const [rows = []] = await driver.write([statement]);
  return rows[0];
}
