/** Parsers of the results of the JSON-RPC methods in use. Each throws `bad_response` for anything malformed. */
import { isObject } from '../../json.ts';
import { RpcFailure } from './rpc-failure.ts';

/** A block, as far as it is read. */
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

/** What is asked of a log: which contracts and events, in which blocks. */
export interface LogQuery {
  /** Lower-case addresses. */
  readonly addresses: readonly string[];
  /** Events by topic: number of topics in all, number of data words. */
  readonly events: ReadonlyMap<string, EventShape>;
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** Sizes of an event's log. */
export interface EventShape {
  /** Topics with the first, which names the event. */
  readonly topics: number;
  readonly words: number;
}

const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]{0,13})$/;
const WORD = /^0x[0-9a-f]{64}$/;
const WORD_DIGITS = 64;

/** Writes a number as a quantity. */
export function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Parses a quantity of at most 2^53 − 1. */
export function parseQuantity(value: unknown, name: string): number {
  const text = lowerCase(value);
  const number = text !== undefined && QUANTITY.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw malformed(`${name} is no quantity`);
  return number;
}

/**
 * Parses a result of `eth_getBlockByNumber`.
 *
 * @param number - The block that was asked for; undefined for a tag.
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

/** Parses a result of `eth_getLogs`: each log once, in the order of blocks and positions. */
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

/**
 * Parses a result of `eth_call` as words, lower-case hex digits without prefix.
 *
 * @throws RpcFailure `bad_response` unless the length is that of `count` words
 */
export function parseWords(value: unknown, count: number): string[] {
  const words = wordsOf(value, 'the result of the call');
  if (words.length !== count) throw malformed(`expected ${count} words, got ${words.length}`);
  return words;
}

/** Parses a 32-byte value with prefix. */
export function parseWord(value: unknown, name: string): string {
  const text = lowerCase(value);
  if (text === undefined || !WORD.test(text)) throw malformed(`${name} is not of 32 bytes`);
  return text;
}

function parseLog(entry: unknown, { addresses, events, fromBlock, toBlock }: LogQuery): Log {
  if (!isObject(entry)) throw malformed('a log is no object');
  if (entry.removed !== undefined && entry.removed !== false) throw malformed('a log is marked as removed');
  const address = lowerCase(entry.address);
  if (address === undefined || !addresses.includes(address)) throw malformed('a log is of another contract');
  if (!Array.isArray(entry.topics)) throw malformed('the topics of a log are no array');
  const topics = (entry.topics as readonly unknown[]).map((topic) => parseWord(topic, 'a topic'));
  const shape = events.get(topics[0] ?? '');
  if (shape === undefined) throw malformed('a log is of another event');
  const words = wordsOf(entry.data, 'the data of a log');
  if (topics.length !== shape.topics || words.length !== shape.words)
    throw malformed('a log has another length');
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

function wordsOf(value: unknown, name: string): string[] {
  const text = lowerCase(value);
  if (text === undefined || !/^0x(?:[0-9a-f]{64})*$/.test(text))
    throw malformed(`${name} is not made of words`);
  const words: string[] = [];
  for (let at = 2; at < text.length; at += WORD_DIGITS) words.push(text.slice(at, at + WORD_DIGITS));
  return words;
}

function lowerCase(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

function malformed(message: string): RpcFailure {
  return new RpcFailure('bad_response', message);
}
