/** Parsers of the results of the JSON-RPC methods in use. Each throws `bad_response` for anything malformed. */
import { isObject } from '../../json.ts';
import { SCALAR_ORDER } from '../../semaphore/words.ts';
import { RpcFailure } from './rpc-failure.ts';

/** The parts of a block that are read. */
export interface Block {
  readonly number: number;
  /** 0x and 64 lower-case hex digits, like every hash here. */
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since the epoch. */
  readonly time: number;
}

/** A log of a contract. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  /** Data as 32-byte words, lower-case hex digits without prefix. */
  readonly words: readonly string[];
  readonly block: number;
  readonly blockHash: string;
  /** Position in the block. */
  readonly index: number;
}

/** A query for logs: contracts, events and range of blocks. */
export interface LogQuery {
  /** Lower-case addresses. */
  readonly addresses: readonly string[];
  /** Events by topic: number of topics in all, number of data words. */
  readonly events: ReadonlyMap<string, EventShape>;
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Shape of the logs of an event. */
export interface EventShape {
  /** Number of topics, including the first, which identifies the event. */
  readonly topics: number;
  readonly words: number;
  /** Positions among the topics and among the words of values below r, the order of the scalar field; none if absent. */
  readonly scalarTopics?: readonly number[];
  readonly scalarWords?: readonly number[];
}

const QUANTITY = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,13})$/;
const WORD = /^0x[0-9a-fA-F]{64}$/;
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const PREFIX_CHARACTERS = 2;
const WORD_DIGITS = 64;
// Numbers as 64 lower-case hex digits compare like their texts.
const SCALAR_ORDER_DIGITS = SCALAR_ORDER.toString(16).padStart(WORD_DIGITS, '0');

/** Formats a number as a quantity. */
export function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Parses a quantity of at most 2^53 − 1. */
export function parseQuantity(value: unknown, name: string): number {
  const number = typeof value === 'string' && QUANTITY.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw malformed(`${name} is no quantity`);
  return number;
}

/**
 * Parses a result of `eth_getBlockByNumber`.
 *
 * @param number - The requested block; undefined for a tag.
 * @throws RpcFailure `not_there` for a block that the provider does not know
 */
export function parseBlock(value: unknown, number?: number): Block {
  if (value === null) throw new RpcFailure('not_there', `block ${number ?? ''} is unknown`);
  if (!isObject(value)) throw malformed('the block is no object');
  const block = {
    number: parseQuantity(value.number, 'the number of the block'),
    hash: parseWord(value.hash, 'the hash of the block'),
    parentHash: parseWord(value.parentHash, 'parentHash'),
    time: parseQuantity(value.timestamp, 'the time of the block'),
  };
  if (number !== undefined && block.number !== number) {
    throw malformed(`expected block ${number}, got ${block.number}`);
  }
  return block;
}

/** Parses a result of `eth_getLogs`: logs without duplicates, in the order of blocks and positions. */
export function parseLogs(value: unknown, query: LogQuery): Log[] {
  if (!Array.isArray(value)) throw malformed('the logs are no array');
  const logs = new Map<string, Log>();
  for (const entry of value as readonly unknown[]) {
    const log = parseLog(entry, query);
    const key = `${log.block}/${log.index}`;
    const other = logs.get(key);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(log)) {
      throw malformed(`two logs have the position ${key}`);
    }
    logs.set(key, log);
  }
  return [...logs.values()].sort((one, other) => one.block - other.block || one.index - other.index);
}

/** Parses bytes as lower-case hex digits without prefix. */
export function parseBytes(value: unknown, name: string): string {
  if (typeof value !== 'string' || !BYTES.test(value)) throw malformed(`${name} is no hex text`);
  return value.slice(PREFIX_CHARACTERS).toLowerCase();
}

/** Splits hex digits into words; undefined unless they are whole words. */
export function wordsOf(digits: string): string[] | undefined {
  if (digits.length % WORD_DIGITS !== 0) return undefined;
  const words: string[] = [];
  for (let at = 0; at < digits.length; at += WORD_DIGITS) words.push(digits.slice(at, at + WORD_DIGITS));
  return words;
}

function parseLog(entry: unknown, { addresses, events, fromBlock, toBlock }: LogQuery): Log {
  if (!isObject(entry)) throw malformed('a log is no object');
  if (entry.removed !== undefined && entry.removed !== false) throw malformed('a log is marked as removed');
  const address = typeof entry.address === 'string' ? entry.address.toLowerCase() : '';
  if (!addresses.includes(address)) throw malformed('a log is of another contract');
  if (!Array.isArray(entry.topics)) throw malformed('the topics of a log are no array');
  const topics = (entry.topics as readonly unknown[]).map((topic) => parseWord(topic, 'a topic'));
  const words = wordsOf(parseBytes(entry.data, 'the data of a log'));
  checkShape(topics, words, events.get(topics[0] ?? ''));
  const block = parseQuantity(entry.blockNumber, 'the block of a log');
  if (block < fromBlock || block > toBlock)
    throw malformed(`a log is of block ${block}, which was not asked for`);
  return {
    address,
    topics,
    words,
    block,
    blockHash: parseWord(entry.blockHash, 'the block hash of a log'),
    index: parseQuantity(entry.logIndex, 'the position of a log'),
  };
}

function checkShape(
  topics: readonly string[],
  words: readonly string[] | undefined,
  shape: EventShape | undefined,
): asserts words is readonly string[] {
  if (shape === undefined) throw malformed('a log is of another event');
  if (topics.length !== shape.topics || words?.length !== shape.words)
    throw malformed('a log has another length');
  const { scalarTopics = [], scalarWords = [] } = shape;
  const scalars = [
    ...scalarTopics.map((position) => topics[position]?.slice(PREFIX_CHARACTERS) ?? ''),
    ...scalarWords.map((position) => words[position] ?? ''),
  ];
  if (scalars.some((digits) => digits >= SCALAR_ORDER_DIGITS))
    throw malformed('a root of a log is not below r');
}

/** Parses a 32-byte value with prefix, in lower case. */
function parseWord(value: unknown, name: string): string {
  if (typeof value !== 'string' || !WORD.test(value)) throw malformed(`${name} is not of 32 bytes`);
  return value.toLowerCase();
}

function malformed(message: string): RpcFailure {
  return new RpcFailure('bad_response', message);
}

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
 * length of a result that does not fit the function: 0 bytes without a contract, others for a contract of another kind.
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
