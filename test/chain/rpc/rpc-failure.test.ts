import { describe, expect, it } from 'vitest';
import {
  classifyError,
  classifyStatus,
  type RpcErrorObject,
  type RpcFailureClass,
} from '../../../src/chain/rpc/rpc-failure.ts';

function classOf(method: string, code: number, message: string, status = 200): RpcFailureClass {
  return classifyError({ code, message }, { method, status }).failureClass;
}

function rangeOf(message: string, data?: unknown): number | undefined {
  const failure = classifyError({ code: -32_600, message, data }, { method: 'eth_getLogs', status: 200 });
  expect(failure.failureClass).toBe('range');
  return failure.details.acceptedBlocks;
}

describe('an error for eth_getLogs', () => {
  const cases: readonly (readonly [RpcFailureClass, number, string])[] = [
    ['rate_limited', -32_005, 'daily request count exceeded'],
    ['rate_limited', -32_005, 'limit exceeded'],
    ['rate_limited', 429, 'Your app has exceeded its compute units per second capacity'],
    ['rate_limited', -32_016, 'over rate limit'],
    ['rate_limited', -32_000, 'Too many requests, try a smaller range or wait'],
    ['range', -32_005, 'query returned more than 10000 results'],
    ['range', -32_005, 'limit exceeded: 10000'],
    ['range', -32_600, 'You can make eth_getLogs requests with up to a 10 block range'],
    ['range', -32_602, 'query exceeds max block range 1000'],
    ['range', -32_603, 'Log response size exceeded'],
    ['range', -32_012, 'block range is too large'],
    ['range', -32_614, 'eth_getLogs is limited to a 10,000 range'],
    ['range', 35, 'ranges over 10000 blocks are not supported on the free tier'],
    ['range', -32_000, 'requested too many blocks from 1 to 5000, maximum is set to 2048'],
    ['refused', -32_000, 'Unauthorized: sign up for a key'],
    ['refused', -32_001, 'invalid API key'],
    ['not_there', -32_000, 'missing trie node 5f (path )'],
    ['not_there', -32_000, 'history has been pruned for this block'],
    ['not_there', -32_000, 'header not found'],
    ['not_there', -32_000, 'header for hash not found'],
    ['not_there', -32_000, 'unknown block'],
    ['not_there', -32_001, 'Resource not found'],
    ['not_there', -32_000, 'required historical state not available'],
    ['not_there', -32_602, 'block range extends beyond current head block'],
    ['bad_response', -32_602, 'invalid params'],
    ['bad_response', -32_601, 'the method does not exist'],
    ['bad_response', 3, 'execution reverted'],
  ];
  it.each(cases)('is %s: %i %s', (failureClass, code, message) => {
    expect(classOf('eth_getLogs', code, message)).toBe(failureClass);
  });

  it.each([
    ['refused', 401],
    ['refused', 403],
    ['rate_limited', 429],
    ['range', 413],
    ['unreachable', 404],
    ['unreachable', 503],
    ['bad_response', 400],
  ] as const)('is %s with the HTTP status %i', (failureClass, status) => {
    expect(classOf('eth_getLogs', -32_000, 'some error', status)).toBe(failureClass);
  });

  it('is read in its data, too', () => {
    const error = { code: -32_602, message: 'invalid params', data: 'block range limit exceeded' };
    expect(classifyError(error, { method: 'eth_getLogs', status: 200 }).failureClass).toBe('range');
  });

  it.each([
    [10, 'You can make requests with up to a 10 block range'],
    [10_000, 'eth_getLogs is limited to a 10,000 range'],
    [10_000, 'the maximum block range is 10k'],
    [2048, 'requested too many blocks from 1 to 5000, maximum is set to 2048'],
    [1000, 'block range of 5000 exceeds 1000'],
    [undefined, 'block range is too large'],
    [undefined, 'query returned more than 10000 results'],
    [undefined, 'block range exceeds 0'],
  ])('names %s blocks as accepted: %s', (blocks, message) => {
    expect(rangeOf(message)).toBe(blocks);
  });

  it('names a pair of blocks as an accepted range, which counts before a number', () => {
    expect(rangeOf('up to a 10 block range; this range should work: [0x10, 0x14]')).toBe(5);
    expect(rangeOf('query returned too many results', 'Try with this block range [0x0, 0xff].')).toBe(256);
    expect(rangeOf('this range should work: [0x14, 0x10]')).toBeUndefined();
  });
});

describe('an error for eth_call', () => {
  const call = (error: RpcErrorObject) => classifyError(error, { method: 'eth_call', status: 200 });

  it.each([
    ['of the error itself', '0x5B8DABB7', '0x5b8dabb7'],
    ['in a text', 'Reverted 0x5b8dabb7', '0x5b8dabb7'],
    ['in an object', { message: 'at 0x01', data: '0x5b8dabb7' }, '0x5b8dabb7'],
    ['that are none', undefined, '0x'],
  ])('with code 3 is a revert with the data %s', (_where, data, revertData) => {
    const failure = call({ code: 3, message: 'execution reverted', data });
    expect(failure.failureClass).toBe('reverted');
    expect(failure.details).toEqual({ revertData });
  });

  it('that says so is a revert with any code and any reason', () => {
    expect(classOf('eth_call', -32_000, 'execution reverted: Unauthorized')).toBe('reverted');
    expect(classOf('eth_call', -32_015, 'VM execution error: reverted')).toBe('reverted');
  });

  it.each([
    [-32_602, 'invalid params'],
    [-32_602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string'],
    [-32_000, 'invalid block tag'],
  ])('is about its parameters: %i %s', (code, message) => {
    expect(classOf('eth_call', code, message)).toBe('invalid_params');
  });

  it('about a block that a fork replaced says that this is gone', () => {
    expect(classOf('eth_call', -32_000, 'hash abc is not currently canonical')).toBe('not_there');
  });

  it('has no range', () => {
    expect(classOf('eth_call', -32_000, 'value out of range')).toBe('bad_response');
    expect(classOf('eth_call', -32_000, 'some error', 413)).toBe('unreachable');
  });
});

describe('an error', () => {
  it('is shown with its code and the beginning of its message', () => {
    const failure = classifyError(
      { code: 7, message: `"${'x'.repeat(300)}` },
      { method: 'eth_call', status: 200 },
    );
    expect(failure.message).toBe(`error 7: "\\"${'x'.repeat(199)}"`);
  });

  it('of a rate limit has the pause that the response asks for', () => {
    const context = { method: 'eth_call', status: 429, retryAfterMs: 5000 };
    expect(classifyError({ code: 1, message: '' }, context).details).toEqual({ retryAfterMs: 5000 });
    expect(classifyStatus(context).details).toEqual({ retryAfterMs: 5000 });
  });

  it('nested without end, or with patterns that repeat, is read at once', () => {
    let data: unknown = '0x';
    for (let depth = 0; depth < 1_000_000; depth++) data = { data };
    expect(
      classifyError({ code: 3, message: 'revert', data }, { method: 'eth_call', status: 200 }).details,
    ).toEqual({
      revertData: '0x',
    });
    const message = 'limit exceeded '.repeat(500_000);
    expect(classOf('eth_getLogs', 1, message)).toBe('bad_response');
  });
});

describe('a response that is no JSON-RPC response', () => {
  it.each([
    ['bad_response', 200],
    ['bad_response', 204],
    ['refused', 401],
    ['refused', 403],
    ['range', 413],
    ['rate_limited', 429],
    ['unreachable', 400],
    ['unreachable', 502],
  ] as const)('is %s with the HTTP status %i', (failureClass, status) => {
    expect(classifyStatus({ method: 'eth_getLogs', status }).failureClass).toBe(failureClass);
  });
});
