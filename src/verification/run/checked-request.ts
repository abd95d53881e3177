import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import type { ErrorSpec } from '../../errors/spec.ts';
import type { Bytes32 } from '../../storage/values.ts';
import { INPUT_AT, type VerifyRequest, WORD_AT } from '../request/request-types.ts';
import type { PreparedItem, ReadyItem } from './prepared-item.ts';
import type { ItemCodes } from './queue-items.ts';
import { wordAt } from './verify-item.ts';

/** Longest text of an item or request that is sent back in a failure, in characters; any valid one is shorter. */
const MAX_ECHOED_CHARACTERS = 4096;

/** Names of the proof of an entry; those of session proofs include the session. */
interface ItemNames {
  readonly identifier: string;
  /** World ID 4.0, in answers with a valid item; as sent. */
  readonly issuer_schema_id?: number | string;
  readonly sessionId?: string;
}

/** One entry of `results` in an answer. */
export type ItemResult = ItemNames &
  (
    | { readonly success: true; readonly nullifier: string }
    | {
        readonly success: false;
        readonly nullifier?: string;
        readonly code: string;
        readonly detail: string;
        readonly attribute?: string;
      }
  );

/** Wire form of a failed item. */
export interface ItemAnswer {
  readonly code: string;
  readonly detail: string;
  readonly attribute?: string;
}

/**
 * Returns the wire form of a catalogue code in a protocol version.
 *
 * @param detail - The text of the item, where the row has none.
 */
export function itemAnswer(
  protocol: VerifyRequest['protocol'],
  code: ErrorCode,
  detail: string | undefined,
): ItemAnswer {
  const spec: ErrorSpec = ERRORS[code];
  const internal = ERRORS['internal.unforeseen'].verifyItem;
  if (protocol === '3.0') return spec.verifyItem ?? internal;
  return spec.verifyItem4 === undefined
    ? internal
    : { detail: detail ?? internal.detail, ...spec.verifyItem4 };
}

/**
 * Builds the entry of an item from its code, undefined for a valid one (spec/verification.md#items,
 * spec/worldid4.md#answers). A failure leaves out a text of the request that is longer than `MAX_ECHOED_CHARACTERS`.
 */
function itemResult(
  { protocol, kind, sessionId = '' }: VerifyRequest,
  { identifier, nullifier }: VerifyRequest['items'][number],
  prepared: PreparedItem | undefined,
  code: ErrorCode | undefined,
): ItemResult {
  const isSession = kind === 'session';
  const names = { identifier, ...(isSession && !isLong(sessionId) ? { sessionId } : {}) };
  if (code === undefined) return { ...names, success: true, nullifier };
  const detail = prepared?.code === undefined ? undefined : prepared.detail;
  const answer = itemAnswer(protocol, code, detail);
  return { ...names, success: false, ...(isSession || isLong(nullifier) ? {} : { nullifier }), ...answer };
}

/** Adds the issuer of a 4.0 item to its entry, after the identifier; answers in which an item is valid have it. */
function withIssuer(result: ItemResult, item: VerifyRequest['items'][number]): ItemResult {
  if (!('sentIssuer' in item)) return result;
  return Object.assign({ identifier: result.identifier, issuer_schema_id: item.sentIssuer }, result);
}

function isLong(text: string): boolean {
  return text.length > MAX_ECHOED_CHARACTERS;
}

/** A request whose items have results; entry i of each list belongs to item i. */
export interface CheckedRequest {
  readonly request: VerifyRequest;
  readonly items: readonly PreparedItem[];
  readonly codes: ItemCodes;
  readonly results: readonly ItemResult[];
}

/** Builds the `results` of a request from the codes of its items. */
export function collectResults(
  request: VerifyRequest,
  items: readonly PreparedItem[],
  codes: ItemCodes,
): CheckedRequest {
  const isAnyValid = codes.some((code) => code === undefined);
  const results = request.items.map((item, index) => {
    const result = itemResult(request, item, items[index], codes[index]);
    return isAnyValid ? withIssuer(result, item) : result;
  });
  return { request, items, codes, results };
}

/** Returns the first item that verified, whose nullifier is recorded (`spec/verification.md#nullifier-record`). */
export function firstVerified({ items, codes }: CheckedRequest): ReadyItem | undefined {
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as PreparedItem;
    if (codes[index] === undefined && item.code === undefined) return item;
  }
  return undefined;
}

const NULLIFIER_AT: Readonly<Record<VerifyRequest['protocol'], number>> = {
  '3.0': WORD_AT.nullifier,
  '4.0': INPUT_AT.nullifier,
};

/** Returns the nullifier of an item, a view of its 32 bytes. */
export function nullifierOf({ protocol }: Pick<VerifyRequest, 'protocol'>, item: ReadyItem): Bytes32 {
  return wordAt(item, NULLIFIER_AT[protocol]);
}

/** Whether an item failed because of an internal error. */
export function hasInternalError({ results }: CheckedRequest): boolean {
  return results.some((result) => !result.success && result.code === 'internal_error');
}
