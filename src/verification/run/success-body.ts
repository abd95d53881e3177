import { type CheckedRequest, firstVerified } from './checked-request.ts';
import { type ItemResult, nullifierOf, type ReadyItem } from './verify-item.ts';

/** Body of a success. */
export interface VerifySuccess {
  readonly success: true;
  readonly action: string;
  readonly nullifier: string;
  readonly created_at: string;
  readonly environment: string;
  readonly results: readonly ItemResult[];
  readonly message: string;
}

/** The form of a nullifier in a response, and in most requests. */
const CANONICAL = /^0x[0-9a-f]{64}$/;
const MESSAGE_OF_NEW = 'Proof verified successfully';
const MESSAGE_OF_REUSE = `${MESSAGE_OF_NEW} (nullifier reuse)`;

/** Builds the body of `spec/verification.md#success-response` for a request with a valid item. */
export function successBody(checked: CheckedRequest, isNew: boolean, createdAt: number): VerifySuccess {
  const { request, results } = checked;
  const first = firstVerified(checked);
  if (first === undefined) throw new TypeError('expected a verified item, got none');
  return {
    success: true,
    action: request.action,
    nullifier: nullifierText(first),
    created_at: isoTime(createdAt),
    environment: request.environment,
    results,
    message: isNew ? MESSAGE_OF_NEW : MESSAGE_OF_REUSE,
  };
}

function nullifierText({ nullifier, bytes }: ReadyItem): string {
  if (CANONICAL.test(nullifier)) return nullifier;
  return `0x${Buffer.from(nullifierOf({ bytes })).toString('hex')}`;
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
