// Rules: spec/roots.md#misses
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { VerifyOutcome } from '../../../src/verification/run/verify-outcome.ts';
import { bodyOf, type Fields, itemOf, vector } from '../support/vectors.ts';
import { createVerifierHarness, NOW, type VerifierHarness } from '../support/verifier-harness.ts';

const entry = vector(0);
const UNKNOWN = '0xdead';
const items = (...changes: Fields[]): Fields =>
  bodyOf(entry, { responses: changes.map((change) => itemOf(entry, { merkle_root: UNKNOWN, ...change })) });
const codesOf = (outcome: VerifyOutcome): (string | undefined)[] => {
  const results = outcome.ok ? outcome.body.results : (outcome.results ?? []);
  return results.map((result) => (result.success ? 'ok' : result.code));
};

/** A harness whose source finds every root, and the roots that it was asked for. */
function withSource(): VerifierHarness & { readonly sought: string[] } {
  const harness = createVerifierHarness();
  const sought: string[] = [];
  harness.behaviour.refresh = async (root) => {
    sought.push(toHex(root));
    return {};
  };
  return { ...harness, sought };
}

describe('an item whose root is unknown', () => {
  it('fails without a pairing if its tree has no source', async () => {
    const { call, engineCalls } = createVerifierHarness();
    expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
    expect(engineCalls).toEqual([]);
  });

  it('is accepted if its proof is valid under the key of the tree and the source finds the root', async () => {
    const { call, engineCalls, sought, recorded, metrics } = withSource();
    const outcome = await call(items({}));
    expect(codesOf(outcome)).toEqual(['ok']);
    expect(engineCalls.map(({ keyId }) => keyId)).toEqual(['semaphore-depth30']);
    expect(sought).toEqual([`0x${UNKNOWN.slice(2).padStart(64, '0')}`]);
    expect(recorded).toHaveLength(1);
    expect(await metrics.exposition()).toContain(
      'verify_root_age_seconds_sum{environment="production",tree="orb",accepted="true"} 60',
    );
  });

  it.each(['proof.false', 'proof.point_not_on_curve', 'input.range'] as const)(
    'stays unknown without asking the source if the verdict is %s',
    async (code) => {
      const { call, behaviour, sought } = withSource();
      behaviour.verdict = () => (code === 'proof.false' ? { ok: false } : { ok: false, code });
      expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
      expect(sought).toEqual([]);
    },
  );

  it('has an internal error if its proof could not be checked', async () => {
    const { call, behaviour } = withSource();
    behaviour.verdict = () => ({ ok: false, code: 'engine.poison' });
    expect(codesOf(await call(items({})))).toEqual(['internal_error']);
  });

  it('stays unknown if the source does not know the root, or knows it under another key', async () => {
    const { call, behaviour } = withSource();
    behaviour.refresh = async () => undefined;
    expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
    behaviour.refresh = async () => ({ keyId: 'another' });
    expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
  });

  it('stays unknown if its tree has no usable key', async () => {
    const { call, behaviour, engineCalls, faults } = withSource();
    behaviour.keyOf = () => undefined;
    expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
    behaviour.keyOf = () => 'unusable';
    behaviour.ensure = () => Promise.reject(new ServiceError('engine.key_unknown'));
    expect(codesOf(await call(items({})))).toEqual(['invalid_merkle_root']);
    expect([engineCalls, faults]).toEqual([[], []]);
  });

  it('is judged by the age of the root that was found', async () => {
    const { call, behaviour } = withSource();
    behaviour.refresh = async () => ({ supersededAt: NOW - 1, receivedAt: NOW - 3_601_000 });
    const outcome = await call(items({ max_age: 3600 }, { max_age: 7200 }));
    expect(codesOf(outcome)).toEqual(['root_too_old', 'ok']);
    expect(outcome.logFields).toMatchObject({ rootAgeSeconds: 3601, maxAgeSeconds: 3600 });
  });

  it('does not change its neighbours', async () => {
    const { call, behaviour, engineCalls } = withSource();
    behaviour.refresh = async () => undefined;
    const [known, unknown] = [{ merkle_root: entry.merkle_root }, {}];
    expect(codesOf(await call(items(unknown, known, { proof: '0x' }, unknown)))).toEqual([
      'invalid_merkle_root',
      'ok',
      'invalid_format',
      'invalid_merkle_root',
    ]);
    expect(engineCalls).toHaveLength(2);
  });

  it('refuses the request if the store is unreachable meanwhile', async () => {
    const { call, behaviour } = withSource();
    behaviour.refresh = () => Promise.reject(new ServiceError('store.unreachable'));
    const outcome = await call(items({}));
    expect(outcome.ok || outcome.error.code).toBe('store.unreachable');
  });

  it('ends at the deadline while its source is asked', async () => {
    const { call, behaviour } = withSource();
    behaviour.startDeadline = (_ms, onPassed) => setImmediate(onPassed);
    behaviour.refresh = () => new Promise(() => undefined);
    const outcome = await call(items({}));
    expect(outcome.ok || outcome.error.code).toBe('verify.deadline');
  });
});
