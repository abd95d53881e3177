import { ServiceError } from '../../errors/service-error.ts';
import type { AuditWriter } from '../audit/audit-log.ts';
import { shortDigest } from '../audit/audit-writer.ts';
import { bytes, columns, integer, type RowOf, text, word } from '../columns.ts';
import { type Driver, type PointQuery, rowsOf, type Statement } from '../drivers/driver.ts';
import { guard, point, pointByKeys, rowsTemplate, write } from '../sql.ts';
import type { Bytes32 } from '../values.ts';

/** Each lost race is a change by another process: this many in a row indicate a fault. */
const MAX_ROUNDS = 1000;
/** Name of the row that counts the changes to enrolments. */
const VERSION_NAME = 'signup';

/** States of a record that an operator keeps. */
export const RECORD_STATUSES = ['active', 'revoked'] as const;
/** Status of a record that an operator keeps. */
export type RecordStatus = (typeof RECORD_STATUSES)[number];

const ENROLMENT = columns({
  /** Identity commitment, the key. */
  idComm: bytes,
  /** At most one active record has this id. */
  signupId: text,
  orbId: text,
  enrolledAt: integer,
  status: word(RECORD_STATUSES),
  updatedAt: integer,
});
/** Enrolment of a person with an older identity. Times are milliseconds since the epoch. */
export type EnrolmentRow = RowOf<typeof ENROLMENT>;

/** Outcome of one enrolment of an import. `conflict`: another signup or orb is stored for this idComm. */
export type EnrolmentOutcome = 'added' | 'updated' | 'unchanged' | 'signup_taken' | 'conflict';

/** Options of an import. */
export interface EnrolmentImport {
  /** Replaces the signup and orb of a known idComm by others instead of refusing them. */
  readonly replaces: boolean;
  /** Returns the outcomes and writes nothing. */
  readonly isDryRun: boolean;
}

const VERSION = columns({ version: integer });
/** Returns no row before the first change. */
const versionOf = point(VERSION, `select ${VERSION.list()} from record_versions where name = $1`);
const NEXT_VERSION =
  'insert into record_versions as t (name, version) values ($1,1) on conflict (name) do update set version = t.version + 1';
/** Counts a change; fails if the version is not the given one (0 before the first change). */
const nextVersionAfter = guard(`${NEXT_VERSION} where t.version = $2 returning 1`);
/** Counts a change unconditionally. */
const nextVersion = write(NEXT_VERSION);

const SELECT = `select ${ENROLMENT.list()} from signup`;
const enrolmentById = point(ENROLMENT, `${SELECT} where id_comm = $1`);
const enrolmentPage = point(ENROLMENT, `${SELECT} where id_comm > $1 order by id_comm limit $2`);
const enrolmentsById = pointByKeys(ENROLMENT, 0, (list) => `${SELECT} where id_comm in (${list})`);
const activeEnrolments = pointByKeys(
  ENROLMENT,
  0,
  (list) => `${SELECT} where status = 'active' and signup_id in (${list})`,
);
/** Adds enrolments or overwrites them, in order. No identity may occur twice. */
const putEnrolments = rowsTemplate(
  ENROLMENT.width,
  (list) =>
    `insert into signup (${ENROLMENT.list()}) values ${list} on conflict (id_comm) do update set ${ENROLMENT.replaced('idComm')}`,
);
const revokeEnrolment = write(
  "update signup set status = 'revoked', updated_at = $2 where id_comm = $1 and status = 'active'",
);
const hasActiveEnrolment = guard("select 1 from signup where id_comm = $1 and status = 'active'");

/** A guard that fails if the identity has no active enrolment. */
export function isEnrolled(idComm: Bytes32): Statement {
  return hasActiveEnrolment(idComm);
}

/**
 * Enrolment records (spec/refresh.md#enrolment-records). A write is one transaction, durable when it
 * resolves.
 */
export type EnrolmentStore = ReturnType<typeof createEnrolmentStore>;

/** Creates the enrolment store over a driver. An import writes only if the version is as it was read. */
export function createEnrolmentStore(driver: Driver, audit: AuditWriter) {
  const readAll = async (queries: readonly PointQuery<EnrolmentRow>[]): Promise<EnrolmentRow[]> => {
    const rows: EnrolmentRow[] = [];
    for (const query of queries) rows.push(...(await driver.read(query)));
    return rows;
  };
  /** Reads the stored enrolments of the rows' identities, and the active ones with the rows' signups. */
  const readKnown = async (rows: readonly EnrolmentRow[]): Promise<EnrolmentRow[]> => {
    const byIdentity = enrolmentsById(
      [],
      rows.map(({ idComm }) => idComm),
    );
    const known = await readAll(byIdentity);
    // A signup held by an identity of the import needs no second lookup: most rows of a repeated import.
    const held = new Set(known.flatMap(({ status, signupId }) => (status === 'active' ? [signupId] : [])));
    const open = rows.flatMap(({ signupId }) => (held.has(signupId) ? [] : [signupId]));
    return [...known, ...(await readAll(activeEnrolments([], open)))];
  };
  return {
    find: async (idComm: Bytes32): Promise<EnrolmentRow | undefined> =>
      (await driver.read(enrolmentById(idComm)))[0],
    /** Lists one page of records after an idComm, in the order of its bytes. */
    page: (limit: number, after: Bytes32 = new Uint8Array(0)): Promise<EnrolmentRow[]> =>
      driver.read(enrolmentPage(after, limit)),
    /**
     * Adds or updates records in order, in one transaction; a refused record does not affect the others.
     *
     * @returns One outcome for each row, in the order of the rows.
     */
    async import(
      rows: readonly EnrolmentRow[],
      { replaces, isDryRun }: EnrolmentImport,
    ): Promise<EnrolmentOutcome[]> {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [stored] = await driver.read(versionOf(VERSION_NAME));
        const { outcomes, writes } = decideImport(rows, await readKnown(rows), replaces);
        const statements = writes.flatMap((group) => putEnrolments(group.map(ENROLMENT.values)));
        if (isDryRun || statements.length === 0) return outcomes;
        const next = nextVersionAfter(VERSION_NAME, stored?.version ?? 0);
        const after = { rows: rows.length, written: writes.flat().length, replaces };
        const change = { action: 'signups.imported', target: 'signups', after };
        if ((await audit.write([next, ...statements], change)).ok) return outcomes;
      }
      throw new ServiceError('store.unreachable', 'other processes keep changing enrolments');
    },
    /** Sets a record to revoked; returns it, or undefined if there is none. */
    async revoke(idComm: Bytes32, updatedAt: number): Promise<EnrolmentRow | undefined> {
      const revoked = enrolmentById(idComm);
      const statements = [nextVersion(VERSION_NAME), revokeEnrolment(idComm, updatedAt), revoked];
      // The identity itself is not written to the log, which is kept forever.
      const change = { action: 'signup.revoked', target: `signup:${shortDigest(idComm)}` };
      const outcome = await audit.write(statements, change);
      return outcome.ok ? rowsOf(revoked, outcome.results.at(-1) ?? [])[0] : undefined;
    },
  };
}

/** Outcomes and writes of an import. */
interface ImportDecision {
  /** One for each row. */
  readonly outcomes: EnrolmentOutcome[];
  /**
   * Enrolments to write, group by group and in order, so that a signup freed by one is available to the next.
   * Each identity occurs at most once in a group.
   */
  readonly writes: EnrolmentRow[][];
}

/**
 * Decides the outcome of each row of an import, in order, as if the rows before it were written.
 *
 * @param known - The stored enrolments of the rows' identities, and the active ones with the rows' signup ids.
 */
function decideImport(
  rows: readonly EnrolmentRow[],
  known: readonly EnrolmentRow[],
  replaces: boolean,
): ImportDecision {
  const byIdentity = new Map<string, EnrolmentRow>();
  const holders = new Map<string, string>();
  const put = (identity: string, row: EnrolmentRow): void => {
    const before = byIdentity.get(identity);
    if (before !== undefined && holders.get(before.signupId) === identity) holders.delete(before.signupId);
    byIdentity.set(identity, row);
    if (row.status === 'active') holders.set(row.signupId, identity);
  };
  for (const row of known) put(identityOf(row.idComm), row);

  let group = new Map<string, EnrolmentRow>();
  const groups = [group];
  const outcomes = rows.map((row): EnrolmentOutcome => {
    const identity = identityOf(row.idComm);
    const before = byIdentity.get(identity);
    if (before !== undefined) {
      const isSame = before.signupId === row.signupId && before.orbId === row.orbId;
      if (isSame && before.status === row.status && before.enrolledAt === row.enrolledAt) return 'unchanged';
      if (!isSame && !replaces) return 'conflict';
    }
    if (row.status === 'active' && (holders.get(row.signupId) ?? identity) !== identity)
      return 'signup_taken';
    put(identity, row);
    if (group.has(identity)) {
      group = new Map();
      groups.push(group);
    }
    group.set(identity, row);
    return before === undefined ? 'added' : 'updated';
  });
  return { outcomes, writes: groups.map((rowsOfGroup) => [...rowsOfGroup.values()]) };
}

function identityOf(idComm: Bytes32): string {
  return Buffer.from(idComm.buffer, idComm.byteOffset, idComm.byteLength).toString('hex');
}
