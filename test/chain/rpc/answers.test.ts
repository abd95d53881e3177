import { describe, expect, it } from 'vitest';
import {
  type LogQuery,
  parseBlock,
  parseBytes,
  parseCallResult,
  parseLogs,
  parseQuantity,
  quantity,
  revertOf,
  wordsOf,
} from '../../../src/chain/rpc/answers.ts';
import { RpcFailure, type RpcFailureClass } from '../../../src/chain/rpc/rpc-failure.ts';
import { SCALAR_ORDER } from '../../../src/semaphore/words.ts';
import { encodeWords } from '../../support/chain/contracts.ts';

const refusal = (failureClass: RpcFailureClass): unknown => expect.objectContaining({ failureClass });
const HASH = `0x${'Ab'.repeat(32)}`;

describe('a quantity', () => {
  it.each([
    ['0x0', 0],
    ['0x1e0', 480],
    ['0xAb', 171],
    ['0x1fffffffffffff', Number.MAX_SAFE_INTEGER],
  ])('%s is %i', (text, value) => {
    expect(parseQuantity(text, 'it')).toBe(value);
    expect(quantity(value)).toBe(text.toLowerCase());
  });

  it.each([
    '0x',
    '0x00',
    '0x01',
    '1',
    '',
    '0X1',
    '0x1 ',
    '0xg',
    '0x20000000000000',
    '0xffffffffffffffff',
    1,
    null,
  ])('is not %j', (value) => {
    expect(() => parseQuantity(value, 'it')).toThrow(refusal('bad_response'));
  });
});

describe('a block', () => {
  const shown = { number: '0x10', hash: HASH, parentHash: HASH, timestamp: '0x6553f100', gasUsed: '0x0' };

  it('has number, hash, parent hash and time', () => {
    const hash = HASH.toLowerCase();
    const block = { number: 16, hash, parentHash: hash, time: 1_700_000_000 };
    expect(parseBlock(shown)).toEqual(block);
    expect(parseBlock(shown, 16)).toEqual(block);
  });

  it('that is null is unknown to the provider', () => {
    expect(() => parseBlock(null, 16)).toThrow(refusal('not_there'));
  });

  it.each([
    ['another number than the one asked for', { ...shown, number: '0x11' }],
    ['a number that is no quantity', { ...shown, number: 16 }],
    ['a short hash', { ...shown, hash: HASH.slice(0, 64) }],
    ['no hash, as a pending block', { ...shown, hash: null }],
    ['a long parent hash', { ...shown, parentHash: `${HASH}00` }],
    ['no time', { ...shown, timestamp: undefined }],
    ['the form of an array', [shown]],
    ['the form of a text', HASH],
    ['no value', undefined],
  ])('is refused with %s', (_fault, value) => {
    expect(() => parseBlock(value, 16)).toThrow(refusal('bad_response'));
  });
});

describe('bytes', () => {
  it('are hex digits in whole words, or not', () => {
    expect(parseBytes('0xAB', 'they')).toBe('ab');
    expect(wordsOf('')).toEqual([]);
    expect(wordsOf(encodeWords(1, 2))).toEqual([encodeWords(1), encodeWords(2)]);
    expect(wordsOf('ab')).toBeUndefined();
  });

  it.each(['0xabc', 'ab', '', '0xzz', null, 1, ['0xab']])('are not %j', (value) => {
    expect(() => parseBytes(value, 'they')).toThrow(refusal('bad_response'));
  });
});

describe('logs', () => {
  const address = '0xABcdef0000000000000000000000000000000001';
  const indexed = `0x${'1'.repeat(64)}`;
  const plain = `0x${'2'.repeat(64)}`;
  const query: LogQuery = {
    addresses: [address.toLowerCase()],
    events: new Map([
      [indexed, { topics: 3, words: 0, scalarTopics: [1, 2] }],
      [plain, { topics: 1, words: 2, scalarWords: [0] }],
    ]),
    fromBlock: 16,
    toBlock: 31,
  };
  const word = (value: bigint): string => `0x${encodeWords(value)}`;
  const log = {
    address,
    topics: [indexed, word(5n), word(6n)],
    data: '0x',
    blockNumber: '0x10',
    blockHash: HASH,
    logIndex: '0x0',
    removed: false,
  };
  const other = {
    ...log,
    topics: [plain],
    data: `0x${encodeWords(7n, SCALAR_ORDER)}`,
    blockNumber: '0x1f',
    removed: undefined,
  };

  it('are parsed to topics, words and place, with hashes in lower case', () => {
    expect(parseLogs([log, other], query)).toEqual([
      {
        address: address.toLowerCase(),
        topics: log.topics,
        words: [],
        block: 16,
        blockHash: HASH.toLowerCase(),
        index: 0,
      },
      expect.objectContaining({ block: 31, words: [encodeWords(7n), encodeWords(SCALAR_ORDER)] }),
    ]);
    expect(parseLogs([], query)).toEqual([]);
  });

  it('out of order are sorted by block and position, and the same one twice counts once', () => {
    const third = { ...log, logIndex: '0xa' };
    const second = { ...log, logIndex: '0x9' };
    const places = parseLogs(
      [other, third, log, second, { ...third, address: address.toLowerCase() }],
      query,
    );
    expect(places.map(({ block, index }) => [block, index])).toEqual([
      [16, 0],
      [16, 9],
      [16, 10],
      [31, 0],
    ]);
  });

  it.each([
    ['at the same position with another root', [log, { ...log, topics: [indexed, word(5n), word(7n)] }]],
    ['at the same position with another block hash', [log, { ...log, blockHash: `0x${'0'.repeat(64)}` }]],
    ['that was removed', [{ ...log, removed: true }]],
    ['whose mark of removal is no boolean', [{ ...log, removed: 'false' }]],
    ['of another contract', [{ ...log, address: '0x0000000000000000000000000000000000000002' }]],
    ['without address', [{ ...log, address: undefined }]],
    ['of another event', [{ ...log, topics: [word(1n), word(5n), word(6n)] }]],
    ['without topics', [{ ...log, topics: [] }]],
    ['whose topics are no array', [{ ...log, topics: indexed }]],
    ['with a topic too few', [{ ...log, topics: [indexed, word(5n)] }]],
    ['with a topic too many', [{ ...log, topics: [indexed, word(5n), word(6n), word(7n)] }]],
    ['with a short topic', [{ ...log, topics: [indexed, '0x05', word(6n)] }]],
    ['with data too long', [{ ...log, data: word(0n) }]],
    ['with two words too few', [{ ...other, data: '0x' }]],
    ['with a part of a word', [{ ...other, data: `${other.data}00` }]],
    ['with data that are no hex text', [{ ...log, data: null }]],
    ['below the range', [{ ...log, blockNumber: '0xf' }]],
    ['above the range', [{ ...log, blockNumber: '0x20' }]],
    ['that is pending', [{ ...log, blockNumber: null }]],
    ['without position', [{ ...log, logIndex: undefined }]],
    ['without block hash', [{ ...log, blockHash: null }]],
    ['with a first root of r', [{ ...log, topics: [indexed, word(SCALAR_ORDER), word(6n)] }]],
    ['with a second root above r', [{ ...log, topics: [indexed, word(5n), `0x${'f'.repeat(64)}`] }]],
    ['with a root of r in its data', [{ ...other, data: `0x${encodeWords(SCALAR_ORDER, 0n)}` }]],
    ['that are no object', [null]],
  ])('%s make the whole answer bad', (_fault, logs) => {
    expect(() => parseLogs([...logs, other], query)).toThrow(refusal('bad_response'));
  });

  it('with the largest root are taken', () => {
    const topics = [indexed, word(SCALAR_ORDER - 1n), word(0n)];
    expect(parseLogs([{ ...log, topics }], query)).toHaveLength(1);
  });

  it.each([[{}], [null], ['[]']])('are an array, not %j', (value) => {
    expect(() => parseLogs(value, query)).toThrow(refusal('bad_response'));
  });
});

const WORD = '1'.padStart(64, '0');

describe('a result of eth_call', () => {
  it('has the words of the function, or the length of what is none of it', () => {
    expect(parseCallResult(`0x${WORD}${WORD}`, 2)).toEqual({ words: [WORD, WORD] });
    expect(parseCallResult(`0x${WORD}`, 2)).toEqual({ bytes: 32 });
    expect(parseCallResult('0x', 1)).toEqual({ bytes: 0 });
    expect(parseCallResult('0x0102', 1)).toEqual({ bytes: 2 });
  });

  it.each([[undefined], [null], [1], ['01'], ['0x1'], ['0xzz']])('%j is a bad response', (value) => {
    expect(() => parseCallResult(value, 1)).toThrow(
      expect.objectContaining({ failureClass: 'bad_response' }),
    );
  });

  it('of a call that reverted is the selector of the error', () => {
    const failure = (details = {}) => new RpcFailure('reverted', 'reverted', details);
    expect(revertOf(failure({ revertData: `0x08c379a0${WORD}` }))).toEqual({ revert: '0x08c379a0' });
    expect(revertOf(failure())).toEqual({ revert: '0x' });
  });
});
