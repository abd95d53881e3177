// Rules: spec/roots.md#quorum and spec/roots.md#failures
import { beforeEach, describe, expect, it } from 'vitest';
import {
  alteringBlocks,
  alteringCalls,
  alteringLogs,
  type Behaviour,
  failing,
  lagging,
  silent,
} from '../../support/chain/behaviours.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../verification/support/temp-store.ts';
import { type History, newHistory } from './support/history.ts';

const INVENTED = 31_337n;

/** What a provider may say wrongly, by name. */
const WAYS: readonly (readonly [string, Behaviour])[] = [
  ['a current root', alteringCalls(() => hexWords(INVENTED))],
  [
    'the root of a log',
    alteringLogs((logs) =>
      logs.map((log) => ({ ...log, topics: [...log.topics.slice(0, -1), hexWords(INVENTED)] })),
    ),
  ],
  ['a log less', alteringLogs((logs) => logs.slice(1))],
  [
    'a log of another block',
    alteringLogs((logs) => logs.map((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }))),
  ],
  [
    'a root above r',
    alteringLogs((logs) =>
      logs.map((log) => ({
        ...log,
        topics: log.topics.map((topic, at) => (at === 3 ? `0x${'ff'.repeat(32)}` : topic)),
      })),
    ),
  ],
  [
    'a log of a foreign address',
    alteringLogs((logs) => logs.map((log) => ({ ...log, address: `0x${'00'.repeat(20)}` }))),
  ],
  ['a removed log', alteringLogs((logs) => logs.map((log) => ({ ...log, removed: true })))],
  ['no logs', silent],
  ['other hashes', alteringBlocks((block) => ({ ...block, hash: `0x${'cd'.repeat(32)}` }))],
  ['other times', alteringBlocks((block) => ({ ...block, timestamp: '0x1' }))],
  [
    'a head in the future',
    alteringBlocks((block) => ({
      ...block,
      timestamp: `0x${(Number(block.timestamp) + 3600).toString(16)}`,
    })),
  ],
  ['an old head', lagging(4)],
  ['nothing but errors', failing({ code: -32_000, message: 'internal error' })],
];

const temp = useTempStore();
let history: History;
beforeEach(async () => {
  history = await newHistory(temp.store);
});

function lie(behaviour: Behaviour | undefined, ...indexes: readonly number[]): void {
  for (const index of indexes) {
    const client = history.clients[index];
    if (client !== undefined) client.behaviour = behaviour;
  }
}

/** Three changes, in two blocks. */
function change(from: bigint): void {
  history.contract.change(from);
  history.contract.change(from + 1n);
  history.chain.mine();
  history.contract.change(from + 2n);
  history.chain.mineMany(3);
}

describe('one provider of three', () => {
  describe.each([0, 1, 2])('the one at place %i', (place) => {
    it.each(WAYS)('that says %s changes nothing', async (_name, behaviour) => {
      const node = history.node();
      lie(behaviour, place);
      change(2000n);
      await node.round();
      await history.expectFollowed();
      change(3000n);
      // A round after the past was read, and one that finds nothing new.
      await node.round();
      expect(await node.round()).toBe('same');
      await history.expectFollowed();
    });
  });
});

describe('two providers of three', () => {
  it('that tell the same untruth are believed, since the quorum is the trust', async () => {
    await history.settle();
    const invent: Behaviour = (backend) => async (method, params) => {
      const outcome = await backend(method, params);
      if (!('result' in outcome)) return outcome;
      const text = JSON.stringify(outcome.result).replaceAll(hexWords(2000n), hexWords(INVENTED));
      return { result: JSON.parse(text) };
    };
    lie(invent, 0, 1);
    history.contract.change(2000n);
    history.chain.mineMany(3);
    await history.node().round();
    expect(await history.current()).toEqual([hexWords(INVENTED)]);
  });

  it('that tell different untruths stop the source, and nothing is written', async () => {
    await history.settle();
    const before = await history.found();
    change(2000n);
    lie(
      alteringBlocks((block) => ({ ...block, hash: `0x${'cd'.repeat(32)}` })),
      0,
    );
    lie(
      alteringBlocks((block) => ({ ...block, hash: `0x${'ef'.repeat(32)}` })),
      1,
    );
    await expect(history.node().round()).rejects.toMatchObject({ reason: 'disagreement' });
    expect(await history.found()).toEqual(before);
    lie(undefined, 0, 1);
    await history.expectSettled();
  });

  it('that have not seen the logs of the newest blocks are found out by the current root', async () => {
    await history.settle();
    const before = await history.found();
    change(2000n);
    lie(silent, 0, 1);
    await expect(history.node().round()).rejects.toMatchObject({ code: 'roots.incomplete' });
    expect(await history.found()).toEqual(before);
    await history.expectSettled();
  });

  it('that hide the changes in the first part of the look-back are found out by the root at its end', async () => {
    change(2000n);
    // Three parts, of which the last ones have no changes.
    history.chain.mineMany(15);
    lie(silent, 0, 1);
    const node = history.node();
    await expect(node.round()).rejects.toMatchObject({ code: 'roots.incomplete' });
    const state = await temp.store.rootSources.find(history.source.id);
    expect(state?.checkpoint?.block).toBe(history.source.startBlock - 1);
    await history.expectSettled();
  });

  it('that once had no old state are asked for it again in the next scan', async () => {
    const node = history.node();
    change(2000n);
    history.chain.mineMany(15);
    const target = history.chain.at(history.chain.head.number - 2)?.hash;
    const pruned: Behaviour = (backend) => async (method, params) => {
      const { blockHash } = (params[1] ?? {}) as { blockHash?: string };
      if (method !== 'eth_call' || blockHash === target) return backend(method, params);
      return { error: { code: -32_000, message: 'missing trie node' } };
    };
    lie(pruned, 0, 1);
    await node.round();
    await history.expectFollowed();
    const before = await temp.store.rootSources.find(history.source.id);
    change(3000n);
    history.chain.mineMany(15);
    lie(silent, 0, 1);
    await expect(node.round()).rejects.toMatchObject({ code: 'roots.incomplete' });
    const after = await temp.store.rootSources.find(history.source.id);
    expect(after?.checkpoint).toEqual(before?.checkpoint);
  });

  it('that fail stop the source; the registry keeps what it has until they are back', async () => {
    await history.settle();
    const before = await history.found();
    change(2000n);
    lie(failing({ code: -32_000, message: 'internal error' }), 0, 1);
    const node = history.node();
    for (let round = 0; round < 3; round++) {
      await expect(node.round()).rejects.toMatchObject({ reason: 'quorum_missing' });
    }
    expect(await history.found()).toEqual(before);
    await history.expectSettled();
  });

  it('that serve another chain are not asked', async () => {
    lie(failing({ code: 429, message: 'rate limit' }, 'eth_getLogs'), 2);
    lie(
      (backend) => async (method, params) =>
        method === 'eth_chainId' ? { result: '0x1' } : backend(method, params),
      0,
      1,
    );
    await expect(history.node().round()).rejects.toMatchObject({
      failure: { failureClass: 'chain_mismatch' },
    });
    expect(await history.found()).toEqual([]);
  });
});
