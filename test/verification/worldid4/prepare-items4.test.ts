// Rules: spec/worldid4.md#items, spec/worldid4.md#public-inputs and spec/worldid4.md#order-of-checks
import { describe, expect, it, vi } from 'vitest';
import type { Refusal } from '../../../src/engine/engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { Use } from '../../../src/storage/uses.ts';
import type { VerifyOutcome } from '../../../src/verification/run/verify-outcome.ts';
import { gate } from '../../support/gate.ts';
import type { Fields } from '../support/vectors.ts';
import {
  createVerifierHarness,
  NOW,
  type PartBehaviour,
  PLACES,
  type VerifierHarness,
} from '../support/verifier-harness.ts';

const SECONDS = Math.floor(NOW / 1000);
const ITEM: Fields = {
  identifier: 'proof_of_human',
  issuer_schema_id: 1,
  nullifier: '0x11',
  expires_at_min: SECONDS,
  credential_genesis_issued_at_min: '7',
  signal_hash: '0x22',
  proof: ['0xa1', '162', '0xA3', '0xa4', '0xa5'],
};
const SESSION = `session_${'00'.repeat(31)}99${'ab'.repeat(32)}`;
const ACTION = `0x02${'0'.repeat(62)}`;
const body = (item: Fields = {}, changes: Fields = {}): Fields => ({
  protocol_version: '4.0',
  nonce: '0x33',
  action: 'vote-2026',
  responses: [{ ...ITEM, ...item }],
  ...changes,
});
const sessionBody = (item: Fields = {}, changes: Fields = {}): Fields =>
  body(
    { nullifier: undefined, session_nullifier: ['0x11', ACTION], ...item },
    { action: undefined, session_id: SESSION, ...changes },
  );
const resultOf = (outcome: VerifyOutcome): unknown =>
  (outcome.ok ? outcome.body.results : (outcome.results ?? []))[0];
const failure = (code: string, detail: string): unknown => expect.objectContaining({ code, detail });
const wordsOf = (bytes: Uint8Array): string[] =>
  Array.from({ length: bytes.length / 32 }, (_, index) =>
    toHex(bytes.subarray(32 * index, 32 * index + 32)).replace(/^0x0*(?=.)/, ''),
  );

describe.each(PLACES)('statement of a World ID 4.0 item, rows and keys $place', ({ isInMemory }) => {
  it('consists of four words of the proof, four zero words and fifteen inputs', async () => {
    const { call, engineCalls, behaviour } = createVerifierHarness(isInMemory);
    const ensured: unknown[] = [];
    behaviour.ensure = async (keyId, inputCount) => void ensured.push([keyId, inputCount]);
    behaviour.keyOf = () => 'worldid4';
    expect((await call(body())).ok).toBe(true);
    const [one] = engineCalls;
    if (!one) throw new Error('expected a call of the engine');
    expect(one.keyId).toBe('worldid4');
    expect(ensured).toContainEqual(['worldid4', 15]);
    expect(wordsOf(one.proof)).toEqual(['a1', 'a2', 'a3', 'a4', '0', '0', '0', '0']);
    const inputs = {
      nullifier: '11',
      issuerSchemaId: '1',
      issuerX: '1'.padStart(2, '0').repeat(32).slice(1),
      issuerY: '02'.repeat(32).slice(1),
      expiresAtMin: SECONDS.toString(16),
      genesisIssuedAtMin: '7',
      root: 'a5',
      depth: '1e',
      rpId: '319b46aa7eae89bf',
      action: '3ea9d71669396e120e4699bbd96a3c2ca05367924f3d336fa9b1b3769f6605',
      oprfX: '03'.repeat(32).slice(1),
      oprfY: '04'.repeat(32).slice(1),
      signalHash: '22',
      nonce: '33',
      sessionCommitment: '0',
    };
    expect(wordsOf(one.inputs)).toEqual(Object.values(inputs));
  });

  it('hashes an action that looks like hex as text, and has 0 for an absent signal and bound', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    const item = { signal_hash: undefined, credential_genesis_issued_at_min: undefined };
    await call(body(item, { action: '0x766f7465' }));
    const words = wordsOf(engineCalls[0]?.inputs ?? new Uint8Array());
    expect(words[9]).toBe('a1099f3407a87d90ee505c17e6272f688625920cb1547f3260b7211551bd3e');
    expect([words[5], words[12]]).toEqual(['0', '0']);
  });

  it('of a session has its action and commitment, and the text of the issuer as a number', async () => {
    const { call, engineCalls, recorded } = createVerifierHarness(isInMemory);
    const outcome = await call(
      sessionBody(
        { issuer_schema_id: '18446744073709551615', identifier: 'last' },
        { environment: 'staging' },
      ),
    );
    expect(outcome).toMatchObject({ ok: true, isReuse: false, form: { protocol: '4.0', kind: 'session' } });
    const words = wordsOf(engineCalls[0]?.inputs ?? new Uint8Array());
    expect([words[0], words[9], words[14]]).toEqual(['11', ACTION.slice(3), '99']);
    expect(words[1]).toBe('f'.repeat(16));
    expect(recorded).toEqual([]);
  });

  it('is verified once for identical items, and apart where one word differs', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    const items = [ITEM, ITEM, { ...ITEM, signal_hash: '0x022' }, { ...ITEM, signal_hash: '0x12' }];
    const outcome = await call(body({}, { responses: items }));
    expect(engineCalls).toHaveLength(2);
    expect(outcome.ok && outcome.body.results).toHaveLength(4);
  });
});

describe.each(PLACES)('steps of a World ID 4.0 item, rows and keys $place', ({ isInMemory }) => {
  const cannot = (value: string): unknown =>
    failure('verification_error', `Cannot convert ${value} to a BigInt`);
  const INVALID_ROOT = failure('invalid_root', 'The authenticator root is not valid.');
  const NO_ISSUER = failure('invalid_credential_issuer', 'The credential issuer is not registered.');
  const NO_OPRF = failure('verification_failed', 'The relying party has no OPRF key.');
  const OLD = failure('verification_failed', 'The expiration bound is too old.');
  const INVALID_PROOF = failure('invalid_proof', 'The proof is invalid.');
  const PROOF = ['n1', 'n2', 'n3', 'n4', 'n5'];

  it('parse the numbers of a uniqueness item in their order', async () => {
    const { call, engineCalls } = createVerifierHarness(isInMemory);
    const bad = { nullifier: 'ab', signal_hash: `0x1${'0'.repeat(64)}`, proof: PROOF };
    const fixes: Fields = {};
    const found = async (nonce: string): Promise<unknown> =>
      resultOf(await call(body({ ...bad, ...fixes }, { nonce })));
    expect(await found('x')).toEqual(cannot('ab'));
    fixes.nullifier = '12';
    expect(await found('x')).toEqual(cannot('x'));
    expect(await found('0x1')).toEqual(cannot(bad.signal_hash));
    fixes.signal_hash = '0x1';
    for (const index of PROOF.keys()) {
      fixes.proof = PROOF.map((text, at) => (at < index ? '1' : text));
      expect(await found('0x1')).toEqual(cannot(`n${index + 1}`));
    }
    expect(engineCalls).toEqual([]);
  });

  it('parse the numbers of a session item in their order, then check action and commitment', async () => {
    const { call } = createVerifierHarness(isInMemory);
    const found = async (pair: string[], id: string, changes: Fields = {}): Promise<unknown> =>
      resultOf(await call(sessionBody({ session_nullifier: pair, ...changes }, { session_id: id })));
    const zero = `session_${'0'.repeat(64)}${'ab'.repeat(32)}`;
    const form = 'Invalid session ID: expected format session_<128 hex characters>';
    expect(await found(['x', 'y'], 'z', { proof: PROOF })).toEqual(cannot('z'));
    for (const id of ['session_', `session_${'0'.repeat(127)}`, `session_${'0'.repeat(127)}g`, `${zero}0`]) {
      expect(await found(['x', 'y'], id)).toEqual(failure('verification_error', form));
    }
    expect(await found(['x', 'y'], zero, { proof: PROOF })).toEqual(cannot('x'));
    expect(await found(['1', 'y'], zero, { proof: PROOF })).toEqual(cannot('y'));
    expect(await found(['1', '1'], zero, { proof: PROOF })).toEqual(cannot('n1'));
    const action = failure('verification_failed', 'The action is invalid.');
    for (const bad of ['1', `0x00${'f'.repeat(62)}`, `0x03${'0'.repeat(62)}`]) {
      expect(await found(['1', bad], zero)).toEqual(action);
    }
    expect(await found(['1', ACTION], zero)).toEqual(
      failure('verification_failed', 'The session id is invalid.'),
    );
    expect(await found(['1', ACTION], '0')).toEqual(
      failure('verification_failed', 'The session id is invalid.'),
    );
    expect(await found(['1', ACTION], '1')).toMatchObject({ success: true, sessionId: '1' });
    expect(await found(['1', ACTION], SESSION.toUpperCase().replace('SESSION_', 'session_'))).toMatchObject({
      success: true,
    });
  });

  /** A harness in which every step fails, and the changes that let each pass, in their order. */
  function failing(): VerifierHarness & { readonly fixes: readonly (readonly [unknown, () => unknown])[] } {
    const harness = createVerifierHarness(isInMemory);
    const { behaviour } = harness;
    const { issuer, oprfKey } = behaviour;
    behaviour.root = () => undefined;
    behaviour.issuer = async () => undefined;
    behaviour.oprfKey = async () => undefined;
    behaviour.verdict = () => ({ ok: false, code: 'proof.decompression' });
    const set = (change: Partial<PartBehaviour>) => (): unknown => Object.assign(behaviour, change);
    const verdict = (code: Refusal): (() => unknown) => set({ verdict: () => ({ ok: false, code }) });
    const fixes = [
      [INVALID_ROOT, set({ root: () => ({ supersededAt: NOW - 3_600_001 }) })],
      [INVALID_ROOT, set({ root: () => ({ supersededAt: NOW - 3_600_000, receivedAt: 0 }) })],
      [NO_ISSUER, set({ issuer: issuer })],
      [NO_OPRF, set({ oprfKey: oprfKey })],
      [OLD, () => undefined],
      [INVALID_PROOF, verdict('proof.point_not_in_subgroup')],
      [INVALID_PROOF, verdict('input.range')],
      [
        failure('invalid_public_input', 'A public input value is out of range.'),
        set({ verdict: () => ({ ok: false }) }),
      ],
      [INVALID_PROOF, verdict('engine.poison')],
      [
        failure('internal_error', 'There was an internal issue verifying this proof.'),
        set({ verdict: () => ({ ok: true }) }),
      ],
    ] as const;
    return { ...harness, fixes };
  }

  it('fail in their order', async () => {
    const { call, fixes } = failing();
    let bound = SECONDS - 18_001;
    for (const [expected, fix] of fixes) {
      expect(resultOf(await call(body({ expires_at_min: bound })))).toEqual(expected);
      fix();
      if (expected === OLD) bound++;
    }
    expect((await call(body({ expires_at_min: bound }))).ok).toBe(true);
  });

  it('report a root that is too old without looking for keys', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.root = () => ({ supersededAt: NOW - 3_600_001 });
    const unreachable = (): Promise<never> => Promise.reject(new ServiceError('store.unreachable'));
    behaviour.issuer = unreachable;
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
    behaviour.oprfKey = unreachable;
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
  });

  it('take the keys of the environment and of the registered relying party', async () => {
    const { call, behaviour } = createVerifierHarness(false);
    const sought: unknown[] = [];
    behaviour.issuer = async (...which) => void sought.push(which);
    await call(body({ issuer_schema_id: '128' }, { environment: 'staging' }));
    const { issuer } = createVerifierHarness(isInMemory).behaviour;
    behaviour.issuer = issuer;
    behaviour.oprfKey = async (...which) => void sought.push(which);
    await call(body({}, { environment: 'staging' }), 'RP_ANY');
    expect(sought).toEqual([
      ['staging', '128'],
      ['staging', 'rp_319b46aa7eae89bf'],
    ]);
  });

  it('ask the source of an unknown root only if everything else holds', async () => {
    const { call, behaviour, fixes } = failing();
    let asked = 0;
    behaviour.refresh = async () => {
      asked++;
      return { supersededAt: NOW - 3_600_000 };
    };
    let bound = SECONDS - 18_001;
    for (const [expected, fix] of fixes.slice(2, -1)) {
      expect(resultOf(await call(body({ expires_at_min: bound })))).toEqual(INVALID_ROOT);
      fix();
      if (expected === OLD) bound++;
    }
    expect(asked).toBe(0);
    behaviour.verdict = () => ({ ok: true });
    expect((await call(body({ expires_at_min: bound }))).ok).toBe(true);
    expect(asked).toBe(1);
    behaviour.refresh = async () => ({ supersededAt: NOW - 3_601_000 });
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
    behaviour.refresh = async () => undefined;
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
  });

  it('has a current root until the window after its source last saw it, or for ever if an operator keeps it', async () => {
    const { call, behaviour } = createVerifierHarness(isInMemory);
    behaviour.root = () => ({ source: 'account', receivedAt: 0 });
    const seenAgo = (ms: number): void => {
      behaviour.confirmedUntil = (source) => (source === 'account' ? NOW - ms : undefined);
    };
    seenAgo(3_600_000);
    expect((await call(body())).ok).toBe(true);
    seenAgo(3_601_000);
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
    behaviour.root = () => ({ source: 'operator', receivedAt: 0 });
    expect((await call(body())).ok).toBe(true);
    // A superseded root ends by its own time, however well its source is.
    seenAgo(0);
    behaviour.root = () => ({ source: 'account', supersededAt: NOW - 3_601_000 });
    expect(resultOf(await call(body()))).toEqual(INVALID_ROOT);
  });
});

describe.each(PLACES)('checks of a World ID 4.0 request, rows and keys $place', ({ isInMemory }) => {
  const refusalOf = (outcome: VerifyOutcome): unknown =>
    outcome.ok ? undefined : [outcome.error.code, outcome.error.message];
  const MISSING = [
    'verify.worldid_key_missing',
    'Verifier contract address not configured for staging environment.',
  ];
  const staging = body({}, { environment: 'staging' });

  it('come in their order: issuer, integrity, key, room', async () => {
    const { call, behaviour, engineCalls } = createVerifierHarness(isInMemory);
    const seen: unknown[] = [];
    behaviour.room = 0;
    behaviour.keyOf = () => undefined;
    behaviour.integrity = (request, app) => {
      seen.push([request.bundledBody, app.rpId]);
      return Promise.reject(new ServiceError('verify.rp_not_active'));
    };
    const listed = { ...staging, responses: [{ ...ITEM, issuer_schema_id: 9303 }], integrity_bundle: 1 };
    expect(refusalOf(await call(listed))).toMatchObject({ 0: 'verify.issuer_unrecognized' });
    expect(seen).toEqual([]);
    const bundled = { ...staging, integrity_bundle: 1 };
    expect(refusalOf(await call(bundled))).toMatchObject({ 0: 'verify.rp_not_active' });
    expect(seen).toEqual([[bundled, 'rp_319b46aa7eae89bf']]);
    behaviour.integrity = () => undefined;
    expect(refusalOf(await call(staging))).toEqual(MISSING);
    behaviour.keyOf = () => 'unusable';
    behaviour.ensure = () => Promise.reject(new ServiceError('key.input_count'));
    expect(refusalOf(await call(staging))).toEqual(MISSING);
    behaviour.ensure = () => Promise.resolve();
    expect(refusalOf(await call(staging))).toMatchObject({ 0: 'engine.busy' });
    expect(engineCalls).toEqual([]);
    behaviour.room = 1;
    expect((await call(staging)).ok).toBe(true);
  });

  it.each(['ensure', 'issuer', 'oprfKey', 'root'] as const)(
    'answer an unreachable store at %s',
    async (part) => {
      const { call, behaviour } = createVerifierHarness(isInMemory);
      behaviour[part] = () => Promise.reject<never>(new ServiceError('store.unreachable'));
      expect(refusalOf(await call(staging))).toMatchObject({ 0: 'store.unreachable' });
    },
  );
});

// spec/worldid4.md#sessions
describe('use of a session proof', () => {
  it('is claimed once the proof is valid, and answered after the claim', async () => {
    const { call, behaviour } = createVerifierHarness();
    const uses: Use[] = [];
    const claimed = gate<boolean>();
    behaviour.claim = async (use) => {
      uses.push(use);
      return await claimed.promise;
    };
    behaviour.verdict = () => ({ ok: false });
    expect((await call(sessionBody())).ok).toBe(false);
    expect(uses).toEqual([]);
    behaviour.verdict = () => ({ ok: true });
    let isAnswered = false;
    const answer = call(sessionBody()).finally(() => {
      isAnswered = true;
    });
    await vi.waitFor(() => expect(uses).toHaveLength(1));
    expect(isAnswered).toBe(false);
    expect(uses[0]?.expiresAt).toBe(NOW + 35 * 60_000);
    claimed.open(true);
    expect((await answer).ok).toBe(true);
  });

  it('is one for a nullifier of an environment, and another for each request', async () => {
    const { call, behaviour } = createVerifierHarness();
    const uses: Use[] = [];
    behaviour.claim = async (use) => uses.push(use) === 1;
    const other = `session_${'00'.repeat(31)}98${'ab'.repeat(32)}`;
    const isReuse = async (...given: Parameters<typeof sessionBody>): Promise<unknown> => {
      const outcome = await call(sessionBody(...given));
      return outcome.ok && outcome.isReuse;
    };
    expect(await isReuse()).toBe(false);
    expect(await isReuse()).toBe(true);
    await isReuse({}, { session_id: other });
    await isReuse({ session_nullifier: ['0x12', ACTION] });
    await isReuse({}, { environment: 'staging' });
    const hashes = uses.map(({ hash }) => toHex(hash));
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
    expect(new Set(uses.map(({ bound }) => toHex(bound))).size).toBe(5);
  });

  it.each([
    [new ServiceError('store.unreachable'), 'verify.nullifier_store_unreachable'],
    [new Error('other'), 'verify.nullifier_not_stored'],
  ])('that cannot be claimed refuses the request: %s', async (fault, code) => {
    const { call, behaviour } = createVerifierHarness();
    behaviour.claim = () => Promise.reject(fault);
    expect(await call(sessionBody())).toMatchObject({ ok: false, error: { code } });
  });
});
