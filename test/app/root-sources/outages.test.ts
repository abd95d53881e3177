// Rules: spec/roots.md#failures
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { hangUp } from '../../support/chain/broken-answers.ts';
import { pollUntil } from '../../support/until.ts';
import { SourceService, startSourceService, WINDOW_SECONDS } from './support/source-service.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const WEEK = 604_800;
/** Longer than any pause of a provider that fails. */
const PAUSE = 61;

let service: SourceService;
afterEach(() => service.close());

/** Each tree has a superseded root and a current one, of the same second; the providers are down after that. */
async function cutOff(): Promise<void> {
  service = await new SourceService({}).open();
  service.manager.change(101n);
  service.registry.record(201n);
  service.mine();
  service.manager.change(102n);
  service.registry.record(202n);
  service.mine();
  service.clock.now = service.chain.head.time * 1000;
  await service.start();
  await service.rounds();
  expect(service.states()).toEqual({ orb: 'ok', account: 'ok' });
  for (const provider of service.providers) provider.broken = hangUp;
  service.manager.change(103n);
  service.registry.record(203n);
  service.mine();
}

describe('an outage of all providers', () => {
  it('of a minute refuses proofs over younger roots of 4.0 only', async () => {
    await cutOff();
    await service.advance(MINUTE);
    expect(await service.ofOrb(102n, HOUR)).toBe('accepted');
    expect(await service.ofOrb(101n, HOUR)).toBe('accepted');
    expect(await service.ofAccount(202n)).toBe('accepted');
    expect(await service.ofAccount(201n)).toBe('accepted');
    expect([await service.ofOrb(103n, HOUR), await service.ofAccount(203n)]).toEqual(['unknown', 'unknown']);
    expect(service.states()).toEqual({ orb: 'ok', account: 'ok' });
    const errors =
      'roots_source_errors_total{environment="staging",tree="account",source="account",cause="unreachable"}';
    expect(await service.metric(errors)).toBeGreaterThan(0);
    expect(await service.metric('roots_source_lag_seconds{source="account"}')).toBe(MINUTE);
    expect(await service.metric('roots_provider_up{chain="custom",provider="0"}')).toBe(0);
  });

  it('of an hour ends the last known root of 4.0 with its window, and no current root of 3.0', async () => {
    await cutOff();
    await service.advance(WINDOW_SECONDS);
    expect(await service.ofAccount(202n)).toBe('accepted');
    // The root before it was superseded two seconds earlier than the last one was seen.
    expect(await service.ofAccount(201n)).toBe('accepted');
    service.clock.now += 1000;
    expect(await service.ofAccount(202n)).toBe('too old');
    expect(await service.ofAccount(201n)).toBe('too old');
    expect(await service.ofOrb(102n, HOUR)).toBe('accepted');
    expect(await service.ofOrb(101n, HOUR)).toBe('too old');
    expect(await service.ofOrb(101n, WEEK)).toBe('accepted');
    expect(service.states()).toEqual({ orb: 'ok', account: 'stale' });
    expect(service.stale).toContainEqual(['account', WINDOW_SECONDS]);
    expect(service.stale.filter(([source]) => source !== 'account')).toEqual([]);
  });

  it.each([
    ['a day', DAY],
    ['a week', WEEK],
  ])(
    'of %s leaves the last root of 3.0 current, and ends superseded ones with max_age',
    async (_name, seconds) => {
      await cutOff();
      await service.advance(seconds - 2);
      // The superseded root was received two seconds before the outage.
      expect(await service.ofOrb(101n, seconds)).toBe('accepted');
      service.clock.now += 1000;
      expect(await service.ofOrb(101n, seconds)).toBe('too old');
      expect(await service.ofOrb(102n, MINUTE)).toBe('accepted');
      expect(await service.ofAccount(202n)).toBe('too old');
      expect(service.states()).toEqual({ orb: 'stale', account: 'stale' });
      expect(service.sources.states.isStarting).toBe(false);
    },
  );

  it('is stale after its time, and says so once in ten minutes', async () => {
    await cutOff();
    await service.advance(900);
    expect([service.states().account, service.logged('roots.stale')]).toEqual(['ok', []]);
    service.clock.now += 1000;
    for (let refresh = 0; refresh < 3; refresh++) await service.sources.states.refresh();
    expect(service.states().account).toBe('stale');
    expect(service.logged('roots.stale')).toEqual(['the source account has not advanced for 901 s']);
    service.clock.now += 599_000;
    await service.sources.states.refresh();
    expect(service.logged('roots.stale')).toHaveLength(1);
    service.clock.now += 1000;
    await service.sources.states.refresh();
    expect(service.logged('roots.stale')).toHaveLength(2);
    await service.advance(HOUR);
    // The error is not repeated at each round either.
    const failed = service.logged('roots.round_failed').filter((text) => text.includes('source account'));
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThanOrEqual(3);
  });

  it('ends with everything that happened meanwhile', async () => {
    await cutOff();
    await service.advance(2 * HOUR);
    expect(await service.ofAccount(202n)).toBe('too old');
    for (const provider of service.providers) provider.broken = undefined;
    service.mine();
    await service.advance(PAUSE);
    expect(service.states()).toEqual({ orb: 'ok', account: 'ok' });
    expect(await service.ofAccount(203n)).toBe('accepted');
    // It was superseded at the beginning of the outage.
    expect(await service.ofAccount(202n)).toBe('too old');
    expect(await service.ofOrb(103n, MINUTE)).toBe('accepted');
    expect([await service.ofOrb(102n, HOUR), await service.ofOrb(102n, WEEK)]).toEqual([
      'too old',
      'accepted',
    ]);
    expect(await service.metric('roots_provider_up{chain="custom",provider="0"}')).toBe(1);
  });

  it('does not keep a process from starting with what the store has', async () => {
    await cutOff();
    await service.advance(MINUTE);
    await service.start();
    expect(service.states()).toEqual({ orb: 'ok', account: 'ok' });
    expect(service.sources.states.isStarting).toBe(false);
    expect([await service.ofOrb(102n, HOUR), await service.ofAccount(202n)]).toEqual([
      'accepted',
      'accepted',
    ]);
    service.clock.now += WINDOW_SECONDS * 1000;
    expect(await service.ofAccount(202n)).toBe('too old');
  });

  it('with an empty store is waited for as long as `startWaitSeconds`; then roots are unknown', async () => {
    service = await new SourceService({ roots: { startWaitSeconds: 30 } }).open();
    for (const provider of service.providers) provider.broken = hangUp;
    await service.start();
    await service.rounds();
    expect(service.states()).toEqual({ orb: 'starting', account: 'starting' });
    service.clock.now += 29_999;
    expect(service.sources.states.isStarting).toBe(true);
    service.clock.now += 1;
    expect(service.sources.states.isStarting).toBe(false);
    expect(service.states()).toEqual({ orb: 'starting', account: 'starting' });
    expect([await service.ofOrb(100n, WEEK), await service.ofAccount(200n)]).toEqual(['unknown', 'unknown']);
    expect(await service.metric('roots_source_lag_seconds{source="orb"}')).toBeUndefined();
    for (const provider of service.providers) provider.broken = undefined;
    await service.advance(PAUSE);
    expect(await service.ofOrb(100n, WEEK)).toBe('accepted');
  });
});

describe('an outage of the store', () => {
  it('stops the rounds, and nothing is asked of the providers until it is back', async () => {
    service = await startSourceService();
    await service.rounds();
    service.storeError = new ServiceError('store.unreachable');
    const [provider] = service.providers;
    const before = provider?.calls.length;
    service.clock.now += HOUR * 1000;
    // Each source tries to take its lease again and again.
    await pollUntil(() => service.storeRefusals > 10);
    expect(provider?.calls.length).toBe(before);
    expect(service.states()).toEqual({ orb: 'ok', account: 'stale' });
    service.storeError = undefined;
    service.manager.change(101n);
    service.mine();
    await service.rounds();
    expect(await service.ofOrb(101n, MINUTE)).toBe('accepted');
    expect(service.states()).toEqual({ orb: 'ok', account: 'ok' });
  });
});
