import { toHex } from '../../semaphore/index.ts';
import type { BindingRow, EnrolmentRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Returns the members of an enrolment record. */
export function signupJson(row: EnrolmentRow): Record<string, string> {
  return {
    id_comm: toHex(row.idComm),
    signup_id: row.signupId,
    orb_id: row.orbId,
    enrolled_at: isoTime(row.enrolledAt),
    status: row.status,
    updated_at: isoTime(row.updatedAt),
  };
}

/** Binding of an enrolment as it is shown. */
export interface ShownBinding {
  /** A u64 in decimal, as text: JSON parsers round numbers of this size. */
  readonly issuer_schema_id: string;
  readonly sub: string;
  readonly genesis_issued_at: string;
  readonly credentials: number;
  readonly last_issued_at: string;
}

/** Returns the members of a binding. */
export function bindingJson(binding: BindingRow): ShownBinding {
  return {
    issuer_schema_id: binding.issuerSchemaId,
    sub: toHex(binding.sub),
    genesis_issued_at: isoTime(binding.genesisIssuedAt),
    credentials: binding.issuedCount,
    last_issued_at: isoTime(binding.lastIssuedAt),
  };
}
