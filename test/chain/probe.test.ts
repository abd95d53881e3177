import { describe, expect, it } from 'vitest';
import { probeProvider } from '../../src/chain/probe.ts';
import {
  all,
  answering,
  type Behaviour,
  failing,
  limited,
  withoutBlockHashes,
} from '../support/chain/behaviours.ts';
import { ScriptedChain, scriptedBackend } from '../support/chain/scripted-chain.ts';
import { scriptManager } from '../support/chain/scripted-contracts.ts';
import { openTestChain } from '../support/chain/test-chain.ts';

const MANAGER = `0x${'a'.repeat(40)}`;
const NOBODY = `0x${'c'.repeat(40)}`;
const TREE_CHANGED = '0x25f6d5cc356ee0b49cf708c13c68197947f5740a878a298765e4b18e4afdaf04';

async function probe(behaviour?: Behaviour) {
  const script = new ScriptedChain();
  scriptManager(script, MANAGER, 1n);
  script.mineMany(30);
  const now = (script.head.time + 7) * 1000;
  const test = openTestChain({ backend: scriptedBackend(script), providers: [behaviour], quorum: 1, now });
  const [provider] = test.chain.providers;
  if (provider === undefined) throw new Error('there is no provider');
  const facts = await probeProvider(provider, {
    addresses: [MANAGER, NOBODY],
    call: { to: MANAGER, data: '0xd7b0fef1', words: 1 },
    events: new Map([[TREE_CHANGED, { topics: 4, words: 0 }]]),
    maxRange: 20,
    now: () => test.clock.now,
  });
  return { facts, script };
}

describe('the facts of a provider', () => {
  it('are its chain, head, tags, code, calls by hash and range', async () => {
    const { facts, script } = await probe();
    expect(facts).toMatchObject({
      chainId: { value: 480 },
      head: { value: { number: 30, hash: script.head.hash } },
      headAgeSeconds: { value: 7 },
      safe: { value: { number: 28 } },
      finalized: { value: { number: 26 } },
      takesBlockHashes: { value: true },
      acceptedBlocks: { value: 20 },
    });
    expect(facts.code.get(MANAGER)).toEqual({ value: '60' });
    expect(facts.code.get(NOBODY)).toEqual({ value: '' });
  });

  it('have its limits', async () => {
    const isTag = (name: unknown): boolean => name === 'safe' || name === 'finalized';
    const withoutTags: Behaviour = (backend) => async (method, params) =>
      isTag(params[0]) ? { error: { code: -32_602, message: 'invalid block tag' } } : backend(method, params);
    const tight = limited(3, { code: 35, message: 'block range too large' });
    const { facts } = await probe(all(withoutTags, withoutBlockHashes, tight));
    expect(facts).toMatchObject({
      safe: { failure: 'bad_response', message: 'error -32602: "invalid block tag"' },
      finalized: { failure: 'bad_response' },
      takesBlockHashes: { value: false },
      acceptedBlocks: { value: 2 },
    });
  });

  it('are those of another chain in its id alone', async () => {
    const { facts } = await probe(answering('0x1', 'eth_chainId'));
    expect(facts).toMatchObject({
      chainId: { value: 1 },
      head: { failure: 'chain_mismatch' },
      takesBlockHashes: { failure: 'chain_mismatch' },
    });
  });

  it('are failures if it is down', async () => {
    const { facts } = await probe(failing({ code: -32_000, message: 'invalid api key' }));
    const failure = 'refused';
    expect(facts).toMatchObject({ chainId: { failure }, head: { failure }, acceptedBlocks: { failure } });
    expect(facts.code.get(MANAGER)).toMatchObject({ failure });
  });
});
