// Rules: spec/roots.md#commands
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/storage/store.ts';
import { answering, failing } from '../../../support/chain/behaviours.ts';
import { hexWords } from '../../../support/chain/scripted-contracts.ts';
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { checkedHistory, checkHistory, expectFailed, lineNamed, namesOf } from '../support/checked-source.ts';
import type { History } from '../support/history.ts';

const ROOT = 'root in the store';

const temp = useTempStore();
let history: History;
beforeEach(async () => {
  await temp.store.rootSources.reset('test-source');
  history = checkedHistory(temp.store);
  await history.node().open();
});

/** Returns the store with another answer for its roots. */
function withRoots(find: Store['roots']['find']): Store {
  return { ...temp.store, roots: { ...temp.store.roots, find } };
}

describe('the check of a source against the store', () => {
  it('passes if the root of the contract is current there, and the checkpoint is on the chain', async () => {
    await history.settle();
    const report = await checkHistory(history);
    expect(namesOf(report, 'fail')).toEqual([]);
    expect(lineNamed(report, ROOT)).toMatchObject({ status: 'ok', detail: '0x00000000 is current' });
    expect(lineNamed(report, 'checkpoint').status).toBe('ok');
  });

  it('compares nothing without a store, before the first round, and without a root of the contract', async () => {
    const absent = await checkHistory(history, { store: { absent: 'there is no store here' } });
    expect(lineNamed(absent, 'store')).toMatchObject({ status: 'skip', detail: 'there is no store here' });
    expect(namesOf(await checkHistory(history), 'skip')).toEqual([ROOT, 'checkpoint']);
    await history.settle();
    for (const client of history.clients) client.behaviour = answering('0x', 'eth_call');
    expect(lineNamed(await checkHistory(history), ROOT).status).toBe('skip');
  });

  it('fails if the store has read up to the block and does not know its root', async () => {
    await history.settle();
    const store = withRoots(async () => undefined);
    expect(lineNamed(await checkHistory(history, { store }), ROOT)).toMatchObject({
      status: 'fail',
      code: 'roots.incomplete',
      detail: '0x00000000 is not known',
    });
  });

  it('fails if the store has read up to the block and has another current root', async () => {
    await history.settle();
    const store = withRoots(async (...row) => {
      const found = await temp.store.roots.find(...row);
      return found && { ...found, supersededAt: found.receivedAt + 1000 };
    });
    expectFailed(await checkHistory(history, { store }), ROOT, {
      code: 'roots.incomplete',
      text: 'is superseded there',
    });
  });

  it('passes if the store has read on meanwhile', async () => {
    await history.settle();
    // The providers of the check are behind those of the service.
    const behind = history.chain.head.number;
    history.contract.change(3000n);
    history.chain.mineMany(10);
    await history.settle();
    const source = { ...history.source, confirmations: history.chain.head.number - behind };
    const report = await checkHistory({ ...asParts(history), source });
    expect(lineNamed(report, ROOT)).toMatchObject({
      status: 'ok',
      detail: '0x00000000 was current, the store has read on',
    });
  });

  it('notes a root that the store has not read yet, and fails once the source is stale', async () => {
    await history.settle();
    const readAt = history.now();
    history.contract.change(3000n);
    history.chain.mineMany(8);
    expect(lineNamed(await checkHistory(history), ROOT).status).toBe('note');
    history.chain.mineMany(60);
    expect(history.now() - readAt).toBeGreaterThan(60_000);
    expectFailed(await checkHistory(history), ROOT, { text: 'is newer than what the store has read' });
  });

  it('fails if the chain has another block at the checkpoint, or does not tell it', async () => {
    await history.settle();
    history.chain.drop(8);
    history.chain.mineMany(12);
    expectFailed(await checkHistory(history), 'checkpoint', {
      code: 'roots.disagreement',
      text: 'was read, it is 0x',
    });
    const { block } = (await temp.store.rootSources.find(history.source.id))?.checkpoint ?? { block: 0 };
    const [client] = history.clients;
    if (client === undefined) throw new Error('expected a provider');
    const pruned = failing({ code: -32_000, message: 'header not found' });
    client.behaviour = (backend) => async (method, params) =>
      (Number(params[0]) === block ? pruned(backend) : backend)(method, params);
    expect(lineNamed(await checkHistory(history), 'checkpoint')).toMatchObject({
      status: 'fail',
      detail: 'a.example: not_there (error -32000)',
    });
  });

  it('fails if the store has the state of other contracts', async () => {
    await history.settle();
    const source = { ...history.source, issuers: `0x${'9'.repeat(40)}` };
    expectFailed(await checkHistory({ ...asParts(history), source }), 'store', { code: 'roots.config' });
  });

  it('finds a root that came back as the current one', async () => {
    history.contract.change(1000n);
    history.chain.mineMany(3);
    await history.settle();
    const report = await checkHistory(history);
    expect(report.providers[0]?.latestRoot).toBe(hexWords(1000n));
    expect(lineNamed(report, ROOT).status).toBe('ok');
  });
});

/** Returns what the check reads of a history, for another source. */
function asParts({ store, now }: History): Pick<History, 'store' | 'now' | 'parts'> {
  return { store, now, parts: (quorum) => history.parts(quorum) };
}
