import { describe, expect, it } from 'vitest';
import { Provider } from '../../../src/chain/provider/provider.ts';
import { quantity } from '../../../src/chain/rpc/answers.ts';
import type { RpcClient } from '../../../src/chain/rpc/rpc-client.ts';
import {
  all,
  alteringBlocks,
  answering,
  type Behaviour,
  failing,
  limited,
  withoutBlockHashes,
} from '../../support/chain/behaviours.ts';
import { encodeWords } from '../../support/chain/contracts.ts';
import { ScriptedChain, scriptedBackend } from '../../support/chain/scripted-chain.ts';
import { scriptBridge, scriptManager } from '../../support/chain/scripted-contracts.ts';
import { openTestChain } from '../../support/chain/test-chain.ts';

const MANAGER = `0x${'a'.repeat(40)}`;
const BRIDGE = `0x${'b'.repeat(40)}`;
const TREE_CHANGED = '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04';
const LATEST_ROOT = { to: MANAGER, data: '0xd7b0fef1', words: 1 };
const TOO_MANY = { code: -32_600, message: 'block range is too large' };

function open(behaviour?: Behaviour, chainId = 480) {
  const script = new ScriptedChain();
  const manager = scriptManager(script, MANAGER, 1n);
  scriptBridge(script, BRIDGE);
  for (let root = 2n; root < 12n; root++) {
    script.mine();
    manager.change(root);
  }
  script.mine();
  const chain = openTestChain({
    backend: scriptedBackend(script),
    providers: [behaviour],
    quorum: 1,
    chainId,
  });
  const [provider] = chain.chain.providers as [Provider];
  const { hash, number } = script.head;
  const calls = (method: string): readonly (readonly unknown[])[] =>
    chain.clients.flatMap((client) =>
      client.calls.filter((call) => call.method === method).map(({ params }) => params),
    );
  const setBehaviour = (next: Behaviour | undefined): void => {
    for (const client of chain.clients) client.behaviour = next;
  };
  return { ...chain, script, provider, calls, setBehaviour, head: { number, hash } };
}

function logQuery(fromBlock: number, toBlock: number) {
  const events = new Map([[TREE_CHANGED, { topics: 4, words: 0, scalarTopics: [1, 3] }]]);
  return { addresses: [MANAGER], events, fromBlock, toBlock };
}

describe('the chain of a provider', () => {
  it('is asked for before anything else, once for calls at the same time, and again after ten minutes', async () => {
    const { provider, clock, calls, clients } = open();
    await Promise.all([provider.readBlock(1), provider.readHead('latest'), provider.readCode(MANAGER)]);
    expect(clients[0]?.calls[0]?.method).toBe('eth_chainId');
    clock.now += 599_999;
    await provider.readBlock(1);
    expect(calls('eth_chainId')).toHaveLength(1);
    clock.now += 1;
    await provider.readBlock(1);
    expect(calls('eth_chainId')).toHaveLength(2);
  });

  it('excludes it if it is another one, also when it becomes another one', async () => {
    const { provider, clock, calls, setBehaviour } = open();
    await provider.readBlock(1);
    setBehaviour(answering('0x1', 'eth_chainId'));
    clock.now += 600_000;
    await expect(provider.readBlock(1)).rejects.toThrow('expected chain 480, got 1');
    expect(provider.suspension).toMatchObject({ reason: 'chain_mismatch', until: Number.POSITIVE_INFINITY });
    expect(calls('eth_getBlockByNumber')).toHaveLength(1);
    expect(await provider.readChainId()).toBe(1);
  });

  it.each([[480], ['480'], [null], ['0x0001e0']])('is a quantity, not %j', async (value) => {
    const { provider } = open(answering(value, 'eth_chainId'));
    await expect(provider.readBlock(1)).rejects.toMatchObject({ failureClass: 'bad_response' });
  });
});

describe('a block of a provider', () => {
  it('is read by number and by tag', async () => {
    const { provider, script, calls } = open();
    expect((await provider.readBlock(3)).hash).toBe(script.at(3)?.hash);
    const numbers = [];
    for (const tag of ['latest', 'safe', 'finalized'] as const)
      numbers.push((await provider.readHead(tag)).number);
    expect(numbers).toEqual([11, 9, 7]);
    expect(provider.head?.number).toBe(11);
    expect(calls('eth_getBlockByNumber')).toEqual([
      ['0x3', false],
      ['latest', false],
      ['safe', false],
      ['finalized', false],
    ]);
  });

  it('that is unknown is not there, and that is no fault', async () => {
    const { provider } = open();
    await expect(provider.readBlock(12)).rejects.toMatchObject({ failureClass: 'not_there' });
    expect(provider.status).toEqual({ state: 'up' });
  });

  it('that was not asked for is a bad response', async () => {
    const { provider } = open(alteringBlocks((block) => ({ ...block, number: '0x1' })));
    await expect(provider.readBlock(3)).rejects.toMatchObject({ failureClass: 'bad_response' });
    expect(provider.status.state).toBe('bad_response');
  });
});

describe('logs of a provider', () => {
  it('are read in one request by addresses and events', async () => {
    const { provider, calls } = open();
    const logs = await provider.readLogs(logQuery(2, 5));
    expect(logs.map(({ block }) => block)).toEqual([2, 3, 4, 5]);
    expect(calls('eth_getLogs')).toEqual([
      [{ address: [MANAGER], topics: [[TREE_CHANGED]], fromBlock: '0x2', toBlock: '0x5' }],
    ]);
  });

  it('are read in smaller ranges after one is refused, none of them left out, at five requests a second', async () => {
    const { provider, calls, waits } = open(limited(3, TOO_MANY));
    const logs = await provider.readLogs(logQuery(2, 11));
    expect(logs.map(({ block }) => block)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const asked = calls('eth_getLogs').map(([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      return [Number(fromBlock), Number(toBlock)];
    });
    expect(asked).toEqual([
      [2, 11],
      [2, 6],
      [2, 3],
      [4, 5],
      [6, 7],
      [8, 9],
      [10, 11],
    ]);
    expect(waits).toEqual([200, 400, 600, 800, 1000, 1200]);
    expect(provider.acceptedBlocks).toBe(2);
    expect(provider.status).toEqual({ state: 'up' });
  });

  it('are read in ranges of the size that the provider names, now and later', async () => {
    const error = { code: -32_602, message: 'query exceeds max block range 4' };
    const { provider, calls } = open(limited(4, error));
    await provider.readLogs(logQuery(2, 11));
    expect(calls('eth_getLogs')).toHaveLength(4);
    await provider.readLogs(logQuery(2, 5));
    expect(calls('eth_getLogs')).toHaveLength(5);
  });

  it('of a single block that are refused for the range are a bad response', async () => {
    const { provider, calls } = open(failing(TOO_MANY, 'eth_getLogs'));
    await expect(provider.readLogs(logQuery(2, 9))).rejects.toMatchObject({
      failureClass: 'bad_response',
      details: { isSingleBlock: true },
    });
    expect(calls('eth_getLogs')).toHaveLength(4);
    expect(provider.suspension?.reason).toBe('bad_response');
  });

  it('fail as a whole if one part fails', async () => {
    const isBad = ({ fromBlock }: { fromBlock: string }): boolean => fromBlock === '0x6';
    const { provider } = open(
      all(limited(4, { code: 1, message: 'range limited to 4' }), (backend) => async (method, params) => {
        if (method === 'eth_getLogs' && isBad(params[0] as { fromBlock: string })) return { result: [{}] };
        return backend(method, params);
      }),
    );
    await expect(provider.readLogs(logQuery(2, 11))).rejects.toMatchObject({ failureClass: 'bad_response' });
  });

  it('are at most 20,000 in a range, which bounds the memory', async () => {
    const { provider: honest } = open();
    const [log] = await honest.readLogs(logQuery(2, 2));
    const shown = (_: unknown, index: number): unknown => ({
      ...log,
      data: '0x',
      blockNumber: '0x2',
      logIndex: quantity(index),
    });
    const logs = Array.from({ length: 20_001 }, shown);
    const client: RpcClient = {
      host: 'one',
      hostname: 'one',
      call: async (method) => (method === 'eth_getLogs' ? logs : '0x1e0'),
    };
    const sleep = async (): Promise<void> => undefined;
    const provider = new Provider({
      client,
      sleep,
      index: 0,
      chainId: 480,
      now: () => 0,
      random: () => 1,
      observe: () => undefined,
    });
    await expect(provider.readLogs(logQuery(2, 2))).rejects.toThrow('there are more than 20000 logs');
    expect(provider.suspension?.reason).toBe('bad_response');
  });
});

describe('a call of a contract', () => {
  it('is made at the hash of a block that must be canonical', async () => {
    const { provider, calls, head } = open();
    expect(await provider.callAt(head, LATEST_ROOT)).toEqual({ words: [encodeWords(11n)] });
    expect(calls('eth_call')).toEqual([
      [
        { to: MANAGER, data: '0xd7b0fef1' },
        { blockHash: head.hash, requireCanonical: true },
      ],
    ]);
    expect(provider.takesBlockHashes).toBe(true);
  });

  it('that reverts has the selector of the error', async () => {
    const { provider, head } = open();
    expect(await provider.callAt(head, { ...LATEST_ROOT, to: BRIDGE })).toEqual({ revert: '0x5b8dabb7' });
    expect(await provider.callAt(head, { ...LATEST_ROOT, data: '0x00000001' })).toEqual({ revert: '0x' });
    expect(provider.status).toEqual({ state: 'up' });
  });

  it('has no bytes where there is no contract, and other bytes where it is another function', async () => {
    const { provider, head } = open();
    expect(await provider.callAt(head, { ...LATEST_ROOT, to: `0x${'c'.repeat(40)}` })).toEqual({ bytes: 0 });
    expect(await provider.callAt(head, { ...LATEST_ROOT, words: 2 })).toEqual({ bytes: 32 });
  });

  it.each([[null], ['0xabc'], [['0x']], ['HTML']])('is a bad response for %j', async (result) => {
    const { provider, head } = open(answering(result, 'eth_call'));
    await expect(provider.callAt(head, LATEST_ROOT)).rejects.toMatchObject({ failureClass: 'bad_response' });
  });

  it('at a block that is gone is not there', async () => {
    const { provider, script, head } = open();
    script.drop(1);
    script.mine();
    await expect(provider.callAt(head, LATEST_ROOT)).rejects.toMatchObject({ failureClass: 'not_there' });
  });
});

describe('a provider that knows no block hashes in calls', () => {
  it('is asked by number, and for the hash of that number afterwards', async () => {
    const { provider, calls, head } = open(withoutBlockHashes);
    expect(await provider.callAt(head, LATEST_ROOT)).toEqual({ words: [encodeWords(11n)] });
    expect(provider.takesBlockHashes).toBe(false);
    await provider.callAt(head, LATEST_ROOT);
    expect(calls('eth_call').map(([, at]) => at)).toEqual([
      { blockHash: head.hash, requireCanonical: true },
      '0xb',
      '0xb',
    ]);
    expect(calls('eth_getBlockByNumber')).toEqual([
      ['0xb', false],
      ['0xb', false],
    ]);
    expect(provider.status).toEqual({ state: 'up' });
  });

  it('gives no result if the number has another hash', async () => {
    const { provider, script, head } = open(withoutBlockHashes);
    script.drop(1);
    script.mine();
    await expect(provider.callAt(head, LATEST_ROOT)).rejects.toMatchObject({ failureClass: 'not_there' });
  });

  it('and refuses numbers, too, is at fault', async () => {
    const { provider, head } = open(failing({ code: -32_602, message: 'invalid params' }, 'eth_call'));
    await expect(provider.callAt(head, LATEST_ROOT)).rejects.toMatchObject({ failureClass: 'bad_response' });
    expect(provider.suspension?.reason).toBe('bad_response');
  });
});

describe('the code at an address', () => {
  it('is empty where there is no contract', async () => {
    const { provider } = open();
    expect(await provider.readCode(MANAGER)).not.toBe('');
    expect(await provider.readCode(`0x${'c'.repeat(40)}`)).toBe('');
  });
});

describe('the observer of a provider', () => {
  it('hears of each call and of its failure', async () => {
    const { provider, observed, setBehaviour } = open();
    await provider.readBlock(1);
    setBehaviour(failing({ code: -32_005, message: 'limit exceeded' }));
    await expect(provider.readLogs(logQuery(1, 2))).rejects.toThrow();
    expect(observed.map(({ host, method, failure }) => [host, method, failure?.failureClass])).toEqual([
      ['one', 'eth_chainId', undefined],
      ['one', 'eth_getBlockByNumber', undefined],
      ['one', 'eth_getLogs', 'rate_limited'],
    ]);
  });
});
