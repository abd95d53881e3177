// Rules: spec/roots.md#commands
import { beforeEach, describe, expect, it } from 'vitest';
import { RpcFailure } from '../../../../src/chain/rpc/rpc-failure.ts';
import {
  all,
  alteringBlocks,
  alteringCalls,
  answering,
  type Behaviour,
  failing,
  lagging,
  limited,
  withoutBlockHashes,
} from '../../../support/chain/behaviours.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { checkedHistory, checkHistory, expectFailed, lineNamed, namesOf } from '../support/checked-source.ts';
import type { History } from '../support/history.ts';

const DEPTH = '0x8e5cdd50';
const LATEST_ROOT = '0xd7b0fef1';
const SECRET = 'key-3f9a';
/** Providers differ in everything they say of blocks. */
const OTHER_HASH = alteringBlocks((block) => ({ ...block, hash: `0x${'cd'.repeat(32)}` }));
const WITHOUT_TAGS: Behaviour = (backend) => async (method, params) =>
  params[0] === 'safe' || params[0] === 'finalized'
    ? { error: { code: -32_602, message: 'invalid block tag' } }
    : backend(method, params);
const UNREACHABLE = { code: -32_000, message: 'internal error' };

const temp = useTempStore();
let history: History;
beforeEach(async () => {
  await temp.store.rootSources.reset('test-source');
  history = checkedHistory(temp.store);
});

function behave(index: number, behaviour: Behaviour): void {
  const client = history.clients[index];
  if (client === undefined) throw new Error('expected a provider');
  client.behaviour = behaviour;
}

describe('the check of a source', () => {
  it('passes with three honest providers, whose facts it reports', async () => {
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual([]);
    expect(namesOf(report, 'note')).toEqual([]);
    expect(namesOf(report, 'ok')).toEqual([
      'chain id',
      'head',
      'clock',
      'code',
      'latest root',
      'depth',
      'safe',
      'finalized',
      'block hashes',
      'log range',
      'quorum',
      'block hash',
      'root at the target',
    ]);
    expect(lineNamed(report, 'store')).toMatchObject({ status: 'skip' });
    const { number, hash } = history.chain.head;
    expect(report.providers).toHaveLength(3);
    expect(report.providers[1]).toMatchObject({
      host: 'b.example',
      chainId: 480,
      headAgeSeconds: 0,
      safe: number - 2,
      finalized: number - 4,
      takesBlockHashes: true,
      acceptedBlocks: 7,
      depth: 30n,
      latestRoot: hexWords(2000n),
      head: { number, hash },
    });
  });

  it('does not ask a bridge for its depth', async () => {
    const report = await checkHistory(checkedHistory(temp.store, { kind: 'bridged' }));
    expect(lineNamed(report, 'depth')).toMatchObject({ status: 'skip' });
    expect(namesOf(report, 'fail')).toEqual([]);
  });

  it('notes a bridge that has no root yet', async () => {
    const empty = checkedHistory(temp.store, { kind: 'bridged' });
    empty.chain.setView(empty.source.contract, LATEST_ROOT, { revert: '0x5b8dabb7' });
    empty.chain.mineMany(3);
    const report = await checkHistory(empty);
    expect(namesOf(report, 'note')).toEqual(['latest root', 'root at the target']);
    expect(namesOf(report, 'fail')).toEqual([]);
  });

  it.each<[string, Behaviour, string, string]>([
    ['chain id', answering('0x1', 'eth_chainId'), 'roots.chain_mismatch', 'b.example: expected 480, got 1'],
    ['head', failing(UNREACHABLE, 'eth_getBlockByNumber'), 'roots.bad_response', 'b.example: bad_response'],
    ['code', answering('0x', 'eth_getCode'), 'roots.contract_missing', 'b.example: none at contract 0xc0c0'],
    ['depth', viewing(DEPTH, hexWords(20n)), 'roots.depth_mismatch', 'b.example: expected 30, got 20'],
    ['latest root', viewing(LATEST_ROOT, '0x'), 'roots.contract_missing', 'no contract on chain 480'],
    ['latest root', viewing(LATEST_ROOT, hexWords(1n, 2n)), 'roots.wrong_contract', 'has 64 bytes'],
    ['log range', failing(UNREACHABLE, 'eth_getLogs'), 'roots.bad_response', 'b.example: bad_response'],
    ['block hash', OTHER_HASH, 'roots.disagreement', 'a.example, c.example: 0x'],
    ['root at the target', alteringRoot(), 'roots.disagreement', 'b.example: 0x00000000'],
  ])('fails line "%s" for one provider of three, with its host', async (name, behaviour, code, text) => {
    behave(1, behaviour);
    const report = await checkHistory(history);
    expectFailed(report, name, { code, text });
    expect(report.isReached).toBe(true);
  });

  it('judges the age of the head and the clock, the latter more strictly on a slow chain', async () => {
    const late = (seconds: number) => ({ now: () => history.now() + seconds * 1000 });
    const names = async (seconds: number): Promise<string[]> =>
      namesOf(await checkHistory(history, late(seconds)), 'fail');
    expect(await names(120)).toEqual([]);
    expect(await names(121)).toEqual(['head', 'clock']);
    expect(await names(-120)).toEqual([]);
    expect(await names(-121)).toEqual(['clock']);
    history = checkedHistory(temp.store, { chainId: 1 });
    expect(await names(600)).toEqual(['clock']);
    expect(await names(601)).toEqual(['head', 'clock']);
  });

  it('fails for a tag that the source reads and a provider does not offer, and else notes it', async () => {
    behave(2, WITHOUT_TAGS);
    expect(namesOf(await checkHistory(history), 'note')).toEqual(['safe', 'finalized']);
    history = checkedHistory(temp.store, { confirmations: 'finalized' });
    expect(namesOf(await checkHistory(history), 'fail')).toEqual([]);
    behave(2, WITHOUT_TAGS);
    const report = await checkHistory(history);
    expect([namesOf(report, 'note'), namesOf(report, 'fail')]).toEqual([['safe'], ['finalized']]);
  });

  it('notes a provider that takes no block hashes, or few blocks at once', async () => {
    behave(0, all(withoutBlockHashes, limited(2, { code: 35, message: 'block range too large' })));
    const report = await checkHistory(history);
    expect(namesOf(report, 'note')).toEqual(['block hashes', 'log range']);
    expect(report.providers[0]).toMatchObject({ takesBlockHashes: false, acceptedBlocks: 1 });
    expect(namesOf(report, 'fail')).toEqual([]);
  });

  it('fails for a provider that is behind the target', async () => {
    behave(0, lagging(5));
    expectFailed(await checkHistory(history), 'block hash', { text: 'a.example: not_there' });
  });

  it('fails the quorum if too few can be asked, and compares those that can', async () => {
    behave(0, answering('0x1', 'eth_chainId'));
    behave(1, answering('0x1', 'eth_chainId'));
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual(['chain id', 'quorum']);
    expect(lineNamed(report, 'block hash').status).toBe('ok');
  });

  it('is not reached if no provider answers, and asks none of them more than once', async () => {
    const down: Behaviour = () => async () => ({ error: { code: -32_000, message: 'x' } });
    for (const index of [0, 1, 2]) behave(index, down);
    expect((await checkHistory(history)).isReached).toBe(true);
    const unreachable = history.parts().chain.providers;
    for (const client of history.clients) {
      client.calls.length = 0;
      client.call = async (method, params) => {
        client.calls.push({ method, params });
        throw new RpcFailure('unreachable', 'ECONNREFUSED');
      };
    }
    const report = await checkHistory(history, { openProviders: () => unreachable });
    expect(report.isReached).toBe(false);
    expect(lineNamed(report, 'chain id')).toMatchObject({
      status: 'fail',
      code: 'roots.unreachable',
      detail: 'unreachable (ECONNREFUSED), 3 providers',
    });
    expect(history.clients.map(({ calls }) => calls.length)).toEqual([1, 1, 1]);
  });

  it('leaves out what providers say in their own words, which may hold their key', async () => {
    for (const index of [0, 1, 2]) {
      behave(index, failing({ code: -32_000, message: `unauthorized: https://a.example/v2/${SECRET}` }));
    }
    const all = await checkHistory(history);
    behave(0, (backend) => backend);
    behave(1, (backend) => backend);
    behave(2, failing({ code: 35, message: `range of ${SECRET}` }, 'eth_getLogs'));
    const last = await checkHistory(history);
    expect(lineNamed(all, 'chain id').detail).toBe('refused (error -32000), 3 providers');
    expect(lineNamed(last, 'log range').status).toBe('fail');
    const texts = [all, last].map(({ lines, providers }) => `${JSON.stringify(lines)}${providers.length}`);
    expect(texts.join('')).not.toContain(SECRET);
  });
});

/** Returns another result of one view function. */
function viewing(selector: string, result: string): Behaviour {
  return (backend) => async (method, params) => {
    const isAsked = method === 'eth_call' && (params[0] as { data: string }).data === selector;
    return isAsked ? { result } : backend(method, params);
  };
}

function alteringRoot(): Behaviour {
  return alteringCalls((result) => (result === hexWords(2000n) ? hexWords(31_337n) : result));
}
