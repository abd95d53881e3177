// Rules: spec/roots.md#failures and spec/roots.md#bad-input
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import {
  alteringBlocks,
  alteringCalls,
  alteringLogs,
  answering,
  type Behaviour,
} from '../../support/chain/behaviours.ts';
import { hangUp } from '../../support/chain/broken-answers.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import {
  ACCOUNT,
  MANAGER,
  ORB,
  SourceService,
  type SourceServiceOptions,
  startSourceService,
} from './support/source-service.ts';

const HOUR = 3600;
const WEEK = 604_800;
const [BAD_KEY] = (
  JSON.parse(readFileSync(new URL('../../vectors/worldid4-proofs.json', import.meta.url), 'utf8')) as {
    readonly bad_keys: readonly { readonly x: string; readonly y: string }[];
  }
).bad_keys;
const LATER: Behaviour = alteringBlocks((block) => ({
  ...block,
  timestamp: `0x${(Number(block.timestamp) + HOUR).toString(16)}`,
}));
const ANOTHER_CHAIN = answering('0x1', 'eth_chainId');

let service: SourceService;
afterEach(() => service.close());

/** A service with the source of the tree orb alone, after its first round. */
async function startOrb(options: SourceServiceOptions = {}): Promise<void> {
  service = await startSourceService({ sources: [ORB], ...options });
  await service.rounds();
}

function errorsOf(cause: string, id = 'orb'): Promise<number | undefined> {
  const labels = `environment="staging",tree="${id}",source="${id}",cause="${cause}"`;
  return service.metric(`roots_source_errors_total{${labels}}`);
}

describe('a chain that stands still', () => {
  it.each([
    [480, 120],
    [1, 600],
  ])(
    'with the id %i is reported after %i s, once in ten minutes, and every time it is counted',
    async (chainId, seconds) => {
      await startOrb({ chainId, sources: [{ ...ORB, chainId } as typeof ORB] });
      await service.advance(seconds);
      expect(service.logged('roots.head_stale')).toEqual([]);
      await service.advance(60);
      const age = seconds + 60;
      const text = `the chain of orb stands still: its newest block is ${age} s old`;
      expect(service.logged('roots.head_stale')).toEqual([text]);
      await service.advance(60);
      expect(service.logged('roots.head_stale')).toHaveLength(1);
      expect(await errorsOf('head_stale')).toBe(2);
      // The registry answers as before.
      expect(await service.ofOrb(100n, HOUR)).toBe('accepted');
    },
  );

  it('is reported by rounds that fail, too', async () => {
    await startOrb();
    service.chain.setView(MANAGER, '0xd7b0fef1', { revert: '0x' });
    service.mine();
    await service.advance(130);
    expect(service.logged('roots.round_failed')).toHaveLength(1);
    expect(service.logged('roots.head_stale')).toHaveLength(1);
  });

  it('is not what providers that are down are taken for', async () => {
    await startOrb();
    await service.advance(121);
    expect(await errorsOf('head_stale')).toBe(1);
    for (const provider of service.providers) provider.broken = hangUp;
    await service.advance(HOUR);
    expect(await errorsOf('head_stale')).toBe(1);
  });
});

describe('the clock of a node', () => {
  it.each([
    ['ahead', 121, 'the newest block of orb is 121 s behind the clock of this machine'],
    ['behind', -121, 'the newest block of orb is 121 s ahead of the clock of this machine'],
  ])('that is %s by more than two minutes is reported', async (_name, offset, text) => {
    service = await new SourceService({ sources: [ORB] }).open();
    service.clock.now += offset * 1000;
    await service.start();
    await service.rounds();
    expect(service.logged('roots.clock')).toEqual([text]);
    expect(await errorsOf('clock')).toBe(1);
    expect(await service.ofOrb(100n, HOUR)).toBe('accepted');
  });

  it('ages superseded roots: ahead refuses early, behind accepts late', async () => {
    await startOrb();
    service.manager.change(101n);
    service.mine();
    await service.advance(15);
    service.mine();
    await service.advance(15);
    const first = service.chain.head.time;
    service.clock.now = (first + HOUR - 700_000) * 1000;
    expect(await service.ofOrb(100n, WEEK)).toBe('accepted');
    service.clock.now = (first + WEEK + 100_000) * 1000;
    expect(await service.ofOrb(100n, WEEK)).toBe('too old');
    expect(await service.ofOrb(101n, HOUR)).toBe('accepted');
  });

  it('does not matter to the times of roots: those of blocks an hour in the future are used', async () => {
    service = await new SourceService({ sources: [ORB] }).open();
    for (const provider of service.providers) provider.behaviour = LATER;
    service.manager.change(101n);
    service.mine();
    await service.start();
    await service.rounds();
    const rows = await service.store.roots.list({ environment: 'staging', tree: 'orb' });
    const current = rows.find(({ supersededAt }) => supersededAt === null);
    expect(current?.receivedAt).toBe((service.chain.head.time + HOUR) * 1000);
    expect(service.logged('roots.clock')).toHaveLength(1);
    expect([await service.ofOrb(101n, HOUR), await service.ofOrb(100n, HOUR)]).toEqual([
      'accepted',
      'accepted',
    ]);
  });
});

describe('a provider', () => {
  it('that lies alone changes nothing, and is named with the others and no part of their URLs', async () => {
    await startOrb({ providers: 3 });
    const [liar] = service.providers;
    if (liar === undefined) throw new Error('expected a provider');
    const invented = hexWords(31_337n);
    liar.behaviour = (backend) =>
      alteringLogs((logs) => logs.map((log) => ({ ...log, topics: log.topics.with(3, invented) })))(
        alteringCalls(() => invented)(backend),
      );
    service.manager.change(101n);
    service.mine();
    await service.advance(15);
    expect(await service.ofOrb(101n, HOUR)).toBe('accepted');
    expect(await service.ofOrb(31_337n, HOUR)).toBe('unknown');
    const [text = ''] = service.logged('roots.disagreement');
    expect(text).toMatch(/^providers of custom contradict each other about eth_call at block \d+: /);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:7f00:1]']) expect(text).toContain(host);
    expect(JSON.stringify(service.lines)).not.toContain('secret-key');
    expect(await service.metric('roots_disagreements_total{chain="custom"}')).toBe(1);
    const calls = liar.calls.length;
    await service.advance(599);
    expect(liar.calls).toHaveLength(calls);
    await service.advance(15);
    expect(liar.calls.length).toBeGreaterThan(calls);
  });

  it('that is down for a minute is named, also while rounds fail without it', async () => {
    await startOrb({ providers: 3 });
    for (const provider of service.providers.slice(1)) provider.broken = hangUp;
    await service.advance(15);
    expect(service.logged('roots.provider')).toEqual([]);
    expect(service.logged('roots.round_failed')).toHaveLength(1);
    await service.advance(60);
    const named = service.logged('roots.provider').join('\n');
    expect(named).toContain('the provider localhost');
    expect(named).toContain('unreachable');
    expect(named).not.toContain('the provider 127.0.0.1');
    for (const index of [1, 2]) {
      expect(await service.metric(`roots_provider_up{chain="custom",provider="${index}"}`)).toBe(0);
    }
    expect(await service.metric('roots_provider_up{chain="custom",provider="0"}')).toBe(1);
    expect(await service.ofOrb(100n, HOUR)).toBe('accepted');
  });

  it('of another chain does not stop the others; all of them never start the source', async () => {
    service = await new SourceService({ sources: [ORB], providers: 3 }).open();
    for (const provider of service.providers.slice(0, 1)) provider.behaviour = ANOTHER_CHAIN;
    await service.start();
    await service.rounds();
    expect(await service.ofOrb(100n, HOUR)).toBe('accepted');
    await service.close();

    service = await new SourceService({ sources: [ORB], providers: 3 }).open();
    for (const provider of service.providers) provider.behaviour = ANOTHER_CHAIN;
    await service.start();
    await service.rounds();
    await service.advance(HOUR);
    expect(service.states()).toEqual({ orb: 'starting' });
    expect(await service.ofOrb(100n, HOUR)).toBe('unknown');
    expect(await errorsOf('chain_mismatch')).toBe(2);
    expect(service.logged('roots.round_failed')[0]).toContain('chain_mismatch');
  });
});

describe('a contract that was replaced', () => {
  it.each<[string, string, () => void]>([
    [
      'wrong_contract',
      'whose current root reverts',
      () => service.chain.setView(MANAGER, '0xd7b0fef1', { revert: '0x' }),
    ],
    [
      'wrong_contract',
      'whose current root has another length',
      () => service.chain.setView(MANAGER, '0xd7b0fef1', hexWords(1n, 2n)),
    ],
    [
      'incomplete',
      'whose current root changes without a log',
      () => service.chain.setView(MANAGER, '0xd7b0fef1', hexWords(999n)),
    ],
  ])(
    'is %s if it is one %s; the registry keeps answering until it is right again',
    async (code, _name, replace) => {
      await startOrb();
      replace();
      service.mine();
      await service.advance(15);
      expect(service.logged('roots.round_failed')[0]).toMatch(/^the source orb: /);
      expect(await errorsOf(code)).toBe(1);
      expect((await service.store.rootSources.find('orb'))?.lastError).toContain(`roots.${code}`);
      expect([await service.ofOrb(100n, HOUR), await service.ofOrb(999n, HOUR)]).toEqual([
        'accepted',
        'unknown',
      ]);
      service.chain.setView(MANAGER, '0xd7b0fef1', hexWords(100n));
      service.manager.change(101n);
      service.mine();
      await service.advance(15);
      expect(await service.ofOrb(101n, HOUR)).toBe('accepted');
    },
  );
});

it('an unsafe key of an issuer is not used, which is counted and logged', async () => {
  service = await new SourceService({ sources: [ACCOUNT] }).open();
  service.registry.setIssuer(5n, { x: BigInt(BAD_KEY?.x ?? 0), y: BigInt(BAD_KEY?.y ?? 0) });
  service.registry.record(201n);
  service.mine();
  service.clock.now = service.chain.head.time * 1000;
  await service.start();
  await service.rounds();
  expect(await service.ofAccount(201n)).toBe('accepted');
  expect(await service.store.worldId4Keys.listIssuers()).toEqual([]);
  expect(service.logged('roots.bad_key')).toEqual([
    'the source account: issuers 5 is not used: x and y are not a point of BabyJubJub',
  ]);
  expect(await errorsOf('bad_key', 'account')).toBe(1);
});
