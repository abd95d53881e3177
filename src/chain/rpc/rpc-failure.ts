import { isObject } from '../../json.ts';

/** Classes of failures of a JSON-RPC provider, by what the caller can do about them: spec/roots.md#provider-failures. */
export type RpcFailureClass =
  | 'rate_limited'
  | 'range'
  | 'refused'
  | 'not_there'
  | 'unreachable'
  | 'bad_response'
  | 'chain_mismatch'
  | 'invalid_params'
  | 'reverted';

/** Details of a failure. */
export interface RpcFailureDetails {
  /** Pause requested by the provider, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Number of blocks that the provider states as accepted. */
  readonly acceptedBlocks?: number;
  /** Whether the logs of a single block were refused as too large a range. */
  readonly isSingleBlock?: boolean;
  /** Data of a revert, as 0x hex. */
  readonly revertData?: string;
}

/** Failure of a call to a provider. The message never contains the URL. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly failureClass: RpcFailureClass;
  readonly details: RpcFailureDetails;

  constructor(
    failureClass: RpcFailureClass,
    message: string,
    details: RpcFailureDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.failureClass = failureClass;
    this.details = details;
  }
}

/** Member `error` of a JSON-RPC response. */
export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Context of an error. */
export interface ErrorContext {
  /** Method that was called. */
  readonly method: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Pause requested by the response, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

const MAX_SHOWN_CHARACTERS = 200;
/** Longer texts are cut, which bounds the time of the patterns below. */
const MAX_READ_CHARACTERS = 1000;
const REVERT_CODE = 3;
const INVALID_PARAMS = -32_602;
const RATE_CODES: readonly number[] = [-32_005, 429];
const TOO_MANY_REQUESTS = 429;
const TOO_LARGE = 413;

const REFUSED = /unauthorized|invalid api key/;
const RATE = /rate limit|too many requests/;
const CAPACITY = /capacity/;
const REVERT = /revert/;
const NOT_THERE = new RegExp(
  [
    'missing trie node|pruned|header (?:for hash )?not found|block not found|unknown block|resource not found',
    // geth: a block that a fork replaced, and a range that ends above its head.
    'state not available|not currently canonical|beyond current head',
  ].join('|'),
);
const RANGE = new RegExp(
  [
    '\\branges?\\b|\\bresults\\b|response (?:size|is too (?:large|big))|query returned more than',
    'too many (?:blocks|logs)|exceeds limit of|limit exceeded\\D*\\d|\\d\\D*limit exceeded',
  ].join('|'),
);
/** Answers to a block hash (EIP-1898) from providers that support only block numbers. */
const BLOCK_HASH = /invalid (?:argument|params|block)|cannot unmarshal/;

/** A pair of hexadecimal blocks that a provider suggests. */
const SUGGESTED = /\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/;
const NAMED_LIMIT = /(?:limited to|up to|maximum|max|at most|exceeds?)\D{0,40}?(\d[\d,_]{0,8})\s?(k)?\b/;

/** Converts an error of a JSON-RPC response to a failure. */
export function classifyError(error: RpcErrorObject, context: ErrorContext): RpcFailure {
  const text =
    `${error.message.slice(0, MAX_READ_CHARACTERS)} ${textOf(error.data).slice(0, MAX_READ_CHARACTERS)}`.toLowerCase();
  const failureClass = classOf(error.code, text, context);
  const message = `error ${error.code}: ${JSON.stringify(error.message.slice(0, MAX_SHOWN_CHARACTERS))}`;
  return new RpcFailure(failureClass, message, detailsOf(failureClass, error, text, context));
}

/** Converts a response that is not JSON-RPC to a failure. */
export function classifyStatus({ method, status, retryAfterMs }: ErrorContext): RpcFailure {
  if (status >= 200 && status < 300) {
    return new RpcFailure('bad_response', `the answer of status ${status} is no JSON-RPC response`);
  }
  return new RpcFailure(classOfStatus(method, status) ?? 'unreachable', `HTTP status ${status}`, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function classOfStatus(method: string, status: number): RpcFailureClass | undefined {
  if (status === 401 || status === 403) return 'refused';
  if (status === TOO_MANY_REQUESTS) return 'rate_limited';
  if (status === TOO_LARGE && method === 'eth_getLogs') return 'range';
  return undefined;
}

function classOf(code: number, text: string, { method, status }: ErrorContext): RpcFailureClass {
  const known = classOfStatus(method, status);
  if (known !== undefined) return known;
  if (method === 'eth_call' && (code === REVERT_CODE || REVERT.test(text))) return 'reverted';
  if (REFUSED.test(text)) return 'refused';
  if (RATE.test(text)) return 'rate_limited';
  if (NOT_THERE.test(text)) return 'not_there';
  if (method === 'eth_getLogs' && RANGE.test(text)) return 'range';
  if (RATE_CODES.includes(code) || CAPACITY.test(text)) return 'rate_limited';
  if (method === 'eth_call' && (code === INVALID_PARAMS || BLOCK_HASH.test(text))) return 'invalid_params';
  return status > 400 ? 'unreachable' : 'bad_response';
}

function detailsOf(
  failureClass: RpcFailureClass,
  { data }: RpcErrorObject,
  text: string,
  { retryAfterMs }: ErrorContext,
): RpcFailureDetails {
  if (failureClass === 'reverted') return { revertData: revertDataOf(data) };
  if (failureClass !== 'range') return retryAfterMs === undefined ? {} : { retryAfterMs };
  const acceptedBlocks = acceptedBlocksOf(text);
  return acceptedBlocks === undefined ? {} : { acceptedBlocks };
}

/** Returns the accepted number of blocks stated in a message; undefined if there is none. */
function acceptedBlocksOf(text: string): number | undefined {
  const [, from, to] = SUGGESTED.exec(text) ?? [];
  const [, digits = '0', thousands] = NAMED_LIMIT.exec(text) ?? [];
  const named = Number(digits.replace(/[,_]/g, '')) * (thousands === undefined ? 1 : 1000);
  const blocks = from === undefined || to === undefined ? named : Number(to) - Number(from) + 1;
  return blocks > 0 ? blocks : undefined;
}

/** Some providers return the data of a revert in a text or an object. */
function revertDataOf(data: unknown): string {
  const text = isObject(data) && typeof data.data === 'string' ? data.data : textOf(data);
  return /0x[0-9a-f]*/.exec(text.toLowerCase())?.[0] ?? '0x';
}

/** Returns a text, or the texts in an object; not deeper, because an answer can be nested arbitrarily deep. */
function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isObject(data)) return '';
  return Object.values(data)
    .filter((member) => typeof member === 'string')
    .join(' ');
}
