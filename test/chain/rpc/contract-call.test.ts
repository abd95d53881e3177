import { describe, expect, it } from 'vitest';
import { parseCallResult, revertOf } from '../../../src/chain/rpc/answers.ts';
import { RpcFailure } from '../../../src/chain/rpc/rpc-failure.ts';

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
