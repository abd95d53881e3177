import { toHex } from '../../semaphore/hex.ts';
import { type CheckedRequest, firstVerified, nullifierOf } from './checked-request.ts';
import type { ItemResult } from './item-result.ts';

/** Body of a success of uniqueness proofs. */
export interface UniquenessSuccess {
  readonly success: true;
  readonly action: string;
  readonly nullifier: string;
  readonly created_at: string;
  readonly environment: string;
  readonly protocol_version: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
}

/** Body of a success of session proofs (spec/worldid4.md#answers). */
export interface SessionSuccess {
  readonly success: true;
  readonly session_id: string;
  readonly environment: string;
  readonly protocol_version: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
}

/** Body of a success. */
export type VerifySuccess = UniquenessSuccess | SessionSuccess;

/** The form of a nullifier in a response, and in most requests. */
const CANONICAL = /^0x[0-9a-f]{64}$/;
const MESSAGE_OF_NEW = 'Proof verified successfully';
const MESSAGE_OF_SESSION = 'Session proof verified successfully';
const MESSAGE_OF_REUSE = `${MESSAGE_OF_NEW} (nullifier reuse)`;

/** Builds the body of `spec/verification.md#success-response` for a request with a valid item. */
export function successBody(checked: CheckedRequest, isNew: boolean, createdAt: number): UniquenessSuccess {
  const { request, results } = checked;
  const first = firstVerified(checked);
  if (first === undefined) throw new TypeError('expected a verified item, got none');
  return {
    success: true,
    action: request.action,
    nullifier: CANONICAL.test(first.nullifier) ? first.nullifier : toHex(nullifierOf(request, first)),
    created_at: isoTime(createdAt),
    environment: request.environment,
    protocol_version: request.protocol,
    results,
    message: isNew ? MESSAGE_OF_NEW : MESSAGE_OF_REUSE,
  };
}

/** Builds the body for a request of session proofs with a valid item. */
export function sessionBody({ request, results }: CheckedRequest, sessionId: string): SessionSuccess {
  return {
    success: true,
    session_id: sessionId,
    environment: request.environment,
    protocol_version: request.protocol,
    results,
    message: MESSAGE_OF_SESSION,
  };
}

let lastTime = Number.NaN;
let lastTimeText = '';

// Caches the last text: records of one commit often have the same millisecond.
function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTimeText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastTimeText;
}
