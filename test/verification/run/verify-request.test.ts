// Rules: spec/verification.md#items and spec/verification.md#nullifier-record
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { externalNullifier } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { decodeWord } from '../../../src/semaphore/words.ts';
import type { NullifierRecord } from '../../../src/storage/nullifiers/nullifier-rows.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { VerifyOutcome } from '../../../src/verification/run/verify-outcome.ts';
import { type Gate, gate } from '../../support/gate.ts';
import { until } from '../../support/until.ts';
import { bodyOf, type Fields, itemOf, vector } from '../support/vectors.ts';
import { APP_ID, createVerifierHarness, NOW, PLACES } from '../support/verifier-harness.ts';

const entry = vector(0);

const items = (...changes: Fields[]): Fields =>
  bodyOf(entry, { responses: changes.map((change) => itemOf(entry, change)) });
const codesOf = (outcome: VerifyOutcome): (string | undefined)[] => {
  const results = outcome.ok ? outcome.body.results : (outcome.results ?? []);
  return results.map((result) => (result.success ? 'ok' : result.code));
};
const errorOf = (outcome: VerifyOutcome): string => (outcome.ok ? 'none' : outcome.error.code);
const word = (last: number): string => `0x${last.toString(16)}`;

describe.each(PLACES)('statement that the engine verifies, rows and keys $place', ({ isInMemory }) => {
  it('consists of root, nullifier, signal and external nullifier of the registered app, in this order', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    expect((await call(bodyOf(entry))).ok).toBe(true);
    const { merkle_root, nullifier_hash, signal_hash, external_nullifier_hash } = entry;
    expect(engineCalls).toHaveLength(1);
    expect(engineCalls[0]?.keyId).toBe('semaphore-depth30');
    expect(toHex(engineCalls[0]?.proof ?? new Uint8Array())).toBe(entry.proof);
    const inputs = [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash].map((text) =>
      text.slice(2),
    );
    expect(toHex(engineCalls[0]?.inputs ?? new Uint8Array())).toBe(`0x${inputs.join('')}`);
    const source = engineCalls[0]?.options.source;
    expect([source?.address, source?.app]).toEqual(['192.0.2.1', APP_ID]);
  });

  it('uses the default signal and the action as sent', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    await call({ ...items({ signal_hash: undefined }), action: '0x61' });
    const inputs = engineCalls[0]?.inputs ?? new Uint8Array();
    expect(toHex(inputs.subarray(64, 96))).toBe(
      '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4',
    );
    expect(inputs.subarray(96)).toEqual(externalNullifier(APP_ID, '0x61'));
  });

  it('uses the key of the root before the key of the tree', async () => {
    const { call, engineCalls, behaviour } = createVerifierHarness(isInMemory);
    behaviour.root = () => ({ keyId: 'own' });
    await call(bodyOf(entry));
    expect(engineCalls[0]?.keyId).toBe('own');
  });
});

describe.each(PLACES)('items of one request, rows and keys $place', ({ isInMemory }) => {
  it('are answered in their order, each with its own code', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.verdict = ({ inputs }) =>
      inputs[63] === 1
        ? { ok: true }
        : inputs[63] === 2
          ? { ok: false }
          : { ok: false, code: inputs[63] === 3 ? 'proof.decompression' : 'proof.point_not_on_curve' };
    const outcome = await call(
      items(
        { nullifier: word(2) },
        { proof: '0x' },
        { nullifier: word(3) },
        { nullifier: word(1) },
        { nullifier: word(4) },
        { merkle_root: '0xdead' },
      ),
    );
    expect(codesOf(outcome)).toEqual([
      'invalid_proof',
      'invalid_format',
      'invalid_proof',
      'ok',
      'prover_error',
      'invalid_merkle_root',
    ]);
    expect(outcome).toMatchObject({ ok: true, body: { nullifier: `0x${'1'.padStart(64, '0')}` } });
  });

  it('decode proof, nullifier, merkle_root and signal_hash in this order', async () => {
    const { call } = createVerifierHarness(isInMemory);
    const long = '1'.repeat(66);
    const bad = { proof: 'x', nullifier: long, merkle_root: 'zz', signal_hash: `0x${long}` };
    const outcome = await call(
      items(
        bad,
        { ...bad, proof: entry.proof },
        { ...bad, proof: entry.proof, nullifier: '1' },
        { signal_hash: `0x${long}` },
      ),
    );
    const results = outcome.ok ? [] : (outcome.results ?? []);
    expect(results.map((result) => !result.success && result.attribute)).toEqual([
      'proof',
      'nullifier_hash',
      'merkle_root',
      'signal',
    ]);
    expect(errorOf(outcome)).toBe('verify.all_failed');
  });

  it('are verified once if they are identical', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    const outcome = await call(items({}, {}, { nullifier: word(5) }, {}, { identifier: 'face' }));
    expect(codesOf(outcome)).toEqual(new Array(5).fill('ok'));
    expect(engineCalls).toHaveLength(2);
  });

  it('are queued all together or not at all', async () => {
    const { call, engineCalls, behaviour } = createVerifierHarness(isInMemory);
    behaviour.room = 2;
    const two = items(
      { nullifier: word(1) },
      { nullifier: word(2) },
      { nullifier: word(2) },
      { proof: 'undecodable' },
    );
    expect((await call(two)).ok).toBe(true);
    const outcome = await call(items({ nullifier: word(1) }, { nullifier: word(2) }, { nullifier: word(3) }));
    expect(errorOf(outcome)).toBe('engine.busy');
    expect(engineCalls).toHaveLength(2);
    expect(outcome.ok || outcome.results).toBeUndefined();
  });

  it('are answered while the queue is full if they need no verification', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.room = 0;
    expect(codesOf(await call(items({ proof: 'x' })))).toEqual(['invalid_format']);
  });

  it('refuse the request if the engine turns out to be busy', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.verdict = () => ({ ok: false, code: 'engine.busy' });
    expect(errorOf(await call(bodyOf(entry)))).toBe('engine.busy');
  });

  it.each(['engine.draining', 'engine.poison', 'engine.key_unknown', 'engine.cancelled'] as const)(
    'are internal_error if the engine refuses with %s, and so is the request if no item succeeded',
    async (code) => {
      const { call, behaviour } = createVerifierHarness(isInMemory);
      behaviour.verdict = ({ inputs }) => (inputs[63] === 1 ? { ok: false } : { ok: false, code });
      const outcome = await call(items({ nullifier: word(1) }, { nullifier: word(2) }));
      expect(codesOf(outcome)).toEqual(['invalid_proof', 'internal_error']);
      expect(errorOf(outcome)).toBe('verify.all_failed_internal');
    },
  );

  it('are internal_error after an unexpected error, which is reported', async () => {
    const { call, behaviour, faults } = createVerifierHarness(isInMemory);
    behaviour.verdict = () => Promise.reject(new Error('boom'));
    const outcome = await call(bodyOf(entry));
    expect(codesOf(outcome)).toEqual(['internal_error']);
    expect(faults).toEqual([new Error('boom')]);
  });

  it('are internal_error without a usable key, and the cause is reported', async () => {
    const { call, behaviour, faults, engineCalls } = createVerifierHarness(isInMemory);
    behaviour.keyOf = () => undefined;
    expect(codesOf(await call(bodyOf(entry)))).toEqual(['internal_error']);
    behaviour.keyOf = () => 'k';
    behaviour.ensure = async () => {
      throw new ServiceError('key.forbidden');
    };
    expect(codesOf(await call(bodyOf(entry)))).toEqual(['internal_error']);
    expect(faults).toHaveLength(2);
    expect(engineCalls).toHaveLength(0);
  });

  it('wait for a key that is being prepared', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.ensure = async () => undefined;
    expect((await call(bodyOf(entry))).ok).toBe(true);
  });

  it('do not lose a success to an internal error of another item', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.verdict = ({ inputs }) =>
      inputs[63] === 1 ? { ok: true } : { ok: false, code: 'engine.poison' };
    const outcome = await call(items({ nullifier: word(2) }, { nullifier: word(1) }));
    expect(codesOf(outcome)).toEqual(['internal_error', 'ok']);
    expect(outcome.ok).toBe(true);
  });
});

describe('record of the nullifier', () => {
  it('contains the nullifier of the first successful item, with app, action and time', async () => {
    const { call, recorded, behaviour } = createVerifierHarness();
    behaviour.verdict = ({ inputs }) => ({ ok: inputs[63] !== 1 });
    const body = items({ nullifier: word(1) }, { nullifier: '0x0abc' }, { nullifier: word(9) });
    const outcome = await call({ ...body, action_description: 'why', environment: 'staging' });
    expect(recorded).toEqual([
      {
        environment: 'staging',
        nullifier: decodeWord('0xabc'),
        appId: APP_ID,
        action: 'testing',
        actionDescription: 'why',
        requestId: 'request-1',
        createdAt: NOW,
      },
    ]);
    expect(outcome.ok && outcome.body).toEqual({
      success: true,
      action: 'testing',
      nullifier: `0x${'abc'.padStart(64, '0')}`,
      created_at: '2026-01-15T09:30:00.123Z',
      environment: 'staging',
      protocol_version: '3.0',
      results: [
        {
          identifier: 'orb',
          success: false,
          nullifier: word(1),
          code: 'invalid_proof',
          detail: 'The provided proof is invalid.',
        },
        { identifier: 'orb', success: true, nullifier: '0x0abc' },
        { identifier: 'orb', success: true, nullifier: '0x9' },
      ],
      message: 'Proof verified successfully',
    });
  });

  it('yields a reuse with the first time if the nullifier exists', async () => {
    const { call, behaviour, metrics } = createVerifierHarness();
    behaviour.record = async () => ({ isNew: false, createdAt: NOW - 1000 });
    const outcome = await call(bodyOf(entry));
    expect(outcome).toMatchObject({
      ok: true,
      isReuse: true,
      body: {
        message: 'Proof verified successfully (nullifier reuse)',
        created_at: '2026-01-15T09:29:59.123Z',
      },
    });
    expect(await metrics.exposition()).toContain(
      'proofgate_verify_nullifier_reuse_total{environment="production"} 1',
    );
  });

  it.each([
    [new ServiceError('store.unreachable'), 'verify.nullifier_store_unreachable'],
    [new ServiceError('store.failed'), 'verify.nullifier_not_stored'],
    [new Error('other'), 'verify.nullifier_not_stored'],
  ])('refuses the request after %s with %s', async (fault, code) => {
    const { call, behaviour } = createVerifierHarness();
    behaviour.record = () => Promise.reject(fault);
    const outcome = await call(bodyOf(entry));
    expect(errorOf(outcome)).toBe(code);
    expect(outcome.ok || outcome.results).toBeUndefined();
  });

  it('is not written if no item succeeded', async () => {
    const { call, behaviour, recorded } = createVerifierHarness();
    behaviour.verdict = () => ({ ok: false });
    await call(bodyOf(entry));
    expect(recorded).toEqual([]);
  });
});

describe('end of a request before its answer', () => {
  const hanging = () => {
    const held = createVerifierHarness();
    const verdicts: Gate<Verdict>[] = [];
    held.behaviour.verdict = () => {
      const verdict = gate<Verdict>();
      verdicts.push(verdict);
      return verdict.promise;
    };
    return { ...held, verdicts };
  };

  it('by the deadline refuses it, drops the queued items and writes nothing', async () => {
    const { call, behaviour, engineCalls, recorded, verdicts } = hanging();
    behaviour.deadlineMs = 20;
    const outcome = await call(bodyOf(entry));
    expect(errorOf(outcome)).toBe('verify.deadline');
    expect(engineCalls[0]?.options.signal?.aborted).toBe(true);
    verdicts[0]?.open({ ok: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect(recorded).toEqual([]);
  });

  it('by the client drops the queued items and writes nothing', async () => {
    const { call, engineCalls, recorded, verdicts } = hanging();
    const client = new AbortController();
    const answer = call(bodyOf(entry), 'rp', client.signal);
    await until(() => verdicts.length === 1);
    client.abort();
    verdicts[0]?.open({ ok: true });
    expect(errorOf(await answer)).toBe('engine.cancelled');
    expect(engineCalls[0]?.options.signal?.aborted).toBe(true);
    expect(recorded).toEqual([]);
  });

  it('by a client that disconnected before the start does not call the engine', async () => {
    const { call, engineCalls } = createVerifierHarness();
    expect(errorOf(await call(bodyOf(entry), 'rp', AbortSignal.abort()))).toBe('engine.cancelled');
    expect(engineCalls).toEqual([]);
  });

  it('during the lookup of roots does not call the engine later', async () => {
    const { call, behaviour, engineCalls } = createVerifierHarness();
    const lookup = gate<Partial<RootRow>>();
    behaviour.root = () => lookup.promise;
    behaviour.deadlineMs = 20;
    expect(errorOf(await call(bodyOf(entry)))).toBe('verify.deadline');
    lookup.open({});
    await new Promise((resolve) => setImmediate(resolve));
    expect(engineCalls).toEqual([]);
  });

  it('has no effect once the write has started', async () => {
    const { call, behaviour } = createVerifierHarness();
    const client = new AbortController();
    const written = gate<NullifierRecord>();
    let hasStarted = false;
    let passDeadline = (): void => undefined;
    behaviour.startDeadline = (_ms, onPassed) => {
      passDeadline = onPassed;
    };
    behaviour.record = () => {
      hasStarted = true;
      return written.promise;
    };
    const answer = call(bodyOf(entry), 'rp', client.signal);
    await until(() => hasStarted);
    passDeadline();
    client.abort();
    written.open({ isNew: true, createdAt: NOW });
    expect((await answer).ok).toBe(true);
  });
});

describe('app_id of an error', () => {
  const appIdOf = async (body: unknown, id: string): Promise<string | undefined> => {
    const outcome = await createVerifierHarness().call(body, id);
    return outcome.ok ? 'ok' : outcome.appId;
  };

  it('is the path id as sent until the app is known, then the registered one, and absent in schema errors', async () => {
    expect(await appIdOf(bodyOf(entry), 'unknown')).toBe('unknown');
    expect(await appIdOf(bodyOf(entry), 'disabled')).toBe(APP_ID);
    expect(await appIdOf(items({ proof: 'x' }), 'rp')).toBe(APP_ID);
    expect(await appIdOf({}, 'unknown')).toBeUndefined();
  });
});

describe('log fields and metrics of a request', () => {
  it('contain age and limit of a root that is too old, and no value of the request', async () => {
    const { call, behaviour, metrics } = createVerifierHarness();
    behaviour.root = () => ({ supersededAt: NOW - 1, receivedAt: NOW - 3_601_000 });
    const outcome = await call({ ...items({ max_age: 3600 }, { max_age: 3601 }), integrity_bundle: {} });
    expect(outcome.logFields).toEqual({
      appId: APP_ID,
      environment: 'production',
      protocol: '3.0',
      kind: 'uniqueness',
      items: 2,
      itemCodes: 'item.root_too_old,ok',
      rootAgeSeconds: 3601,
      maxAgeSeconds: 3600,
      reuse: false,
    });
    const text = await metrics.exposition();
    for (const line of [
      'proofgate_verify_items_total{identifier="orb",environment="production",code="root_too_old",backend="native",protocol="3.0",kind="uniqueness"} 1',
      'proofgate_verify_items_total{identifier="orb",environment="production",code="ok",backend="native",protocol="3.0",kind="uniqueness"} 1',
      'proofgate_verify_root_age_seconds_sum{environment="production",tree="orb",accepted="false"} 3601',
      'proofgate_verify_root_age_seconds_sum{environment="production",tree="orb",accepted="true"} 3601',
      'proofgate_verify_integrity_bundle_ignored_total{environment="production"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('do not contain a path id that is not an app', async () => {
    expect((await createVerifierHarness().call(bodyOf(entry), 'unknown')).logFields).toEqual({});
  });
});
