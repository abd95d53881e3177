import { ERRORS, type ErrorCode, ServiceError } from '../../errors/index.ts';
import type { CallName } from '../operation.ts';

/**
 * Returns the catalogue code of a refusal of the core, whose codes for hashes and keys are finer than the
 * catalogue's.
 */
function catalogueCode(call: CallName, code: string): ErrorCode {
  if (code.startsWith('hash.') || (code === 'input.count' && call !== 'sign')) return 'hash.input';
  if (code === 'signing_key.unknown' || code === 'key.unknown') return 'engine.key_unknown';
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal.unforeseen';
}

/** Converts a refusal of the core to a service error. */
export function refusedCall(call: CallName, code: string, detail: string): ServiceError {
  const known = catalogueCode(call, code);
  return new ServiceError(known, known === code ? detail : `${code}: ${detail}`);
}
