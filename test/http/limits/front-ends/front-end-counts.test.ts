// Rules: spec/operations.md#connections-and-memory
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UnfinishedExchange } from '../../../../src/http/limits/address-shares.ts';
import {
  clearFrontEnd,
  createFrontEndCounts,
  FrontEndAddresses,
  FrontEndConnections,
  type FrontEndCounts,
  FrontEndServing,
  frontEndLimits,
} from '../../../../src/http/limits/front-ends/front-end-counts.ts';
import { UnfinishedExchanges } from '../../../../src/http/limits/unfinished-exchanges.ts';
import { pollUntil } from '../../../support/until.ts';

const BOUNDS = { maxUnfinishedPerAddress: 10, maxBodyBytesPerAddress: 1000 };

class FakeExchange extends UnfinishedExchange {
  readonly clientKey: string;
  readonly #onEnd: () => void;

  constructor(clientKey: string, onEnd: () => void) {
    super();
    this.clientKey = clientKey;
    this.#onEnd = onEnd;
  }

  endEarly(): void {
    this.#onEnd();
  }
}

interface FrontEnd {
  readonly unfinished: UnfinishedExchanges;
  /** Addresses whose exchanges were ended, in order. */
  readonly ended: string[];
  add(address: string, bytes?: number): FakeExchange;
}

function frontEndOf(counts: FrontEndCounts, index: number): FrontEnd {
  const ended: string[] = [];
  const limits = { ...BOUNDS, maxUnfinished: 1000, maxBodyBytes: 1e6 };
  const addresses = new FrontEndAddresses(counts, index, BOUNDS);
  const unfinished = new UnfinishedExchanges(limits, { endedEarly() {} }, addresses);
  return {
    unfinished,
    ended,
    add(address, bytes = 0) {
      const exchange = new FakeExchange(address, () => ended.push(address));
      unfinished.add(exchange);
      if (bytes > 0) unfinished.take(exchange, bytes);
      return exchange;
    },
  };
}

function frontEnds(number: number): { counts: FrontEndCounts; all: FrontEnd[]; held: () => number } {
  const counts = structuredClone(createFrontEndCounts(number));
  const all = Array.from({ length: number }, (_, index) => frontEndOf(counts, index));
  return { counts, all, held: () => all.reduce((sum, { unfinished }) => sum + unfinished.size, 0) };
}

describe('one address over several front ends', () => {
  it('has no more unfinished exchanges than over one, and takes none from others', async () => {
    const { all, held } = frontEnds(3);
    for (const { add } of all) {
      add('honest');
      for (let n = 0; n < 8; n++) add('attacker');
    }
    await pollUntil(() => held() === 13);
    expect(all.flatMap(({ ended }) => ended)).toEqual(Array.from({ length: 14 }, () => 'attacker'));
  });

  it('has no more body memory than over one', () => {
    const { all } = frontEnds(2);
    const [one, other] = all;
    const first = one?.add('a', 600);
    expect(other?.add('b', 900).bodyBytes).toBe(900);
    expect(other?.add('a', 400).bodyBytes).toBe(400);
    expect(one?.add('a', 1).bodyBytes).toBe(1);
    expect(first?.bodyBytes).toBe(0);
    expect([one?.ended, other?.ended]).toEqual([['a'], []]);
    expect(other?.add('a', 600).bodyBytes).toBe(600);
    expect(other?.ended).toEqual(['a']);
  });

  it('ends the body that goes beyond the bound if this front end has no other of the address', () => {
    const { all } = frontEnds(2);
    const [one, other] = all;
    one?.add('a', 1000);
    expect(other?.add('a', 1).bodyBytes).toBe(0);
    expect([one?.ended, other?.ended]).toEqual([[], ['a']]);
  });

  it('gets back what ended, and what a front end counted that has ended', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { counts, all } = frontEnds(2);
    const [one, other] = all;
    const exchange = one?.add('a', 700);
    if (exchange === undefined) throw new Error('one was added');
    one?.unfinished.delete(exchange);
    one?.unfinished.release(exchange);
    expect(other?.add('a', 1000).bodyBytes).toBe(1000);
    clearFrontEnd(counts, 1);
    expect(one?.add('a', 1000).bodyBytes).toBe(1000);
  });
});

describe('connections of front ends', () => {
  it('are counted over all of them, until the front end is cleared', () => {
    const counts = createFrontEndCounts(2);
    const [one, other] = [new FrontEndConnections(counts, 0), new FrontEndConnections(counts, 1)];
    for (let n = 0; n < 3; n++) one.add();
    other.add();
    one.remove();
    expect([one.own, other.own, one.all, new FrontEndConnections(counts).all]).toEqual([2, 1, 3, 3]);
    clearFrontEnd(counts, 0);
    expect(other.all).toBe(1);
  });
});

describe('the limits of a front end', () => {
  it('are its share of those of all clients, and those of an address as they are', () => {
    const http = {
      maxOpenExchanges: 4096,
      maxUnfinished: 3,
      maxBodyBytes: 1_000_000,
      bodyLimitBytes: 400_000,
      ...BOUNDS,
    } as Parameters<typeof frontEndLimits>[0];
    expect(frontEndLimits(http, 4)).toEqual({
      ...http,
      maxUnfinished: 1,
      maxBodyBytes: 400_000,
    });
  });
});

describe('the requests that front ends serve', () => {
  it('are refused by none below its share, and by one beyond it once all together reach the bound', () => {
    const counts = createFrontEndCounts(2);
    const [one, other] = [new FrontEndServing(counts, 0, 10), new FrontEndServing(counts, 1, 10)];
    one.set(9);
    expect([one.isFull(9), one.isFull(10)]).toEqual([false, true]);
    other.set(1);
    expect([one.isFull(9), other.isFull(1), other.isFull(4), other.isFull(5)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    clearFrontEnd(counts, 0);
    expect(other.isFull(5)).toBe(false);
  });
});
