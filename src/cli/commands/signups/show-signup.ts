import type { EnrolmentWithBindings } from '../../../refresh/records/index.ts';
import { toHex } from '../../../semaphore/index.ts';
import type { BindingRow, EnrolmentRow } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';

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

/** Returns an enrolment with its `bindings` as JSON text, in which `issuer_schema_id` is an integer. */
export function signupWithBindingsJson({ enrolment, bindings }: EnrolmentWithBindings): string {
  const own = JSON.stringify(signupJson(enrolment)).slice(0, -1);
  return `${own},"bindings":[${bindings.map(bindingJson).join(',')}]}`;
}

/** Formats an enrolment and its bindings as lines of name and value. */
export function signupText(row: EnrolmentRow, bindings: readonly BindingRow[]): string {
  const lines = Object.entries(signupJson(row)).map(([name, value]) => `${name.padEnd(12)}  ${value}`);
  const issued = bindings.flatMap((binding) => [
    `issuer schema ${binding.issuerSchemaId}: ${binding.issuedCount} credential${binding.issuedCount === 1 ? '' : 's'}`,
    `  sub            ${toHex(binding.sub)}`,
    `  first issued   ${isoTime(binding.genesisIssuedAt)}`,
    `  last issued    ${isoTime(binding.lastIssuedAt)}`,
  ]);
  return [...lines, ...(issued.length === 0 ? ['no credential was issued'] : issued)].join('\n');
}

function bindingJson(binding: BindingRow): string {
  const rest = JSON.stringify({
    sub: toHex(binding.sub),
    genesis_issued_at: isoTime(binding.genesisIssuedAt),
    credentials: binding.issuedCount,
    last_issued_at: isoTime(binding.lastIssuedAt),
  });
  // a u64, which JSON.stringify would write as a rounded double
  return `{"issuer_schema_id":${binding.issuerSchemaId},${rest.slice(1)}`;
}
