// Rules: spec/sign-in.md#proof-checks
import { describe, expect, it, onTestFinished } from 'vitest';
import { OPEN_POLICY, type VerificationPolicy } from '../../../src/config/apps/policy.ts';
import type { Verdict } from '../../../src/engine/engine.ts';
import {
  checkSigninProof,
  type ProofCheckParts,
  type ProofOutcome,
} from '../../../src/oidc/transaction/check-signin-proof.ts';
import { externalNullifier, hashSignal } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { RootRow } from '../../../src/storage/roots.ts';
import type { Bytes32 } from '../../../src/storage/values.ts';
import { be32, fromBe, P, R } from '../../support/crypto/bn254.ts';
import { opened } from '../../support/opened.ts';
import { negated, nullifierOf, proveRequest, WALLET_ROOTS } from '../../support/test-wallet.ts';
import { START, startSignIns } from './support/sign-ins.ts';

const CLIENT = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const PRODUCTION_CLIENT = 'app_369183bd38f1641b6964ab51d7a20434';
const SIGNAL = 'siwi:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const HOUR_MS = 3_600_000;
const request = { app_id: CLIENT, signal: toHex(hashSignal(SIGNAL)) };
const failed = (code: string): unknown => ({ kind: 'failed', code: `transaction.${code}` });
const BELOW_R = R - 1n;

interface CheckedClaim {
  readonly clientId?: string;
  readonly requiresOrb?: boolean;
  readonly policy?: Partial<VerificationPolicy>;
}

function appOf(appId: string, policy: Partial<VerificationPolicy> = {}) {
  return { appId, policy: { ...OPEN_POLICY, ...policy } };
}

describe('checkSigninProof', () => {
  const signIns = opened(startSignIns, 'end');

  function check(
    answer: object,
    { clientId = CLIENT, requiresOrb = false, policy = {} }: CheckedClaim = {},
  ): Promise<ProofOutcome> {
    const { engine, keys, roots, now, onFault, config } = signIns.options;
    const { maxRootAgeSeconds } = config.signin;
    return checkSigninProof(
      { app: appOf(clientId, policy), signal: SIGNAL, requiresOrb, address: 'a', answer: { ...answer } },
      { engine, keys, roots, now, onFault, maxRootAgeSeconds },
    );
  }

  let count = 0n;
  /** Stores a new root in the given rows and makes a proof over it. */
  async function rooted(...rows: readonly Partial<RootRow>[]): Promise<object> {
    const root = be32(++count + 2n ** 200n);
    await signIns.store.roots.put(
      rows.map((row) => ({
        environment: 'staging' as const,
        tree: 'orb' as const,
        root,
        receivedAt: START,
        supersededAt: START,
        source: 'operator',
        keyId: 'trapdoor-4',
        ...row,
      })),
    );
    return await proveRequest(request, { root });
  }

  it('passes address and client to the engine as the source of the proof', async () => {
    const sources: unknown[] = [];
    const { keys, roots, now, onFault } = signIns.options;
    const engine: ProofCheckParts['engine'] = {
      async verify(_keyId, _proof, _inputs, options) {
        sources.push(options?.source);
        return { ok: false };
      },
    };
    const answer = { ...(await proveRequest(request)) };
    const claim = { app: appOf(CLIENT), signal: SIGNAL, requiresOrb: false, address: '192.0.2.7', answer };
    const parts = { engine, keys, roots, now, onFault, maxRootAgeSeconds: 3600 };
    expect(await checkSigninProof(claim, parts)).toEqual({
      kind: 'failed',
      code: 'transaction.proof_invalid',
    });
    expect(sources).toEqual([{ address: '192.0.2.7', app: CLIENT }]);
  });

  it('accepts a valid proof, and returns its nullifier as sub', async () => {
    const sub = await nullifierOf('alice', CLIENT);
    const signalHash = hashSignal(SIGNAL);
    const accepted = { kind: 'accepted', sub, signalHash };
    expect(await check(await proveRequest(request))).toEqual({ ...accepted, level: 'orb' });
    expect(await check(await proveRequest(request, { tree: 'device' }))).toEqual({
      ...accepted,
      level: 'device',
    });
  });

  // Rules: spec/sign-in.md#policy-of-a-client
  describe('the policy that the client has now', () => {
    const refused = (code: string): unknown => ({ kind: 'refused', code: `policy.${code}` });

    it('refuses every proof if it allows none of sign-in', async () => {
      const proof = await proveRequest(request);
      for (const [policy, code] of [
        [{ environments: ['production'] }, 'environment_not_allowed'],
        [{ protocols: ['4.0'] }, 'protocol_not_allowed'],
        [{ credentials: ['passport', 1] }, 'credential_not_allowed'],
      ] as const) {
        expect(await check(proof, { policy })).toEqual(refused(code));
      }
    });

    it('decides the level', async () => {
      const [orb, device] = [await proveRequest(request), await proveRequest(request, { tree: 'device' })];
      const kinds = async (credentials: readonly string[]): Promise<unknown> => [
        await check(orb, { policy: { credentials } }),
        await check(device, { policy: { credentials } }),
      ];
      const not = refused('credential_not_allowed');
      expect(await kinds(['orb'])).toMatchObject([{ kind: 'accepted', level: 'orb' }, not]);
      expect(await kinds(['device'])).toMatchObject([not, { kind: 'accepted', level: 'device' }]);
      expect(await kinds(['orb', 'device'])).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
    });

    it('lowers the age of a root, and never raises it', async () => {
      const ago = (seconds: number) => ({ receivedAt: START - seconds * 1000 });
      const [recent, old] = [await rooted(ago(120)), await rooted(ago(3601))];
      expect(await check(recent, { policy: { maxRootAgeSeconds: 120 } })).toMatchObject({ kind: 'accepted' });
      expect(await check(recent, { policy: { maxRootAgeSeconds: 119 } })).toEqual(failed('root_too_old'));
      expect(await check(old, { policy: { maxRootAgeSeconds: 604_800 } })).toEqual(failed('root_too_old'));
    });
  });

  // Rules: spec/roots.md#misses
  describe('an unknown root', () => {
    /** Checks a proof over an unknown root, whose tree orb has a source that knows it. */
    async function checkMissed(
      change: Partial<RootRow>,
      parts: Partial<ProofCheckParts> = {},
    ): Promise<unknown> {
      const root = be32(++count + 2n ** 201n);
      const { engine, keys, roots, now, onFault } = signIns.options;
      const known = { root, receivedAt: START, supersededAt: null, source: 'chain', keyId: null };
      const row: RootRow = { environment: 'staging', tree: 'orb', ...known, ...change };
      const refreshed: Bytes32[] = [];
      const managed: ProofCheckParts['roots'] = {
        ...roots,
        refreshOf(environment, tree) {
          if (environment !== 'staging' || tree !== 'orb') return undefined;
          return async (sought) => {
            refreshed.push(sought);
            return toHex(sought) === toHex(root) ? row : undefined;
          };
        },
      };
      const answer = { ...(await proveRequest(request, { root })) };
      const outcome = await checkSigninProof(
        { app: appOf(CLIENT), signal: SIGNAL, requiresOrb: true, address: 'a', answer },
        {
          engine,
          roots: managed,
          now,
          onFault,
          maxRootAgeSeconds: 3600,
          keys: { ...keys, keyOf: () => 'trapdoor-4' },
          ...parts,
        },
      );
      return [refreshed.length, outcome.kind === 'failed' ? outcome.code : outcome.kind];
    }

    it('is sought at the source of its tree, once the proof is valid but for it', async () => {
      expect(await checkMissed({})).toEqual([1, 'accepted']);
      const received = START - 2 * HOUR_MS;
      expect(await checkMissed({ receivedAt: received, supersededAt: received })).toEqual([
        1,
        'transaction.root_too_old',
      ]);
      expect(await checkMissed({}, { engine: { verify: async () => ({ ok: false }) } })).toEqual([
        0,
        'transaction.root_unknown',
      ]);
      const busy: Verdict = { ok: false, code: 'engine.busy' };
      expect(await checkMissed({}, { engine: { verify: async () => busy } })).toEqual([0, 'busy']);
    });

    it('stays unknown if its tree has no usable key', async () => {
      const { keys } = signIns.options;
      for (const keyId of [undefined, 'no-such-key']) {
        const changed = { keys: { ...keys, keyOf: () => keyId }, onFault: () => undefined };
        expect(await checkMissed({}, changed)).toEqual([0, 'transaction.root_unknown']);
      }
    });
  });

  describe('the format', () => {
    it.each([
      ['no proof', { proof: undefined }],
      ['a proof that is not text', { proof: 7 }],
      ['a proof of nested words', { proof: '[["0x1","0x2"],[["0x1","0x2"],["0x1","0x2"]],["0x1","0x2"]]' }],
      ['a proof with 0X', { proof: `0X${'1'.repeat(512)}` }],
      ['a proof without 0x', { proof: '1'.repeat(514) }],
      ['511 digits', { proof: `0x${'1'.repeat(511)}` }],
      ['513 digits', { proof: `0x${'1'.repeat(513)}` }],
      ['a character that is not a digit', { proof: `0x${'1'.repeat(511)}g` }],
      ['no root', { merkle_root: undefined }],
      ['a root without 0x', { merkle_root: '12' }],
      ['a root without digits', { merkle_root: '0x' }],
      ['a root of 65 digits', { merkle_root: `0x${'1'.repeat(65)}` }],
      ['a root with a space', { merkle_root: ' 0x12' }],
      ['a root equal to r', { merkle_root: toHex(be32(R)) }],
      ['a root that is a number', { merkle_root: 12 }],
      ['no nullifier', { nullifier_hash: undefined }],
      ['a nullifier equal to r', { nullifier_hash: toHex(be32(R)) }],
      ['a nullifier with a line feed', { nullifier_hash: '0x12\n' }],
      ['a nullifier in a list', { nullifier_hash: ['0x12'] }],
    ])('refuses %s', async (_, change) => {
      expect(await check({ ...(await proveRequest(request)), ...change })).toEqual(failed('answer_format'));
    });

    it('refuses the nullifier plus r, which is the same number to the circuit', async () => {
      const answer = await proveRequest(request);
      const nullifier_hash = toHex(be32(BigInt(answer.nullifier_hash) + R));
      expect(await check({ ...answer, nullifier_hash })).toEqual(failed('answer_format'));
    });

    it('accepts any case and missing leading zeros with the same sub, and ignores other members', async () => {
      const root = be32(0xabcdefn);
      await signIns.store.roots.put([
        {
          environment: 'staging',
          tree: 'device',
          root,
          receivedAt: START,
          supersededAt: START,
          source: 'operator',
          keyId: 'trapdoor-4',
        },
      ]);
      const answer = await proveRequest(request, { root, person: 'carol' });
      const { proof, nullifier_hash } = answer;
      const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`;
      const outcome = await check({
        proof: upper(proof),
        nullifier_hash: `0x${upper(nullifier_hash).slice(2).replace(/^0+/, '')}`,
        merkle_root: '0xABCDEF',
        verification_level: 'orb',
        credential_type: 'orb',
        sub: 'somebody else',
      });
      const sub = await nullifierOf('carol', CLIENT);
      expect(outcome).toMatchObject({ kind: 'accepted', sub, level: 'device' });
    });
  });

  describe('the root', () => {
    it('is unknown when it is in neither tree', async () => {
      expect(await check(await rooted())).toEqual(failed('root_unknown'));
    });

    it('is unknown when only another environment or another tree has it', async () => {
      expect(await check(await rooted({ environment: 'production' }))).toEqual(failed('root_unknown'));
      expect(await check(await rooted({ tree: 'document' }))).toEqual(failed('root_unknown'));
    });

    it('is looked up in production for a client without the staging prefix', async () => {
      const root = WALLET_ROOTS.orb;
      const answer = await proveRequest({ ...request, app_id: PRODUCTION_CLIENT }, { root });
      expect(await check(answer, { clientId: PRODUCTION_CLIENT })).toMatchObject({ kind: 'accepted' });
      const staging = await rooted({});
      expect(await check(staging, { clientId: PRODUCTION_CLIENT })).toEqual(failed('root_unknown'));
    });

    it('may be as old as signin.maxRootAgeSeconds, and not a millisecond older', async () => {
      expect(await check(await rooted({ receivedAt: START - HOUR_MS }))).toMatchObject({ kind: 'accepted' });
      expect(await check(await rooted({ receivedAt: START - HOUR_MS - 1 }))).toEqual(failed('root_too_old'));
    });

    it('may be of any age while it is the current one', async () => {
      signIns.clock.now = START + 1000 * HOUR_MS;
      onTestFinished(() => {
        signIns.clock.now = START;
      });
      expect(await check(await proveRequest(request))).toMatchObject({ kind: 'accepted' });
    });

    it('is an orb root if both trees have it, and a device root if it is recent enough only there', async () => {
      const both = await rooted({ tree: 'device' }, { tree: 'orb' });
      expect(await check(both)).toMatchObject({ kind: 'accepted', level: 'orb' });
      const stale = await rooted({ tree: 'orb', receivedAt: START - 2 * HOUR_MS }, { tree: 'device' });
      expect(await check(stale)).toMatchObject({ kind: 'accepted', level: 'device' });
    });
  });

  describe('the proof', () => {
    it.each<[string, (proof: string) => string]>([
      ['A.x + p', (proof) => word(proof, 0, (x) => x + P)],
      ['C.y changed', (proof) => word(proof, 7, (x) => x ^ 1n)],
      ['only A negated', (proof) => word(proof, 1, (x) => P - x)],
      [
        'C at infinity',
        (proof) =>
          word(
            word(proof, 6, () => 0n),
            7,
            () => 0n,
          ),
      ],
      ['all zero', () => `0x${'0'.repeat(512)}`],
      [
        'words 4 to 7 zero, which is not a compressed proof',
        (proof) => `${proof.slice(0, 258)}${'0'.repeat(256)}`,
      ],
    ])('is invalid with %s', async (_, change) => {
      const answer = await proveRequest(request);
      expect(await check({ ...answer, proof: change(answer.proof) })).toEqual(failed('proof_invalid'));
    });

    it('is invalid when it does not hold', async () => {
      expect(await check(await proveRequest(request, { isFalse: true }))).toEqual(failed('proof_invalid'));
    });

    it('is invalid over another signal, even one that the answer names', async () => {
      const signal = toHex(hashSignal('siwi:another'));
      const answer = await proveRequest(request, { signal });
      expect(await check({ ...answer, signal, signal_hash: signal })).toEqual(failed('proof_invalid'));
    });

    it("is invalid for another client, and with another client's nullifier", async () => {
      const other = 'app_staging_45068dca85829d2fd90e2dd6f0bff997';
      const crossed = await proveRequest(request, { appId: other });
      expect(await check(crossed)).toEqual(failed('proof_invalid'));
      expect(await check(crossed, { clientId: other })).toMatchObject({ kind: 'accepted' });
      const nullifier_hash = toHex(await nullifierOf('alice', other));
      expect(await check({ ...(await proveRequest(request)), nullifier_hash })).toEqual(
        failed('proof_invalid'),
      );
    });

    it('is invalid with another nullifier or root', async () => {
      const answer = await proveRequest(request);
      const device = toHex(WALLET_ROOTS.device);
      expect(await check({ ...answer, merkle_root: device })).toEqual(failed('proof_invalid'));
      expect(await check({ ...answer, nullifier_hash: toHex(be32(BELOW_R)) })).toEqual(
        failed('proof_invalid'),
      );
    });

    it('is valid with A and B negated', async () => {
      const answer = await proveRequest(request);
      const proof = negated(answer.proof);
      expect(proof).not.toBe(answer.proof);
      expect(await check({ ...answer, proof })).toMatchObject({
        kind: 'accepted',
        sub: await nullifierOf('alice', CLIENT),
      });
    });

    it('is checked with the key of its root, or with that of the tree if the root names none', async () => {
      expect(await check(await rooted({ keyId: 'dev-depth30' }))).toEqual(failed('proof_invalid'));
      expect(await check(await rooted({ keyId: null }))).toEqual(failed('proof_invalid'));
      expect(signIns.faults).toEqual([]);
    });

    it('cannot be checked under a key that does not exist, which is reported as an internal error', async () => {
      expect(await check(await rooted({ keyId: 'no-such-key' }))).toEqual(failed('check_failed'));
      expect(signIns.faults).toMatchObject([{ code: 'engine.key_unknown' }]);
    });

    it('waits while the engine accepts no work', async () => {
      const closing = await startSignIns();
      onTestFinished(() => closing.end());
      const { engine, keys, roots, now, onFault } = closing.options;
      await keys.ensure('trapdoor-4');
      await closing.engine.close();
      const outcome = await checkSigninProof(
        {
          app: appOf(CLIENT),
          signal: SIGNAL,
          requiresOrb: false,
          address: 'a',
          answer: { ...(await proveRequest(request)) },
        },
        { engine, keys, roots, now, onFault, maxRootAgeSeconds: 3600 },
      );
      expect(outcome).toEqual({ kind: 'busy' });
    });
  });

  it('the level is refused if it is device and orb is required, after the proof is verified', async () => {
    const device = await proveRequest(request, { tree: 'device' });
    const required = { requiresOrb: true };
    expect(await check(device, required)).toEqual({ kind: 'refused', code: 'transaction.orb_required' });
    const claimed = { ...device, verification_level: 'orb', credential_type: 'orb' };
    expect(await check(claimed, required)).toEqual({ kind: 'refused', code: 'transaction.orb_required' });
    const bad = await proveRequest(request, { tree: 'device', isFalse: true });
    expect(await check(bad, required)).toEqual(failed('proof_invalid'));
    expect(await check(await proveRequest(request), required)).toMatchObject({ level: 'orb' });
  });

  it('uses the external nullifier of the test vectors', () => {
    expect(toHex(externalNullifier(CLIENT, ''))).toBe(
      '0x00a8140d86bbcfb9bbc8f47cdfbed90d13565a4911af3e8ea91d48733f7a7bb8',
    );
    expect(toHex(externalNullifier(PRODUCTION_CLIENT, ''))).toBe(
      '0x0073e4a6b670e81dc619b1f8703aa7491dc5aaadf75409aba0ac2414014c0227',
    );
    expect(toHex(hashSignal(SIGNAL))).toBe(
      '0x00199a009b78dde57c323f2f47c1761f4aa26503d7313406cff6fddc8592651b',
    );
  });
});

/** Returns the proof with one of its eight words changed. */
function word(proof: string, index: number, change: (value: bigint) => bigint): string {
  const start = 2 + index * 64;
  const value = fromBe(Buffer.from(proof.slice(start, start + 64), 'hex'));
  return `${proof.slice(0, start)}${toHex(be32(change(value))).slice(2)}${proof.slice(start + 64)}`;
}
