import type { SqlRow, SqlValue, Statement } from '../../drivers/driver.ts';
import type { EnrolmentRow, RecordStatus } from '../../model/store-refresh.ts';
import { keysTemplate, rowsTemplate } from '../../sql.ts';
import type { Bytes32 } from '../../values.ts';
import { bytesColumn, integerColumn, textColumn, wordColumn } from '../columns.ts';

const COLUMNS = 'id_comm, signup_id, orb_id, enrolled_at, status, updated_at';
const VERSION_NAME = 'signup';

/** States of a record that an operator keeps. */
export const RECORD_STATUSES: readonly RecordStatus[] = ['active', 'revoked'];

const putRows = rowsTemplate(
  6,
  (list) =>
    `insert into signup (${COLUMNS}) values ${list} on conflict (id_comm) do update set signup_id = excluded.signup_id, orb_id = excluded.orb_id, enrolled_at = excluded.enrolled_at, status = excluded.status, updated_at = excluded.updated_at`,
);

const selectByIdComm = keysTemplate(0, (list) => `select ${COLUMNS} from signup where id_comm in (${list})`);

const selectActive = keysTemplate(
  0,
  (list) => `select ${COLUMNS} from signup where status = 'active' and signup_id in (${list})`,
);

/** Selects the number of changes to enrolments; returns no row before the first change. */
export function enrolmentVersion(): Statement {
  return { sql: 'select version from record_versions where name = $1', params: [VERSION_NAME] };
}

/** Counts a change; a guard that returns no row if the version is not `from` (0 before the first change). */
export function nextEnrolmentVersion(from: number): Statement {
  return {
    sql: 'insert into record_versions as t (name, version) values ($1,1) on conflict (name) do update set version = t.version + 1 where t.version = $2 returning 1',
    params: [VERSION_NAME, from],
    isGuard: true,
  };
}

/** Counts a change unconditionally. */
export function anyEnrolmentVersion(): Statement {
  return {
    sql: 'insert into record_versions as t (name, version) values ($1,1) on conflict (name) do update set version = t.version + 1',
    params: [VERSION_NAME],
  };
}

/** Selects one page of enrolments after an identity. */
export function enrolmentPage(limit: number, after: Bytes32 = new Uint8Array(0)): Statement {
  return {
    sql: `select ${COLUMNS} from signup where id_comm > $1 order by id_comm limit $2`,
    params: [after, limit],
  };
}

/** Selects the enrolment of an identity. */
export function enrolmentById(idComm: Bytes32): Statement {
  return { sql: `select ${COLUMNS} from signup where id_comm = $1`, params: [idComm] };
}

/** Selects the enrolments of these identities. */
export function enrolmentsById(idComms: readonly Bytes32[]): Statement[] {
  return selectByIdComm([], idComms);
}

/** Selects the active enrolments with these signup ids. */
export function activeEnrolments(signupIds: readonly string[]): Statement[] {
  return selectActive([], signupIds);
}

/** Adds enrolments or overwrites them, in order. No identity may occur twice. */
export function putEnrolments(rows: readonly EnrolmentRow[]): Statement[] {
  return putRows(
    rows.map(({ idComm, signupId, orbId, enrolledAt, status, updatedAt }): SqlValue[] => [
      idComm,
      signupId,
      orbId,
      enrolledAt,
      status,
      updatedAt,
    ]),
  );
}

/** Sets an active enrolment to revoked. */
export function revokeEnrolment(idComm: Bytes32, updatedAt: number): Statement {
  return {
    sql: "update signup set status = 'revoked', updated_at = $2 where id_comm = $1 and status = 'active'",
    params: [idComm, updatedAt],
  };
}

/** A guard that returns no row if the identity has no active enrolment. */
export function isEnrolled(idComm: Bytes32): Statement {
  return {
    sql: "select 1 from signup where id_comm = $1 and status = 'active'",
    params: [idComm],
    isGuard: true,
  };
}

/** Parses a row of the statements that select enrolments. */
export function toEnrolmentRow(row: SqlRow): EnrolmentRow {
  return {
    idComm: bytesColumn(row[0]),
    signupId: textColumn(row[1]),
    orbId: textColumn(row[2]),
    enrolledAt: integerColumn(row[3]),
    status: wordColumn(RECORD_STATUSES, row[4]),
    updatedAt: integerColumn(row[5]),
  };
}
