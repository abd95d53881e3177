import { describe, expect, it } from 'vitest';
import { ProviderHealth } from '../../../src/chain/provider/provider-health.ts';
import { RpcFailure, type RpcFailureClass } from '../../../src/chain/rpc/rpc-failure.ts';

const METHOD = 'eth_getLogs';

function open(random = 1) {
  const clock = { now: 1_000_000 };
  const health = new ProviderHealth(
    () => clock.now,
    () => random,
  );
  const fail = (failureClass: RpcFailureClass, retryAfterMs?: number, method = METHOD): void =>
    health.failed(
      method,
      new RpcFailure(failureClass, 'no', retryAfterMs === undefined ? {} : { retryAfterMs }),
    );
  const pauseMs = (): number => (health.suspension?.until ?? clock.now) - clock.now;
  /** Lets the present pause end. */
  const wait = (): void => {
    clock.now += pauseMs();
  };
  return { health, clock, fail, pauseMs, wait };
}

describe('a provider that fails', () => {
  it.each(['unreachable', 'bad_response', 'rate_limited'] as const)(
    'as %s is paused for a second, and twice as long each time up to a minute',
    (failureClass) => {
      const { health, fail, pauseMs, wait } = open();
      const pauses = Array.from({ length: 8 }, () => {
        expect(health.suspension).toBeUndefined();
        fail(failureClass);
        expect(health.suspension?.reason).toBe(failureClass);
        const pause = pauseMs();
        wait();
        return pause;
      });
      expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
      health.succeeded(METHOD, 1);
      fail(failureClass);
      expect(pauseMs()).toBe(1000);
    },
  );

  it('is paused for down to half the time, by chance', () => {
    const { fail, pauseMs } = open(0);
    fail('unreachable');
    expect(pauseMs()).toBe(500);
  });

  it('is paused for as long as it asks, but at least a second', () => {
    const { fail, pauseMs, wait } = open();
    fail('rate_limited', 240_000);
    expect(pauseMs()).toBe(240_000);
    wait();
    fail('unreachable', 0);
    expect(pauseMs()).toBe(1000);
  });

  it('as refused is paused for five minutes', () => {
    const { fail, pauseMs } = open();
    fail('refused');
    expect(pauseMs()).toBe(300_000);
  });

  it('as one of another chain is never asked again', () => {
    const { health, clock, fail } = open();
    fail('chain_mismatch');
    clock.now += 1e12;
    health.succeeded('eth_chainId', 1);
    expect(health.suspension?.reason).toBe('chain_mismatch');
    expect(health.status).toEqual({ state: 'chain_mismatch', since: 1_000_000 });
  });

  it.each(['range', 'not_there', 'invalid_params', 'reverted'] as const)(
    'as %s is not paused',
    (failureClass) => {
      const { health, fail } = open();
      fail(failureClass);
      expect(health.suspension).toBeUndefined();
      expect(health.failures).toBe(0);
      expect(health.lastFailure).toBeUndefined();
    },
  );

  it('at several calls under way together has failed once', () => {
    const { health, fail, pauseMs } = open();
    for (let call = 0; call < 5; call++) fail('unreachable');
    expect(health.failures).toBe(1);
    expect(pauseMs()).toBe(1000);
  });

  it('at one method alone is paused ever longer, whatever else it answers', () => {
    const { health, fail, pauseMs, wait } = open();
    const pauses = [1, 2, 3].map(() => {
      health.succeeded('eth_getBlockByNumber', 1);
      fail('bad_response');
      const pause = pauseMs();
      wait();
      return pause;
    });
    expect(pauses).toEqual([1000, 2000, 4000]);
    expect(health.failures).toBe(3);
    health.succeeded(METHOD, 1);
    expect(health.failures).toBe(0);
  });

  it('stays paused when an earlier call is answered', () => {
    const { health, fail, pauseMs } = open();
    fail('refused');
    health.succeeded(METHOD, 1);
    expect(pauseMs()).toBe(300_000);
  });

  it('is in its state until it answers, with the time of the first failure', () => {
    const { health, fail, wait } = open();
    fail('unreachable');
    wait();
    fail('rate_limited');
    wait();
    expect(health.status).toEqual({ state: 'rate_limited', since: 1_000_000 });
    expect(health.lastFailure).toMatchObject({ at: 1_001_000, failure: { failureClass: 'rate_limited' } });
    health.succeeded(METHOD, 1);
    expect(health.status).toEqual({ state: 'up' });
  });
});

describe('a provider in quarantine', () => {
  it('is not asked for ten minutes', () => {
    const { health, clock, fail } = open();
    health.quarantine();
    fail('unreachable');
    health.succeeded(METHOD, 1);
    clock.now += 599_999;
    expect(health.suspension).toEqual({ reason: 'disagreement', since: 1_000_000, until: 1_600_000 });
    expect(health.status).toEqual({ state: 'disagreement', since: 1_000_000 });
    clock.now += 1;
    expect(health.suspension).toBeUndefined();
    expect(health.status).toEqual({ state: 'up' });
  });

  it('stays excluded if it was excluded for longer', () => {
    const { health, fail } = open();
    fail('chain_mismatch');
    health.quarantine();
    expect(health.suspension?.reason).toBe('chain_mismatch');
  });
});

describe('a provider', () => {
  it('lags since it was first behind', () => {
    const { health, clock } = open();
    health.setLagging(true);
    clock.now += 5000;
    health.setLagging(true);
    expect(health.status).toEqual({ state: 'lagging', since: 1_000_000 });
    health.setLagging(false);
    expect(health.status).toEqual({ state: 'up' });
  });

  it('is slow while its calls take more than a second on average', () => {
    const { health } = open();
    health.succeeded(METHOD, 4000);
    expect(health.isSlow).toBe(false);
    health.succeeded(METHOD, 4000);
    expect(health.isSlow).toBe(true);
    for (let call = 0; call < 5; call++) health.succeeded(METHOD, 100);
    expect(health.isSlow).toBe(false);
  });
});
