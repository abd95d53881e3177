import { ServiceError } from '../errors/index.ts';
import type { Driver, Statement } from './drivers/driver.ts';
import { decideImport, type EnrolmentChange } from './enrolment-import.ts';
import { allOrNothing } from './guarded.ts';
import {
  activeEnrolments,
  enrolmentById,
  enrolmentsById,
  insertEnrolments,
  revokeEnrolment,
  toEnrolmentRow,
  updateEnrolment,
} from './statements/enrolments.ts';
import type { EnrolmentRow, EnrolmentStore } from './store-refresh.ts';

/** A lost race means that another process wrote the same records; it cannot go on doing so. */
const MAX_ROUNDS = 20;

/** Enrolments over a driver. */
export function createEnrolmentStore(driver: Driver): EnrolmentStore {
  return {
    find: async (idComm) => {
      const [row] = await driver.read(enrolmentById(idComm));
      return row === undefined ? undefined : toEnrolmentRow(row);
    },
    import: async (rows, { replaces, isDryRun }) => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const { outcomes, changes } = decideImport(rows, await readKnown(driver, rows), replaces);
        if (isDryRun || changes.length === 0) return outcomes;
        if (await allOrNothing(driver, writesOf(changes))) return outcomes;
      }
      throw new ServiceError(
        'store.unreachable',
        'other processes keep changing the enrolments of an import',
      );
    },
    revoke: async (idComm, updatedAt) => {
      const [, [row] = []] = await driver.write([revokeEnrolment(idComm, updatedAt), enrolmentById(idComm)]);
      return row === undefined ? undefined : toEnrolmentRow(row);
    },
  };
}

/** What the store knows of the identities and the signups of the rows. */
async function readKnown(driver: Driver, rows: readonly EnrolmentRow[]): Promise<EnrolmentRow[]> {
  const known: EnrolmentRow[] = [];
  const statements = [
    ...enrolmentsById(rows.map(({ idComm }) => idComm)),
    ...activeEnrolments(rows.map(({ signupId }) => signupId)),
  ];
  for (const statement of statements) known.push(...(await driver.read(statement)).map(toEnrolmentRow));
  return known;
}

/** The writes in order: a signup that one of them frees is there for the next. */
function writesOf(changes: readonly EnrolmentChange[]): Statement[] {
  const statements: Statement[] = [];
  const added: EnrolmentRow[] = [];
  const flush = (): void => {
    statements.push(...insertEnrolments(added.splice(0)));
  };
  for (const { from, to } of changes) {
    if (from === undefined) {
      added.push(to);
    } else {
      flush();
      statements.push(updateEnrolment(from, to));
    }
  }
  flush();
  return statements;
}
