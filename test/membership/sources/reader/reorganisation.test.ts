// Rules: spec/roots.md#reorganisation
import { describe, expect, it } from 'vitest';
import type { ChainSource } from '../../../../src/config/roots/source-types.ts';
import { SourceReader } from '../../../../src/membership/sources/reader/source-reader.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { type History, newHistory } from '../support/history.ts';

const temp = useTempStore();
/** A history that is read without confirmations, and a node. */
async function open(fields: Partial<ChainSource> = {}): Promise<{ history: History; node: SourceReader }> {
  const history = await newHistory(temp.store, { confirmations: 0, ...fields });
  return { history, node: history.node() };
}

/** Makes a block with changes to roots. */
function mine({ chain, contract }: History, ...roots: readonly number[]): void {
  for (const root of roots) contract.change(BigInt(root));
  chain.mine();
}

describe('changes of the root', () => {
  it('in one block are taken in their order, and a deletion brings a root back', async () => {
    const { history, node } = await open();
    mine(history, 1, 2, 3);
    await node.round();
    await history.expectFollowed();
    // The insertion of 4 is undone.
    mine(history, 4);
    await node.round();
    mine(history, 3);
    await node.round();
    expect(await history.current()).toEqual([hexWords(3n)]);
    await history.expectFollowed();
  });

  it('to the root that is current already change nothing', async () => {
    const { history, node } = await open();
    mine(history, 1);
    await node.round();
    const before = await history.found();
    mine(history, 1);
    await node.round();
    expect(await history.found()).toEqual(before);
  });
});

describe('a reorganisation', () => {
  it.each([
    ['drops a root', [[], []]],
    ['drops a root for another', [[7], [8]]],
    ['puts roots into another order', [[3, 2], []]],
    ['repeats a root of before', [[1], [2]]],
    ['mines the same root later', [[], [2], [3]]],
    ['brings the first root back', [[1000], []]],
  ] as const)('%s', async (_name, blocks) => {
    const { history, node } = await open();
    mine(history, 1);
    await node.round();
    mine(history, 2);
    mine(history, 3);
    await node.round();
    expect(await history.current()).toEqual([hexWords(3n)]);
    history.chain.drop(2);
    for (const roots of blocks) mine(history, ...roots);
    // The chain outgrows what it was, so that the target is a later block.
    mine(history);
    await node.round();
    await history.expectFollowed();
  });

  it('of a bridge takes back a root, which may arrive again at another time', async () => {
    const { history, node } = await open({ kind: 'bridged' });
    mine(history, 1);
    mine(history, 2);
    await node.round();
    history.chain.drop(1);
    mine(history);
    mine(history, 2);
    await node.round();
    await history.expectFollowed();
  });

  it('deeper than 7,200 blocks below a change stops the source; the registry stays, and a reset begins anew', async () => {
    const { history, node } = await open({ maxRange: 2000, lookBackSeconds: 100_000 });
    mine(history, 1);
    await node.round();
    await node.round();
    const before = await history.found();
    history.chain.drop(2);
    mine(history, 2);
    history.chain.mineMany(7210);
    for (let round = 0; round < 2; round++) {
      await expect(node.round()).rejects.toMatchObject({ code: 'roots.reorg_too_deep' });
    }
    expect(await history.found()).toEqual(before);
    await temp.store.rootSources.reset(history.source.id);
    await history.expectSettled();
  });

  it('of a final block is none: providers that have another one are put into quarantine', async () => {
    const history = await newHistory(temp.store, { confirmations: 'finalized' });
    const parts = history.parts();
    const node = new SourceReader(parts);
    mine(history, 1);
    history.chain.mineMany(6);
    await node.round();
    const before = await history.found();
    history.chain.drop(7);
    mine(history, 2);
    history.chain.mineMany(8);
    await expect(node.round()).rejects.toMatchObject({ code: 'roots.disagreement' });
    expect(parts.chain.providers.map(({ status }) => status.state)).toEqual(Array(3).fill('disagreement'));
    expect(await history.found()).toEqual(before);
  });
});

describe('a bridge that names a known root again', () => {
  it('at the same time says nothing new; at another time the logs are wrong', async () => {
    const { history, node } = await open({ kind: 'bridged' });
    mine(history, 1);
    mine(history, 2);
    await node.round();
    const before = await history.found();
    const first = history.chain.blocks.flatMap(({ logs }) => logs)[0];
    if (first === undefined) throw new Error('expected a log');
    history.chain.emit(first);
    history.contract.change(3n);
    history.chain.mine();
    await node.round();
    expect(await history.found()).toEqual([
      ...before.map((life) => ({ ...life, supersededAt: life.supersededAt ?? history.chain.head.time })),
      { root: hexWords(3n), receivedAt: history.chain.head.time, supersededAt: null },
    ]);
    history.chain.emit({ ...first, data: hexWords(1n, BigInt(history.chain.nextTime)) });
    history.chain.setView(history.source.contract, '0xd7b0fef1', hexWords(1n));
    history.chain.mine();
    await expect(node.round()).rejects.toMatchObject({ code: 'roots.incomplete' });
    expect(await history.current()).toEqual([hexWords(3n)]);
  });
});
