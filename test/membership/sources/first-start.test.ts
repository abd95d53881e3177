// Rules: spec/roots.md#first-start and spec/roots.md#bad-input
import { describe, expect, it } from 'vitest';
import { SourceReader } from '../../../src/membership/sources/reader/source-reader.ts';
import { answering, failing } from '../../support/chain/behaviours.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../verification/support/temp-store.ts';
import { History, newHistory, testSource } from './support/history.ts';

const temp = useTempStore();
/** Changes the root in every third block. */
function grow({ chain, contract }: History, changes: number): void {
  for (let change = 1; change <= changes; change++) {
    contract.change(5000n + BigInt(change));
    chain.mineMany(3);
  }
}

describe('the first start', () => {
  it('makes the latest root current before the past is read, and a restart goes on where it was', async () => {
    const history = await newHistory(temp.store);
    grow(history, 40);
    history.chain.mineMany(3);
    // The process ends at the third commit: the current root and the first block of the scan are in.
    await expect(history.nodeThatEndsAt(5).round()).rejects.toThrow('the process ends');
    expect(await history.current()).toEqual([hexWords(5040n)]);
    const state = await temp.store.rootSources.find(history.source.id);
    expect(state?.backfillTo).not.toBeNull();
    const reached = state?.checkpoint?.block ?? 0;
    expect(reached).toBeGreaterThan(history.source.startBlock);

    for (const client of history.clients) client.calls.length = 0;
    await history.settle();
    const ranges = history.clients.flatMap(({ calls }) =>
      calls
        .filter(({ method }) => method === 'eth_getLogs')
        .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock)),
    );
    expect(Math.min(...ranges)).toBe(reached + 1);
    await history.expectFollowed();
  });

  it('finds the first block with providers that have dropped old blocks', async () => {
    const history = await newHistory(temp.store, { lookBackSeconds: 200 });
    history.chain.mineMany(4000);
    grow(history, 40);
    history.chain.mineMany(3);
    const oldest = history.chain.head.number - 1100;
    for (const client of history.clients) {
      client.behaviour = (backend) => async (method, params) =>
        method === 'eth_getBlockByNumber' && Number(params[0]) < oldest
          ? { result: null }
          : backend(method, params);
    }
    expect(await history.node().round()).toBe('advanced');
    const { scanFrom } = (await temp.store.rootSources.find(history.source.id)) ?? {};
    const first = history.chain.at(scanFrom ?? 0);
    expect(history.chain.head.time - (first?.time ?? 0)).toBeLessThan(300);
    expect((await history.found()).length).toBeGreaterThanOrEqual(30);
  });

  it('follows a root that changes while the past is being read', async () => {
    const history = await newHistory(temp.store);
    grow(history, 20);
    history.chain.mineMany(3);
    await expect(history.nodeThatEndsAt(4).round()).rejects.toThrow('the process ends');
    history.contract.change(9000n);
    history.chain.mineMany(5);
    await history.expectSettled();
  });

  it('commits parts that begin small and take some seconds each, however slow the providers are', async () => {
    const history = await newHistory(temp.store, { maxRange: 4000 });
    grow(history, 150);
    history.chain.mineMany(3);
    const sizes = async (requestMs: number): Promise<number[]> => {
      await temp.store.rootSources.reset(history.source.id);
      let now = history.now();
      const parts = history.parts(2, () => {
        now += requestMs;
      });
      const checkpoints: number[] = [];
      const { rootSources, roots } = temp.store;
      const commit: typeof rootSources.commit = async (change) => {
        const isCommitted = await rootSources.commit(change);
        const { checkpoint } = change.progress;
        if (checkpoint !== null && checkpoint.block !== checkpoints.at(-1))
          checkpoints.push(checkpoint.block);
        return isCommitted;
      };
      const reader = new SourceReader({
        ...parts,
        now: () => now,
        store: { roots, rootSources: { ...rootSources, commit } },
        chain: Object.assign(parts.chain, { logRange: () => 7 }),
      });
      await reader.round();
      return checkpoints.slice(1).map((block, index) => block - (checkpoints[index] ?? 0));
    };
    expect((await sizes(1)).slice(0, 5)).toEqual([7, 14, 28, 56, 112]);
    expect([...new Set(await sizes(1000))]).toEqual([7]);
  });

  it('reads no further back than the look-back', async () => {
    const history = await newHistory(temp.store, { lookBackSeconds: 60, startBlock: 0 });
    grow(history, 60);
    await history.settle();
    const found = await history.found();
    expect(found.length).toBeGreaterThan(5);
    expect(found.length).toBeLessThan(20);
    const wanted = new Map(history.expected().map((life) => [life.root, life]));
    // The oldest one was current before the look-back, which is all that is known of it.
    const [oldest, ...others] = found.toSorted((one, other) => one.receivedAt - other.receivedAt);
    expect(others).toEqual(others.map(({ root }) => wanted.get(root)));
    expect(oldest?.supersededAt).toBe(wanted.get(oldest?.root ?? '')?.supersededAt);
  });

  it('of an empty bridge has no root and no error; the first root is current once it arrives', async () => {
    const history = await newHistory(temp.store, { kind: 'bridged' });
    await history.settle();
    expect(await history.found()).toEqual([]);
    history.contract.change(7n);
    await history.expectSettled();
    expect(await history.found()).toHaveLength(1);
  });

  it.each([
    ['no contract', answering('0x', 'eth_call'), 'roots.contract_missing'],
    [
      'a contract of another kind',
      failing({ code: 3, message: 'execution reverted', data: '0x' }, 'eth_call'),
      'roots.wrong_contract',
    ],
    ['answers of another length', answering(hexWords(1n, 2n), 'eth_call'), 'roots.wrong_contract'],
    ['a tree of another depth', answering(hexWords(20n), 'eth_call'), 'roots.depth_mismatch'],
  ])('writes nothing at an address with %s', async (_name, behaviour, code) => {
    const history = await newHistory(temp.store);
    for (const client of history.clients) client.behaviour = behaviour;
    await expect(history.node().round()).rejects.toMatchObject({ code });
    expect(await history.found()).toEqual([]);
  });

  it('under other contracts withdraws what the former ones said', async () => {
    const former = await newHistory(temp.store);
    grow(former, 3);
    await former.settle();
    expect(await former.found()).toHaveLength(4);
    const swapped = new History(temp.store, testSource({ contract: `0x${'d1'.repeat(20)}` }));
    // A process that still has the former configuration writes nothing more.
    await swapped.node().open();
    expect(await swapped.found()).toEqual([]);
    await expect(former.node().round()).rejects.toMatchObject({ code: 'roots.config' });
    await swapped.settle();
    expect(await swapped.found()).toEqual(swapped.expected());
  });
});
