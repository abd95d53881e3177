import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, createChain } from '../../src/chain/chain.ts';
import { hang, raw } from '../support/chain/broken-answers.ts';
import { type FakeProvider, startFakeProvider } from '../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../support/chain/scripted-chain.ts';
import { until } from '../support/until.ts';

const script = new ScriptedChain();
script.mineMany(5);
let providers: FakeProvider[];

beforeAll(async () => {
  providers = await Promise.all([1, 2].map(() => startFakeProvider(scriptedBackend(script))));
});
afterAll(async () => {
  await Promise.all(providers.map((provider) => provider.close()));
});

function open(signal: AbortSignal): Chain {
  return createChain({
    // Two hosts: a port alone does not make another provider.
    urls: providers.map(({ url }, index) => (index === 0 ? url : url.replace('127.0.0.1', 'localhost'))),
    chainId: 480,
    quorum: 2,
    signal,
    now: Date.now,
    limits: { timeoutMs: 60_000, maxResponseBytes: 100_000 },
    observe: () => undefined,
    onDisagreement: () => undefined,
  });
}

describe('a chain over HTTP', () => {
  it('reads facts from several providers', async () => {
    const chain = open(new AbortController().signal);
    expect((await chain.target(2)).hash).toBe(script.at(3)?.hash);
    expect(chain.warnings().map(({ kind }) => kind)).not.toContain('shared_host');
    expect(providers.every(({ calls }) => calls.length >= 3)).toBe(true);
  });

  it('names the class of a failure, and no part of a URL that may hold a key', async () => {
    const [one] = providers as [FakeProvider];
    one.broken = raw(403, '');
    const error: unknown = await open(new AbortController().signal)
      .target(2)
      .catch((cause: unknown) => cause);
    one.broken = undefined;
    expect(error).toMatchObject({ reason: 'quorum_missing', failure: { failureClass: 'refused' } });
    expect(String(error)).not.toContain('secret');
  });

  it('ends at once when the service stops', async () => {
    for (const provider of providers) provider.broken = hang;
    const before = providers.map(({ calls }) => calls.length);
    const stop = new AbortController();
    const target = open(stop.signal).target(2);
    await until(() => providers.every(({ calls }, index) => calls.length > (before[index] ?? 0)));
    const reason = new Error('the service stops');
    stop.abort(reason);
    await expect(target).rejects.toBe(reason);
    for (const provider of providers) provider.broken = undefined;
  });
});
