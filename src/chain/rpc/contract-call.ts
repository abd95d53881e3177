import { parseBytes, wordsOf } from './answers.ts';
import type { RpcFailure } from './rpc-failure.ts';

/** A view function of a contract. */
export interface ContractCall {
  /** Lower-case address. */
  readonly to: string;
  /** Selector and arguments, as 0x hex. */
  readonly data: string;
  /** Number of words of the result. */
  readonly words: number;
}

/**
 * Result of a call: its words without prefix; the selector of the error with which it reverted (`0x` for none); or the
 * length of a result that is none of this function: 0 bytes if there is no contract, others if it is of another kind.
 */
export type CallResult =
  | { readonly words: readonly string[] }
  | { readonly revert: string }
  | { readonly bytes: number };

const SELECTOR_CHARACTERS = 10;

/**
 * Parses a result of `eth_call`.
 *
 * @param count - Number of words of the result.
 * @throws RpcFailure `bad_response` unless it is hex text
 */
export function parseCallResult(value: unknown, count: number): CallResult {
  const digits = parseBytes(value, 'the result of the call');
  const words = wordsOf(digits);
  return words?.length === count ? { words } : { bytes: digits.length / 2 };
}

/** Returns the result of a call that reverted. */
export function revertOf({ details }: RpcFailure): CallResult {
  return { revert: (details.revertData ?? '0x').slice(0, SELECTOR_CHARACTERS) };
}
