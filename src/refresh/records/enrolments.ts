import { parseNonZeroElement } from '../../credential/credential.ts';
import type { StrictJson } from '../../credential/strict-json.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { toHex } from '../../semaphore/hex.ts';
import type {
  EnrolmentImport,
  EnrolmentOutcome,
  EnrolmentRow,
  EnrolmentStore,
  RecordStatus,
} from '../../storage/refresh/enrolments.ts';
import type { BindingRow, IssuanceStore } from '../../storage/refresh/issuance.ts';
import type { IssuedCredentialRow } from '../../storage/refresh/issued-credential.ts';
import type { Store } from '../../storage/store.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { isoTime } from '../../text.ts';
import {
  type ImportObserver,
  type ImportResult,
  importLines,
  type LineOutcome,
  LineRefused,
  type Members,
  type RecordKind,
  readMembers,
  textMember,
} from './import-lines.ts';

/** An enrolment with its bindings. */
export interface EnrolmentWithBindings {
  readonly enrolment: EnrolmentRow;
  /** One for each issuer schema with a credential of this holder. */
  readonly bindings: readonly BindingRow[];
}

/**
 * Looks up the record of an idComm, with its bindings.
 *
 * @param idComm - As an operator enters it.
 * @throws ServiceError `signup.unknown`, also for a text that is not an idComm
 */
export async function findEnrolment(
  store: Pick<Store, 'enrolments' | 'issuance'>,
  idComm: string,
): Promise<EnrolmentWithBindings> {
  const key = keyOf(idComm);
  const enrolment = await store.enrolments.find(key);
  if (!enrolment) throw new ServiceError('signup.unknown');
  return { enrolment, bindings: await store.issuance.bindingsOf(key) };
}

/**
 * Sets the record of an idComm to revoked, so that its holder gets no more credentials.
 *
 * @param idComm - As an operator enters it.
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `signup.unknown`, also for a text that is not an idComm
 */
export async function revokeEnrolment(
  store: Pick<Store, 'enrolments'>,
  idComm: string,
  now: number,
): Promise<EnrolmentRow> {
  const row = await store.enrolments.revoke(keyOf(idComm), now);
  if (!row) throw new ServiceError('signup.unknown');
  return row;
}

function keyOf(idComm: string): Bytes32 {
  const key = parseNonZeroElement(idComm);
  if (!key) {
    throw new ServiceError(
      'signup.unknown',
      'invalid idComm: expected 0x and 1 to 64 hex digits of a number above 0 and below the scalar order r',
    );
  }
  return key;
}

/**
 * Imports enrolment records from JSON Lines (spec/refresh.md#imports), with one durable transaction per 1,000
 * lines. Idempotent. A dry run compares lines with the stored records and, within 1,000 lines, with each
 * other.
 *
 * @param chunks - UTF-8, split at any position.
 * @param now - Milliseconds since the epoch, the time of every change.
 * @throws ServiceError `store.unreachable`; earlier transactions stay
 */
export async function importEnrolments(
  chunks: AsyncIterable<Uint8Array | string>,
  store: EnrolmentStore,
  options: EnrolmentImport,
  now: number,
  observer: ImportObserver,
): Promise<ImportResult> {
  const kind: RecordKind<EnrolmentRow> = {
    parse: (line) => parseEnrolmentLine(line, now),
    store: async (rows) => (await store.import(rows, options)).map(lineOutcome),
  };
  return await importLines(chunks, kind, observer);
}

function lineOutcome(outcome: EnrolmentOutcome): LineOutcome {
  if (outcome === 'signup_taken') {
    return new LineRefused('signup_taken', 'signup_id: another active record has it');
  }
  if (outcome === 'conflict') {
    return new LineRefused(
      'conflict',
      'id_comm: its record has another signup_id or orb_id; --replace stores the new ones',
    );
  }
  return outcome;
}

const REQUIRED = ['id_comm', 'signup_id', 'orb_id', 'enrolled_at'];
const OPTIONAL = ['status'];

/**
 * Parses one line of `signups import` (spec/refresh.md#imports) to a record.
 *
 * @param now - Milliseconds since the epoch, for `updatedAt`.
 * @throws LineRefused `not_json`, `unknown_member`, `missing_member`, `invalid_id_comm`, `invalid_text`,
 *   `invalid_time`, `invalid_status`
 */
export function parseEnrolmentLine(line: string, now: number): EnrolmentRow {
  const members = readMembers(line, REQUIRED, OPTIONAL);
  return {
    idComm: idCommOf(members),
    signupId: textMember(members, 'signup_id'),
    orbId: textMember(members, 'orb_id'),
    enrolledAt: enrolledAtOf(members),
    status: statusOf(members),
    updatedAt: now,
  };
}

function idCommOf(members: Members): Bytes32 {
  const value = members.get('id_comm');
  const idComm = value?.kind === 'string' ? parseNonZeroElement(value.text) : undefined;
  if (!idComm) {
    throw new LineRefused(
      'invalid_id_comm',
      'id_comm: expected 0x and 1 to 64 hex digits of a number above 0 and below the scalar order r',
    );
  }
  return idComm;
}

function enrolledAtOf(members: Members): number {
  const time = parseRecordTime(members.get('enrolled_at'));
  if (time === undefined) {
    throw new LineRefused(
      'invalid_time',
      'enrolled_at: expected Unix seconds as a number, or RFC 3339 like 2026-01-15T09:30:00Z',
    );
  }
  return time;
}

function statusOf(members: Members): RecordStatus {
  const value = members.get('status');
  if (value === undefined) return 'active';
  if (value.kind === 'string' && (value.text === 'active' || value.text === 'revoked')) return value.text;
  throw new LineRefused('invalid_status', 'status: expected active or revoked');
}

const SECONDS = /^(?:0|[1-9][0-9]{0,11})$/;
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** 9999-12-31T23:59:59Z, the last second of RFC 3339; milliseconds mistaken for seconds are above it. */
const LAST_SECOND = 253_402_300_799;

/**
 * Parses a time of an import line: Unix seconds as a JSON integer, or RFC 3339 text.
 *
 * @returns Milliseconds since the epoch from 1970 to 9999; undefined for anything else.
 */
function parseRecordTime(value: StrictJson | undefined): number | undefined {
  if (value?.kind === 'number') {
    const seconds = SECONDS.test(value.source) ? Number(value.source) : Number.POSITIVE_INFINITY;
    return seconds <= LAST_SECOND ? seconds * 1000 : undefined;
  }
  if (value?.kind !== 'string') return undefined;
  const [, year, month, day] = RFC_3339.exec(value.text) ?? [];
  // Date.parse takes 30 February for 2 March
  if (day === undefined || Number(day) > daysOf(Number(year), Number(month))) return undefined;
  const time = Date.parse(value.text.toUpperCase());
  return time >= 0 && time <= LAST_SECOND * 1000 + 999 ? time : undefined;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const PAGE_ROWS = 1_000;

/**
 * Exports the records of issued credentials as JSON Lines, the oldest first; holds one page in memory.
 *
 * @param since - Time of the first records, in milliseconds since the epoch.
 * @returns Lines without line ends, with the members `id_comm`, `sub`, `issuer_schema_id` and `id` (u64 as
 *   JSON integers), `genesis_issued_at`, `issued_at`, `expires_at` (RFC 3339), `operator_id`,
 *   `encrypted_user_id`.
 */
export async function* credentialLines(
  store: Pick<IssuanceStore, 'list'>,
  since: number,
): AsyncGenerator<string> {
  let last: IssuedCredentialRow | undefined;
  do {
    const page = await store.list(since, PAGE_ROWS, last);
    for (const row of page) yield credentialLine(row);
    last = page.length === PAGE_ROWS ? page.at(-1) : undefined;
  } while (last);
}

function credentialLine(row: IssuedCredentialRow): string {
  // JSON.stringify would round the two u64 to doubles
  return [
    `{"id_comm":"${toHex(row.idComm)}"`,
    `"sub":"${toHex(row.sub)}"`,
    `"issuer_schema_id":${row.issuerSchemaId}`,
    `"id":${BigInt(toHex(row.credentialId))}`,
    `"genesis_issued_at":"${isoTime(row.genesisIssuedAt)}"`,
    `"issued_at":"${isoTime(row.issuedAt)}"`,
    `"expires_at":"${isoTime(row.expiresAt)}"`,
    `"operator_id":${JSON.stringify(row.operatorId)}`,
    `"encrypted_user_id":${JSON.stringify(row.encryptedUserId)}}`,
  ].join(',');
}
