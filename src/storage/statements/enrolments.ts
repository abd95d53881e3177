import type { SqlRow, SqlValue, Statement } from '../drivers/driver.ts';
import type { Bytes32 } from '../store.ts';
import type { EnrolmentRow, RecordStatus } from '../store-refresh.ts';
import { bytesColumn, integerColumn, textColumn, wordColumn } from './columns.ts';
import { keysTemplate, rowsTemplate } from './values-list.ts';

const COLUMNS = 'id_comm, signup_id, orb_id, enrolled_at, status, updated_at';

/** The states of a record of an operator. */
export const RECORD_STATUSES: readonly RecordStatus[] = ['active', 'revoked'];

const insertRows = rowsTemplate(6, (list) => `insert into signup (${COLUMNS}) values ${list}`);

const selectByIdComm = keysTemplate(0, (list) => `select ${COLUMNS} from signup where id_comm in (${list})`);

const selectActive = keysTemplate(
  0,
  (list) => `select ${COLUMNS} from signup where status = 'active' and signup_id in (${list})`,
);

const noIdComm = keysTemplate(
  0,
  (list) => `select 1 where not exists (select 1 from signup where id_comm in (${list}))`,
);

const noActive = keysTemplate(
  0,
  (list) =>
    `select 1 where not exists (select 1 from signup where status = 'active' and signup_id in (${list}))`,
);

/** The enrolment of an identity. */
export function enrolmentById(idComm: Bytes32): Statement {
  return { sql: `select ${COLUMNS} from signup where id_comm = $1`, params: [idComm] };
}

/** The enrolments of these identities. */
export function enrolmentsById(idComms: readonly Bytes32[]): Statement[] {
  return selectByIdComm([], idComms);
}

/** The active enrolments with these signup ids. */
export function activeEnrolments(signupIds: readonly string[]): Statement[] {
  return selectActive([], signupIds);
}

/** Adds enrolments; the first of its statements are guards that give no row when an id is taken by now. */
export function insertEnrolments(rows: readonly EnrolmentRow[]): Statement[] {
  const idComms = rows.map(({ idComm }) => idComm);
  const signupIds = rows.flatMap(({ status, signupId }) => (status === 'active' ? [signupId] : []));
  const guards = [...noIdComm([], idComms), ...noActive([], signupIds)];
  return [...guards.map((guard) => ({ ...guard, isGuard: true })), ...insertRows(rows.map(valuesOf))];
}

/**
 * Writes an enrolment over another of the same identity; a guard that gives no row when `from` is not what is there, or
 * when another identity has the signup.
 */
export function updateEnrolment(from: EnrolmentRow, to: EnrolmentRow): Statement {
  return {
    sql: "update signup set signup_id = $2, orb_id = $3, enrolled_at = $4, status = $5, updated_at = $6 where id_comm = $1 and signup_id = $7 and orb_id = $8 and enrolled_at = $9 and status = $10 and ($5 <> 'active' or not exists (select 1 from signup other where other.status = 'active' and other.signup_id = $2 and other.id_comm <> $1)) returning 1",
    params: [...valuesOf(to), from.signupId, from.orbId, from.enrolledAt, from.status],
    isGuard: true,
  };
}

/** Sets an active enrolment to revoked. */
export function revokeEnrolment(idComm: Bytes32, updatedAt: number): Statement {
  return {
    sql: "update signup set status = 'revoked', updated_at = $2 where id_comm = $1 and status = 'active'",
    params: [idComm, updatedAt],
  };
}

/** A guard that gives no row when the identity has no active enrolment. */
export function isEnrolled(idComm: Bytes32): Statement {
  return {
    sql: "select 1 from signup where id_comm = $1 and status = 'active'",
    params: [idComm],
    isGuard: true,
  };
}

/** A row of the statements that select enrolments. */
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

function valuesOf({ idComm, signupId, orbId, enrolledAt, status, updatedAt }: EnrolmentRow): SqlValue[] {
  return [idComm, signupId, orbId, enrolledAt, status, updatedAt];
}
