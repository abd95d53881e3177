import type { ErrorCode } from '../errors/index.ts';
import type { VerifyRequest } from './request-types.ts';
import { type ItemResult, nullifierOf, type PreparedItem } from './verify-item.ts';

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

/** A request with at least one item that verified. */
export interface VerifiedRequest {
  readonly request: VerifyRequest;
  readonly items: readonly PreparedItem[];
  readonly codes: readonly (ErrorCode | undefined)[];
  readonly results: readonly ItemResult[];
}

const MESSAGE_OF_NEW = 'Proof verified successfully';
const MESSAGE_OF_REUSE = `${MESSAGE_OF_NEW} (nullifier reuse)`;

/** The body of verify.md 8.1. */
export function successBody(
  { request, items, codes, results }: VerifiedRequest,
  isNew: boolean,
  createdAt: number,
): VerifySuccess {
  const first = items.find((_item, index) => codes[index] === undefined);
  if (first === undefined || first.code !== undefined) throw new TypeError('no item verified');
  const { buffer, byteOffset, length } = nullifierOf(first);
  return {
    success: true,
    action: request.action,
    nullifier: `0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`,
    created_at: isoTime(createdAt),
    environment: request.environment,
    results,
    message: isNew ? MESSAGE_OF_NEW : MESSAGE_OF_REUSE,
  };
}

let lastTime = Number.NaN;
let lastTimeText = '';

// Answers of one group of commits share their milliseconds.
function isoTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTimeText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastTimeText;
}
