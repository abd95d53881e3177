import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransactions } from '../../../src/oidc/transaction/create-transactions.ts';
import { approve } from '../../support/test-wallet.ts';
import { browserOf, type SignIns, startSignIns } from './support/sign-ins.ts';

describe('an answer that could not be checked', () => {
  let signIns: SignIns;
  let other: SignIns;
  beforeAll(async () => {
    signIns = await startSignIns();
    other = await startSignIns();
  });
  afterAll(async () => {
    await signIns.end();
    await other.end();
  });

  it('is kept while engines close or fail, and is checked by the next service', async () => {
    const { options, store } = signIns;
    const now = (): number => signIns.clock.now;
    const signIn = await signIns.begin();
    await approve(await signIn.connectUrl());

    await options.keys.ensure('trapdoor-4');
    await signIns.engine.close();
    expect(await signIn.poll()).toMatchObject({ state: 'verifying', code: null });
    expect(await signIn.row()).toMatchObject({ state: 'answered' });
    expect(await signIn.poll()).toMatchObject({ state: 'verifying' });

    const failing = createTransactions({
      ...options,
      engine: { verify: () => Promise.reject(new Error('the worker ended')) },
    });
    const atFailing = browserOf(signIn.txn, signIn.cookie, failing, store, now);
    await expect(atFailing.poll()).rejects.toThrow('the worker ended');
    await expect(atFailing.poll()).rejects.toThrow('the worker ended');
    expect(await signIn.row()).toMatchObject({ state: 'answered' });

    const { engine, keys } = other.options;
    const restarted = createTransactions({ ...options, engine, keys });
    const resumed = browserOf(signIn.txn, signIn.cookie, restarted, store, now);
    expect(await resumed.poll()).toMatchObject({ state: 'completed' });
    expect((await resumed.finish()).code).toBeDefined();
    const { values } = await signIns.metrics.signinProofSeconds.get();
    const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'));
    const results = Object.fromEntries(counts.map(({ labels, value }) => [labels.result, value]));
    expect(results).toEqual({ busy: 2, accepted: 1 });
  });
});
