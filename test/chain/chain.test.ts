import { describe, expect, it } from 'vitest';
import type { LogQuery } from '../../src/chain/rpc/answers.ts';
import { RpcFailure } from '../../src/chain/rpc/rpc-failure.ts';
import {
  alteringBlocks,
  alteringCalls,
  alteringLogs,
  answering,
  type Behaviour,
  failing,
  lagging,
  limited,
  type ShownLog,
  silent,
  withoutBlockHashes,
} from '../support/chain/behaviours.ts';
import { encodeWords } from '../support/chain/contracts.ts';
import { ScriptedChain, scriptedBackend } from '../support/chain/scripted-chain.ts';
import { hexWords, scriptManager } from '../support/chain/scripted-contracts.ts';
import { openTestChain, type TestChainOptions } from '../support/chain/test-chain.ts';

const MANAGER = `0x${'a'.repeat(40)}`;
const TREE_CHANGED = '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04';
const LATEST_ROOT = { to: MANAGER, data: '0xd7b0fef1', words: 1 };
const DOWN: Behaviour = () => async () => {
  throw new RpcFailure('unreachable', 'ECONNREFUSED');
};
const FIRST_TIME = 1_700_000_000;
const hangs: Behaviour = () => () => new Promise(() => undefined);

/** A manager whose root is the number of the block, at the head 20. */
function open(providers: readonly (Behaviour | undefined)[], options: Partial<TestChainOptions> = {}) {
  const { chainId = 480 } = options;
  const script = new ScriptedChain({ chainId, firstTime: FIRST_TIME });
  const manager = scriptManager(script, MANAGER, 1n);
  script.mine();
  for (let root = 2n; root <= 20n; root++) {
    manager.change(root);
    script.mine();
  }
  const now = script.head.time * 1000;
  const backend = scriptedBackend(script);
  return { script, manager, ...openTestChain({ backend, providers, quorum: 2, now, ...options }) };
}

function logQuery(fromBlock: number, toBlock: number): LogQuery {
  const events = new Map([[TREE_CHANGED, { topics: 4, words: 0, scalarTopics: [1, 3] }]]);
  return { addresses: [MANAGER], events, fromBlock, toBlock };
}

/** Reads a round's facts: the number of the target, the roots of the logs before it, and the root at it. */
async function facts(
  { chain }: Pick<ReturnType<typeof open>, 'chain'>,
  confirmations: number | 'safe' | 'finalized' = 2,
) {
  const target = await chain.target(confirmations);
  const logs = await chain.logs(logQuery(target.number - 3, target.number));
  const result = await chain.callAt(target, LATEST_ROOT);
  return {
    number: target.number,
    hash: target.hash,
    time: target.time,
    roots: logs.map(({ topics }) => Number(topics[3])),
    root: 'words' in result ? result.words[0] : undefined,
  };
}

/** The facts at a block. */
function expected({ script }: Pick<ReturnType<typeof open>, 'script'>, number: number) {
  const block = script.at(number);
  const roots = [number - 3, number - 2, number - 1, number];
  return { number, hash: block?.hash, time: block?.time, roots, root: encodeWords(number) };
}

describe('the target', () => {
  it('is the head of the quorum less the confirmations, or the block of a tag', async () => {
    const world = open([undefined, undefined, undefined]);
    expect(await facts(world)).toEqual(expected(world, 18));
    expect(await facts(world, 0)).toEqual(expected(world, 20));
    expect(await facts(world, 'safe')).toEqual(expected(world, 18));
    expect(await facts(world, 'finalized')).toEqual(expected(world, 16));
    expect((await world.chain.target(1000)).number).toBe(0);
  });

  it('is the highest block that a quorum has: a slow one does not stop it, a fast one does not lead it', async () => {
    const slow = open([undefined, lagging(10), undefined]);
    expect(await facts(slow, 0)).toEqual(expected(slow, 20));
    const fast = open([lagging(4), undefined, lagging(5)]);
    expect(await facts(fast, 0)).toEqual(expected(fast, 16));
    expect(fast.disagreements).toEqual([]);
  });

  it('is not held up by a provider that hangs once a quorum has answered', async () => {
    const world = open([hangs, undefined, undefined]);
    expect(await facts(world)).toEqual(expected(world, 18));
    expect(world.waits).toEqual([500]);
    expect(world.clients[0]?.calls).toHaveLength(1);
  });

  it('fails with what the providers failed with, also while they are paused', async () => {
    const world = open([failing({ code: 1, message: 'unauthorized' }), undefined, DOWN]);
    const missing = { reason: 'quorum_missing' };
    await expect(world.chain.target(2)).rejects.toMatchObject({ ...missing, failure: expect.anything() });
    await expect(world.chain.target(2)).rejects.toMatchObject({
      ...missing,
      failure: { failureClass: 'unreachable' },
    });
    expect(world.clients[0]?.calls).toHaveLength(1);
  });
});

describe('one of three providers', () => {
  const last = (logs: readonly ShownLog[]): ShownLog => logs[logs.length - 1] as ShownLog;
  const withRoot = (log: ShownLog, root: bigint): ShownLog => ({
    ...log,
    topics: [...log.topics.slice(0, 3), hexWords(root)],
  });
  const otherHash = `0x${'e'.repeat(64)}`;
  const atTarget = (change: object): Behaviour =>
    alteringBlocks((block) => (block.number === '0x12' ? { ...block, ...change } : block));
  const lies: readonly [string, Behaviour][] = [
    ['another root in a log', alteringLogs((logs) => [...logs.slice(0, -1), withRoot(last(logs), 99n)])],
    ['a log too few', alteringLogs((logs) => logs.slice(0, -1))],
    ['a log too many', alteringLogs((logs) => [...logs, { ...withRoot(last(logs), 99n), logIndex: '0x1' }])],
    [
      'another block hash in a log',
      alteringLogs((logs) => logs.map((log) => ({ ...log, blockHash: otherHash }))),
    ],
    ['no logs at all', silent],
    ['another hash of the block', atTarget({ hash: otherHash })],
    ['another time of the block', atTarget({ timestamp: '0x1' })],
    ['another parent of the block', atTarget({ parentHash: otherHash })],
    ['another result of the call', alteringCalls(() => hexWords(99n))],
    ['a revert', failing({ code: 3, message: 'execution reverted', data: '0x5b8dabb7' }, 'eth_call')],
    ['no contract', answering('0x', 'eth_call')],
  ];

  it.each(lies)(
    'that tells %s changes nothing and is left alone for ten minutes',
    async (_lie, behaviour) => {
      const world = open([behaviour, undefined, undefined]);
      expect(await facts(world)).toEqual(expected(world, 18));
      expect(world.disagreements).toHaveLength(1);
      const [liar] = world.chain.providers;
      expect(liar?.suspension?.reason).toBe('disagreement');
      const calls = world.clients[0]?.calls.length;
      world.clock.now += 599_999;
      expect(await facts(world)).toEqual(expected(world, 18));
      expect(world.clients[0]?.calls).toHaveLength(calls ?? 0);
      world.clock.now += 1;
      await facts(world);
      expect(world.disagreements).toHaveLength(2);
    },
  );

  const faults: readonly [string, string, Behaviour][] = [
    ['unreachable', 'is down', DOWN],
    ['bad_response', 'has an internal error', failing({ code: -32_603, message: 'internal error' })],
    ['rate_limited', 'limits the rate', failing({ code: -32_005, message: 'limit exceeded' })],
    ['refused', 'refuses the key', failing({ code: -32_000, message: 'invalid api key' })],
    [
      'bad_response',
      'marks a log as removed',
      alteringLogs((logs) => logs.map((log) => ({ ...log, removed: true }))),
    ],
    [
      'bad_response',
      'names a foreign contract',
      alteringLogs((logs) => logs.map((log) => ({ ...log, address: otherHash }))),
    ],
    [
      'bad_response',
      'names roots above r',
      alteringLogs((logs) => logs.map((log) => withRoot(log, 2n ** 255n))),
    ],
    ['chain_mismatch', 'is of another chain', answering('0x1', 'eth_chainId')],
  ];
  it.each(faults)('that is %s: it %s, changes nothing', async (failureClass, _fault, behaviour) => {
    const world = open([behaviour, undefined, undefined]);
    expect(await facts(world)).toEqual(expected(world, 18));
    expect(world.disagreements).toEqual([]);
    expect(world.chain.providers[0]?.suspension?.reason).toBe(failureClass);
    expect(world.observed.filter(({ failure }) => failure !== undefined)).toMatchObject(
      failureClass === 'chain_mismatch' ? [] : [{ host: 'one', failure: { failureClass } }],
    );
  });

  it.each<[string, Behaviour]>([
    ['takes no block hashes in calls', withoutBlockHashes],
    ['takes small ranges only', limited(3, { code: 35, message: 'range too large' })],
    ['gives logs out of order and twice', alteringLogs((logs) => [...logs].reverse().concat(logs))],
  ])('that %s agrees with the others', async (_fault, behaviour) => {
    const world = open([behaviour, undefined, undefined]);
    expect(await facts(world)).toEqual(expected(world, 18));
    expect(world.disagreements).toEqual([]);
    expect(world.chain.providers[0]?.status).toEqual({ state: 'up' });
  });

  it('that lacks a block is asked for its head, and another one for the block', async () => {
    const world = open([undefined, undefined, undefined]);
    await world.chain.target(0);
    const [one] = world.clients;
    if (one === undefined) throw new Error('there is no client');
    one.behaviour = lagging(5);
    expect((await world.chain.block(20)).number).toBe(20);
    expect(one.calls.slice(-2).map(({ params }) => params[0])).toEqual(['0x14', 'latest']);
    expect(world.chain.providers[0]?.isBelow(20)).toBe(true);
    expect(world.chain.providers[0]?.suspension).toBeUndefined();
  });

  it('that fails is asked last when its pause is over, until it answers', async () => {
    const world = open([failing({ code: 1, message: '' }, 'eth_call'), undefined, undefined]);
    await facts(world);
    world.clock.now += 1000;
    const asked = (): readonly string[] =>
      world.observed.filter(({ method }) => method === 'eth_call').map(({ host }) => host);
    expect(asked()).toEqual(['one', 'two', 'three']);
    await facts(world);
    expect(asked().slice(3)).toEqual(['two', 'three']);
  });
});

describe('two of three providers', () => {
  it('that are down stop all facts until one is back', async () => {
    const world = open([DOWN, DOWN, undefined]);
    await expect(facts(world)).rejects.toMatchObject({ reason: 'quorum_missing' });
    const [one] = world.clients;
    if (one !== undefined) one.behaviour = undefined;
    world.clock.now += 60_000;
    expect(await facts(world)).toEqual(expected(world, 18));
  });

  it('that tell different lies stop all facts', async () => {
    const world = open([alteringCalls(() => hexWords(98n)), alteringCalls(() => hexWords(99n)), undefined]);
    await expect(facts(world)).rejects.toMatchObject({ reason: 'disagreement' });
    expect(world.chain.providers.map(({ suspension }) => suspension)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('that tell one lie are believed: the quorum is the trust', async () => {
    const lie = alteringCalls(() => hexWords(99n));
    const world = open([lie, undefined, lie]);
    expect(await facts(world)).toMatchObject({ number: 18, root: encodeWords(99n) });
    expect(world.chain.providers[1]?.suspension?.reason).toBe('disagreement');
  });

  it('of one host count once', async () => {
    const hosts = ['one', 'one', 'two'];
    const world = open([undefined, undefined, lagging(6)], { hosts });
    expect(await facts(world, 0)).toEqual(expected(world, 14));
    expect(world.chain.warnings()).toEqual([{ kind: 'shared_host', hostname: 'one' }]);
    const alone = open([undefined, undefined], { hosts });
    await expect(facts(alone)).rejects.toMatchObject({ reason: 'quorum_missing' });
  });
});

describe('all providers', () => {
  it('of another chain give no fact', async () => {
    const world = open([undefined, undefined], { chainId: 1 });
    for (const client of world.clients) client.behaviour = answering('0x2', 'eth_chainId');
    await expect(facts(world)).rejects.toMatchObject({ failure: { failureClass: 'chain_mismatch' } });
    world.clock.now += 1e9;
    await expect(facts(world)).rejects.toMatchObject({ failure: { failureClass: 'chain_mismatch' } });
    expect(world.clients.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  it('that refuse the logs of a single block say that the range is too small', async () => {
    const refuse = failing({ code: 35, message: 'range too large' }, 'eth_getLogs');
    const world = open([refuse, refuse, refuse]);
    await expect(facts(world)).rejects.toMatchObject({ reason: 'range_too_small' });
  });

  it('together accept ranges that a quorum accepts', async () => {
    const tight = limited(3, { code: 35, message: 'range limited to 3' });
    const world = open([tight, limited(8, { code: 35, message: 'range limited to 8' }), undefined]);
    expect(world.chain.logRange(2000)).toBe(2000);
    await world.chain.logs(logQuery(5, 20));
    expect(world.chain.logRange(2000)).toBe(8);
    expect(world.chain.logRange(5)).toBe(5);
  });
});

describe('a quorum of one', () => {
  it('believes its provider', async () => {
    const world = open([undefined], { quorum: 1 });
    expect(await facts(world)).toEqual(expected(world, 18));
  });

  it('sees a fork: the number has another hash, and calls at the dropped one fail', async () => {
    const world = open([undefined], { quorum: 1 });
    const before = await world.chain.block(20);
    world.script.drop(1);
    world.script.mine();
    expect((await world.chain.block(20)).hash).not.toBe(before.hash);
    await expect(world.chain.callAt(before, LATEST_ROOT)).rejects.toMatchObject({
      failure: { failureClass: 'not_there' },
    });
    await expect(world.chain.block(21)).rejects.toMatchObject({ reason: 'quorum_missing' });
  });
});

describe('a warning', () => {
  it('names a provider that lags for a minute, which is not asked in the meantime', async () => {
    const world = open([lagging(5), undefined, undefined]);
    await facts(world);
    const asked = world.observed.filter(({ host }) => host === 'one').map(({ method }) => method);
    expect(asked).toEqual(['eth_chainId', 'eth_getBlockByNumber']);
    world.clock.now += 59_999;
    expect(world.chain.warnings()).toEqual([]);
    world.clock.now += 1;
    const [provider] = world.chain.providers;
    const since = world.clock.now - 60_000;
    expect(world.chain.warnings()).toEqual([
      { kind: 'provider', provider, status: { state: 'lagging', since } },
    ]);
    const [one] = world.clients;
    if (one !== undefined) one.behaviour = undefined;
    await facts(world);
    expect(world.chain.warnings()).toEqual([]);
  });

  it('names a provider that fails for a minute', async () => {
    const world = open([DOWN, undefined, undefined]);
    await facts(world);
    expect(world.chain.warnings()).toEqual([]);
    world.clock.now += 60_000;
    await facts(world);
    expect(world.chain.warnings()).toMatchObject([{ kind: 'provider', status: { state: 'unreachable' } }]);
  });

  it.each([
    [1, 600],
    [11_155_111, 600],
    [480, 120],
    [137, 120],
  ])('says that chain %i stands still after %i seconds', async (chainId, seconds) => {
    const world = open([undefined, undefined], { chainId });
    world.clock.now += seconds * 1000;
    await world.chain.target(0);
    expect(world.chain.warnings().filter(({ kind }) => kind === 'head_stale')).toEqual([]);
    world.clock.now += 1000;
    await world.chain.target(0);
    expect(world.chain.warnings()).toContainEqual({ kind: 'head_stale', ageSeconds: seconds + 1 });
  });

  it.each([
    ['behind', 3600],
    ['ahead', -121],
  ])('says that the clock is %s; the facts are told all the same', async (_direction, offsetSeconds) => {
    const world = open([undefined, undefined], { chainId: 1 });
    world.clock.now -= offsetSeconds * 1000;
    expect(await facts(world)).toEqual(expected(world, 18));
    expect(world.chain.warnings()).toEqual([{ kind: 'clock', offsetSeconds }]);
  });

  it('is not given for a clock within two minutes', async () => {
    const world = open([undefined, undefined], { chainId: 1 });
    world.clock.now += 120_000;
    await facts(world);
    expect(world.chain.warnings()).toEqual([]);
  });
});
