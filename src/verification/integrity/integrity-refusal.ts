import { ServiceError } from '../../errors/index.ts';

/** Why an integrity bundle is refused; a value of the metric label `result` and of the log field `rule`. */
export type IntegrityCause =
  | 'bundle_required'
  | 'timestamp_in_future'
  | 'timestamp_too_old'
  | 'version_of_protocol'
  | 'unreadable_number'
  | 'signature_form'
  | 'keys_unavailable'
  | 'key_unknown'
  | 'token_form'
  | 'token_algorithm'
  | 'token_signature'
  | 'token_issuer'
  | 'token_audience'
  | 'token_expired'
  | 'token_claims'
  | 'device_failed'
  | 'platform'
  | 'device_key'
  | 'device_signature'
  | 'used_before';

/** Returns the refusal of a request by its integrity bundle (spec/worldid4.md#integrity-bundle). */
export function integrityRefusal(rule: IntegrityCause, cause?: unknown): ServiceError {
  const code = rule === 'bundle_required' ? 'verify.integrity_required' : 'verify.integrity_failed';
  return new ServiceError(code, undefined, { rule }, cause === undefined ? undefined : { cause });
}
