import { bindingJson, signupJson } from '../../../admin/forms/index.ts';
import type { EnrolmentWithBindings } from '../../../refresh/records/enrolments.ts';
import { toHex } from '../../../semaphore/index.ts';
import type { BindingRow, EnrolmentRow } from '../../../storage/index.ts';
import { isoTime } from '../../../text.ts';

/** Returns an enrolment with its `bindings` as JSON text, in which `issuer_schema_id` is an integer. */
export function signupWithBindingsJson({ enrolment, bindings }: EnrolmentWithBindings): string {
  const own = JSON.stringify(signupJson(enrolment)).slice(0, -1);
  return `${own},"bindings":[${bindings.map(bindingText).join(',')}]}`;
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

function bindingText(binding: BindingRow): string {
  const { issuer_schema_id, ...members } = bindingJson(binding);
  // a u64, which JSON.stringify would write as a rounded double
  return `{"issuer_schema_id":${issuer_schema_id},${JSON.stringify(members).slice(1)}`;
}
