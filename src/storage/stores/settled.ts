import type { Driver, Statement } from '../drivers/driver.ts';
import { OutcomeUnknownError } from '../drivers/outcome-unknown.ts';
import { addMark } from '../statements/marks.ts';
import { allOrNothing } from './guarded.ts';

/** A transaction whose outcome can be found out later. */
export interface Settleable<Outcome> {
  readonly write: () => Promise<Outcome>;
  /** Outcome of a commit. */
  readonly done: Outcome;
  /** Selects a row that only this transaction writes. */
  readonly own: Statement;
}

/**
 * Runs a transaction and, if its outcome is unknown, finds out by a row that only this transaction writes.
 *
 * If the row is missing, the transaction runs once more: the first one may still be committed, and then the guard of
 * the second fails, and the row is there. Reading is not enough, since a server may show a row that its standby does not
 * have: a further commit waits for it.
 */
export async function settled<Outcome>(
  driver: Driver,
  { write, done, own }: Settleable<Outcome>,
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
