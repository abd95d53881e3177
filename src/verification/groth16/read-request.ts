import { ServiceError } from '../../errors/index.ts';
import { isObject, parseJson } from '../../json.ts';
import { refusal } from '../request/report-faults.ts';

/** A request to check proofs of any circuit. */
export interface Groth16Request {
  /** Whether the body has `proofs`, which the answer then has as `results`. */
  readonly isList: boolean;
  /** The proofs with their public inputs, as sent. */
  readonly members: readonly unknown[];
}

/**
 * Parses a body (spec/verification.md#request-for-any-circuit); keeps no reference to its bytes.
 *
 * @param maxProofs - `groth16.maxProofs`.
 * @throws ServiceError `verify.invalid_json`, `verify.schema`
 */
export function readGroth16Request(bytes: Uint8Array, maxProofs: number): Groth16Request {
  const body = parseBody(bytes);
  if (!isObject(body)) throw refusal('expected an object', '');
  const isSingle = 'proof' in body || 'publicSignals' in body;
  if (!('proofs' in body)) {
    if (!('proof' in body)) throw refusal('expected proof and publicSignals, or proofs', 'proof');
    if (!('publicSignals' in body)) throw refusal('publicSignals is required', 'publicSignals');
    return { isList: false, members: [body] };
  }
  if (isSingle) throw refusal('expected proof and publicSignals, or proofs, not both', 'proofs');
  const { proofs } = body;
  if (!Array.isArray(proofs)) throw refusal('proofs must be an array', 'proofs');
  if (proofs.length === 0) throw refusal('At least one proof is required', 'proofs');
  if (proofs.length > maxProofs) throw refusal(`proofs must have at most ${maxProofs} items`, 'proofs');
  return { isList: true, members: proofs };
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new ServiceError('verify.invalid_json', undefined, {}, { cause });
  }
}
