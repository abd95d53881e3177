import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, createChain } from '../../src/chain/chain.ts';
import { probeProvider } from '../../src/chain/probe.ts';
import { ANVIL, ANVIL_SKIP, type Anvil, type DeployedContract, startAnvil } from '../support/chain/anvil.ts';
import { alteringCalls, limited } from '../support/chain/behaviours.ts';
import { encodeCall, encodeWords } from '../support/chain/contracts.ts';
import { type FakeProvider, startFakeProvider } from '../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../support/chain/scripted-chain.ts';
import { hexWords, scriptManager } from '../support/chain/scripted-contracts.ts';
import { openTestChain } from '../support/chain/test-chain.ts';

const FIRST_TIME = 1_700_000_000;
const TREE_CHANGED = '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04';
const EVENTS = new Map([[TREE_CHANGED, { topics: 4, words: 0, scalarTopics: [1, 3] }]]);

describe.skipIf(ANVIL === undefined)(`facts of anvil${ANVIL_SKIP}`, () => {
  let anvil: Anvil;
  let manager: DeployedContract;
  let liar: FakeProvider;
  let chain: Chain;

  beforeAll(async () => {
    anvil = await startAnvil({ firstTime: FIRST_TIME });
    manager = await anvil.deploy('IdentityManager', 1n);
    await manager.send('change(uint256,uint8)', 2, 0);
    await manager.send('change(uint256,uint8)', 3, 1);
    await anvil.mine(FIRST_TIME + 1000);
    await manager.send('insertAll(uint256[])', 32, 3, 4, 5, 6);
    await anvil.mine(FIRST_TIME + 2000);
    for (let block = 4; block < 9; block++) await anvil.mine(FIRST_TIME + 1000 * block);
    liar = await startFakeProvider(anvil.backend, { behaviour: alteringCalls(() => hexWords(99n)) });
    chain = createChain({
      urls: [liar.url, anvil.url.replace('127.0.0.1', 'localhost'), anvil.url.replace('127.0.0.1', '127.1')],
      chainId: 480,
      quorum: 1,
      signal: new AbortController().signal,
      now: Date.now,
      limits: { timeoutMs: 60_000, maxResponseBytes: 1_000_000 },
      observe: () => undefined,
      onDisagreement: () => undefined,
    });
  });
  afterAll(async () => {
    await liar?.close();
    await anvil?.stop();
  });

  const rootOf = async (block: { number: number; hash: string }): Promise<unknown> =>
    chain.providers[1]?.callAt(block, { to: manager.address, data: '0xd7b0fef1', words: 1 });

  it('are blocks, logs and calls', async () => {
    const target = await chain.target(2);
    expect(target.number).toBe(6);
    expect(target.time).toBe(FIRST_TIME + 6000);
    const logs = await chain.logs({ addresses: [manager.address], events: EVENTS, fromBlock: 0, toBlock: 6 });
    expect(logs.map(({ block, index, topics }) => [block, index, ...topics.slice(1).map(Number)])).toEqual([
      [2, 0, 1, 0, 2],
      [2, 1, 2, 1, 3],
      [3, 0, 3, 0, 4],
      [3, 1, 4, 0, 5],
      [3, 2, 5, 0, 6],
    ]);
    expect(await rootOf(target)).toEqual({ words: [encodeWords(6)] });
    expect(await rootOf(await chain.block(2))).toEqual({ words: [encodeWords(3)] });
    expect(chain.providers[1]?.takesBlockHashes).toBe(true);
  });

  it('are those of a scripted chain with the same history', async () => {
    const script = new ScriptedChain({ firstTime: FIRST_TIME });
    const scripted = scriptManager(script, manager.address, 1n);
    script.mine();
    scripted.change(2n);
    scripted.change(3n, 1);
    script.mine();
    for (const root of [4n, 5n, 6n]) scripted.change(root);
    script.mineMany(6);
    const { chain: other } = openTestChain({
      backend: scriptedBackend(script),
      providers: [undefined],
      quorum: 1,
    });
    const query = { addresses: [manager.address], events: EVENTS, fromBlock: 1, toBlock: 7 };
    const withoutHashes = (logs: Awaited<ReturnType<Chain['logs']>>): unknown =>
      logs.map((log) => ({ ...log, blockHash: undefined }));
    expect(withoutHashes(await other.logs(query))).toEqual(withoutHashes(await chain.logs(query)));
    for (const confirmations of [0, 3, 'safe', 'finalized'] as const) {
      expect((await other.target(confirmations)).number).toBe((await chain.target(confirmations)).number);
    }
    const gone = { number: 7, hash: `0x${'e'.repeat(64)}` };
    for (const provider of [chain.providers[1], other.providers[0]]) {
      const notThere = { failureClass: 'not_there' };
      await expect(provider?.readBlock(99)).rejects.toMatchObject(notThere);
      const call = { to: manager.address, data: '0xd7b0fef1', words: 1 };
      await expect(provider?.callAt(gone, call)).rejects.toMatchObject(notThere);
      const head = await provider?.readHead('latest');
      if (head === undefined) throw new Error('there is no head');
      expect(await provider?.callAt(head, { ...call, data: '0x00000001' })).toEqual({ revert: '0x' });
      expect(await provider?.callAt(head, { ...call, to: `0x${'c'.repeat(40)}` })).toEqual({ bytes: 0 });
    }
  });

  it('have the selector of a revert', async () => {
    const bridge = await anvil.deploy('BridgedWorldId');
    const registry = await anvil.deploy('WorldIdRegistry');
    const head = await chain.target(0);
    const call = (to: string, data: string, words: number): unknown =>
      chain.providers[1]?.callAt(head, { to, data, words });
    expect(await call(bridge.address, '0xd7b0fef1', 1)).toEqual({ revert: '0x5b8dabb7' });
    const key = encodeCall('WorldIdRegistry', 'getOprfPublicKey(uint160)', 7);
    expect(await call(registry.address, key, 2)).toEqual({ revert: '0xfbf20062' });
  });

  it('are gone after a fork', async () => {
    await manager.send('change(uint256,uint8)', 7, 0);
    await anvil.mine();
    const dropped = await chain.target(0);
    expect(await rootOf(dropped)).toEqual({ words: [encodeWords(7)] });
    await anvil.reorganise(1);
    await expect(rootOf(dropped)).rejects.toMatchObject({ failureClass: 'not_there' });
    const head = await chain.target(0);
    expect(head).toMatchObject({ number: dropped.number, parentHash: dropped.parentHash });
    expect(head.hash).not.toBe(dropped.hash);
    expect(await rootOf(head)).toEqual({ words: [encodeWords(6)] });
  });

  it('are probed through a provider that lies and takes small ranges', async () => {
    liar.behaviour = limited(5, { code: -32_614, message: 'eth_getLogs is limited to a 5 range' });
    const [provider] = chain.providers;
    if (provider === undefined) throw new Error('there is no provider');
    const facts = await probeProvider(provider, {
      addresses: [manager.address],
      maxRange: 2000,
      now: Date.now,
      events: EVENTS,
      call: { to: manager.address, data: '0xd7b0fef1', words: 1 },
    });
    expect(facts).toMatchObject({
      chainId: { value: 480 },
      takesBlockHashes: { value: true },
      acceptedBlocks: { value: 5 },
    });
    expect(facts.code.get(manager.address)).toMatchObject({
      value: expect.stringMatching(/^[0-9a-f]{100,}$/),
    });
  });
});
