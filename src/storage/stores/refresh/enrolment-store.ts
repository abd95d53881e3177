import { ServiceError } from '../../../errors/service-error.ts';
import type { AuditWriter } from '../../audit/audit-log.ts';
import { shortDigest } from '../../audit/audit-writer.ts';
import type { Driver, Statement } from '../../drivers/driver.ts';
import type { EnrolmentRow, EnrolmentStore } from '../../model/store-refresh.ts';
import { integerColumn } from '../../statements/columns.ts';
import {
  activeEnrolments,
  anyEnrolmentVersion,
  enrolmentById,
  enrolmentPage,
  enrolmentsById,
  enrolmentVersion,
  nextEnrolmentVersion,
  putEnrolments,
  revokeEnrolment,
  toEnrolmentRow,
} from '../../statements/refresh/enrolments.ts';
import { decideImport } from './enrolment-import.ts';

/** Each lost race is a change by another process: this many in a row indicate a fault. */
const MAX_ROUNDS = 1000;

/** Creates the enrolment store over a driver. An import writes only if the version is as it was read. */
export function createEnrolmentStore(driver: Driver, audit: AuditWriter): EnrolmentStore {
  return {
    find: async (idComm) => {
      const [row] = await driver.read(enrolmentById(idComm));
      return row === undefined ? undefined : toEnrolmentRow(row);
    },
    page: async (limit, after) => (await driver.read(enrolmentPage(limit, after))).map(toEnrolmentRow),
    import: async (rows, { replaces, isDryRun }) => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [version] = await driver.read(enrolmentVersion());
        const { outcomes, writes } = decideImport(rows, await readKnown(driver, rows), replaces);
        const statements = writes.flatMap(putEnrolments);
        if (isDryRun || statements.length === 0) return outcomes;
        const guard = nextEnrolmentVersion(integerColumn(version?.[0] ?? 0));
        const after = { rows: rows.length, written: writes.flat().length, replaces };
        const change = { action: 'signups.imported', target: 'signups', after };
        if ((await audit.write([guard, ...statements], change)).ok) return outcomes;
      }
      throw new ServiceError('store.unreachable', 'other processes keep changing enrolments');
    },
    revoke: async (idComm, updatedAt) => {
      const statements = [anyEnrolmentVersion(), revokeEnrolment(idComm, updatedAt), enrolmentById(idComm)];
      // The identity itself stays out of the log, which is kept forever.
      const change = { action: 'signup.revoked', target: `signup:${shortDigest(idComm)}` };
      const outcome = await audit.write(statements, change);
      const row = outcome.ok ? outcome.results.at(-1)?.[0] : undefined;
      return row === undefined ? undefined : toEnrolmentRow(row);
    },
  };
}

/** Reads the stored enrolments of the rows' identities, and the active ones with the rows' signups. */
async function readKnown(driver: Driver, rows: readonly EnrolmentRow[]): Promise<EnrolmentRow[]> {
  const known = await readAll(driver, enrolmentsById(rows.map(({ idComm }) => idComm)));
  // A signup held by an identity of the import needs no second lookup: most rows of a repeated import.
  const held = new Set(known.flatMap(({ status, signupId }) => (status === 'active' ? [signupId] : [])));
  const open = rows.flatMap(({ signupId }) => (held.has(signupId) ? [] : [signupId]));
  known.push(...(await readAll(driver, activeEnrolments(open))));
  return known;
}

async function readAll(driver: Driver, statements: readonly Statement[]): Promise<EnrolmentRow[]> {
  const rows: EnrolmentRow[] = [];
  for (const statement of statements) rows.push(...(await driver.read(statement)).map(toEnrolmentRow));
  return rows;
}
