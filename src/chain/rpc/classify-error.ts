import { RpcFailure, type RpcFailureClass, type RpcFailureDetails } from './rpc-failure.ts';

/** Member `error` of a JSON-RPC response. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const MOST_SHOWN = 200;
const REVERT_CODE = 3;
const INVALID_PARAMS = -32_602;
const RATE_CODES: readonly number[] = [-32_005, 429];
const RANGE_CODES: readonly number[] = [
  ...[-32_005, -32_600, -32_602, -32_603, -32_000, -32_012, -32_614],
  35,
];

const RANGE = /\brange\b|block range|too many results|\bresults\b|response size|query returned more than/;
const RANGE_LIMIT = /limit exceeded\D*\d|\d\D*limit exceeded/;
const RATE = /rate limit|too many requests|capacity/;
const REFUSED = /unauthorized|invalid api key/;
const NOT_THERE =
  /missing trie node|pruned|header not found|unknown block|resource not found|state not available/;
const REVERT = /revert/;

/** A pair of hexadecimal blocks that a provider suggests. */
const SUGGESTED = /\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/;
const NAMED_LIMIT = /(?:limited to|up to|maximum|max|at most|exceeds?)\D{0,40}?(\d[\d,_]{0,8})\s?(k)?\b/;

/**
 * Returns the failure that an error of a JSON-RPC response means.
 *
 * @param status - HTTP status of the response that carries it.
 */
export function classifyError(error: RpcErrorObject, status: number, retryAfterMs?: number): RpcFailure {
  const text = `${error.message} ${textOf(error.data)}`.toLowerCase();
  const failureClass = classOf(error.code, status, text);
  return new RpcFailure(failureClass, shown(error), detailsOf(failureClass, error, text, retryAfterMs));
}

/** Returns the failure that an HTTP status without a JSON-RPC error means. */
export function classifyStatus(status: number, retryAfterMs?: number): RpcFailure {
  const message = `HTTP status ${status}`;
  if (status === 429) return new RpcFailure('rate_limited', message, withPause(retryAfterMs));
  if (status === 413) return new RpcFailure('range', message);
  if (status === 401 || status === 403) return new RpcFailure('refused', message);
  return new RpcFailure('unreachable', message, withPause(retryAfterMs));
}

function classOf(code: number, status: number, text: string): RpcFailureClass {
  const isRange = RANGE.test(text) || RANGE_LIMIT.test(text);
  if (code === REVERT_CODE || REVERT.test(text)) return 'reverted';
  if (status === 401 || status === 403 || REFUSED.test(text)) return 'refused';
  if (status === 413) return 'range';
  if (isRange && status !== 429 && RANGE_CODES.includes(code)) return 'range';
  if (status === 429 || RATE_CODES.includes(code) || RATE.test(text)) return 'rate_limited';
  if (NOT_THERE.test(text)) return 'not_there';
  if (code === INVALID_PARAMS) return 'invalid_params';
  return status >= 400 && status !== 400 ? 'unreachable' : 'bad_response';
}

function detailsOf(
  failureClass: RpcFailureClass,
  error: RpcErrorObject,
  text: string,
  retryAfterMs: number | undefined,
): RpcFailureDetails {
  if (failureClass === 'rate_limited') return withPause(retryAfterMs);
  if (failureClass === 'reverted') return { revertData: revertDataOf(error.data) };
  if (failureClass !== 'range') return {};
  const acceptedBlocks = acceptedBlocksOf(text);
  return acceptedBlocks === undefined ? {} : { acceptedBlocks };
}

function withPause(retryAfterMs: number | undefined): RpcFailureDetails {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** Returns the number of blocks that a message names as accepted; undefined if it names none. */
function acceptedBlocksOf(text: string): number | undefined {
  const [, from, to] = SUGGESTED.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    const blocks = Number(to) - Number(from) + 1;
    return blocks > 0 ? blocks : undefined;
  }
  const [, digits, thousands] = NAMED_LIMIT.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const blocks = Number(digits.replace(/[,_]/g, '')) * (thousands === undefined ? 1 : 1000);
  return blocks > 0 ? blocks : undefined;
}

/** Some providers nest the data of a revert in an object. */
function revertDataOf(data: unknown): string {
  if (typeof data === 'string') return /0x[0-9a-fA-F]*/.exec(data)?.[0]?.toLowerCase() ?? '0x';
  if (typeof data === 'object' && data !== null && 'data' in data) return revertDataOf(data.data);
  return '0x';
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '').slice(0, 1000);
}

function shown({ code, message }: RpcErrorObject): string {
  return `error ${code}: ${JSON.stringify(message.slice(0, MOST_SHOWN))}`;
}
