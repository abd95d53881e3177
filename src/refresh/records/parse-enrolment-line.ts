import { parseNonZeroElement } from '../../credential/index.ts';
import type { Bytes32, EnrolmentRow, RecordStatus } from '../../storage/index.ts';
import { LineRefused } from './line-refused.ts';
import { parseRecordTime } from './parse-record-time.ts';
import { type Members, readMembers, textMember } from './read-members.ts';

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
