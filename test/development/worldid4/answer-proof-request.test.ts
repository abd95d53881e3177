// Rules: spec/worldid4.md#development and spec/worldid4.md#public-inputs
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/apps/apps.ts';
import { encodeUtf8 } from '../../../src/bytes.ts';
import {
  type Answered4,
  answerProofRequest,
} from '../../../src/development/worldid4/answer-proof-request.ts';
import { seedWorldId4, TRAPDOOR_KEY } from '../../../src/development/worldid4/seed.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { WalletKind } from '../../../src/pages.ts';
import { accountSecretOf } from '../../../src/semaphore/development-account.ts';
import { hashToField } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { identityFromSecret } from '../../../src/semaphore/identity.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import { bytes } from '../../engine/support/vectors.ts';
import { useTempStore } from '../../verification/support/temp-store.ts';
import { FORMS, hexOf, itemFor, plaintextFor, proofRequest, wordsIn } from '../support/proof-request.ts';
import { startTrapdoorEngine } from '../support/trapdoor-engine.ts';

const NOW = 1_780_000_000_000;
const SECONDS = NOW / 1000;
const VOTE = '0x003ea9d71669396e120e4699bbd96a3c2ca05367924f3d336fa9b1b3769f6605';
/** Issuers of the seeded state, and one that is not there. */
const [HUMAN, PASSPORT, OTHER] = [1, 9303, 2];

const temp = useTempStore();
let engine: Engine;
let app: AppRow;
let otherApp: AppRow;

beforeAll(async () => {
  engine = await startTrapdoorEngine();
  const { store } = temp;
  [app, otherApp] = [await createApp(store.apps, {}, NOW), await createApp(store.apps, {}, NOW)];
  for (const issuer of [HUMAN, PASSPORT, 11]) await seedWorldId4(store, `${issuer}`, [app, otherApp], NOW);
});
afterAll(() => engine.close());

async function answer(
  request: JsonObject,
  {
    secret = 'alice',
    now = NOW,
    wallet = 'new',
    lacks = [],
    ...change
  }: JsonObject & {
    readonly secret?: string;
    readonly now?: number;
    readonly wallet?: WalletKind;
    readonly lacks?: readonly string[];
  } = {},
): Promise<Answered4> {
  const account = { secret: accountSecretOf(identityFromSecret(secret)), issuedAt: NOW, lacks };
  const parts = { tables: temp.store, engine, wallet, now };
  return await answerProofRequest(plaintextFor(request, change), account, parts);
}

const make = (change: JsonObject = {}): JsonObject => proofRequest(app.rpId, NOW, change);

/** What the tests compare of an answer of one item or several. */
function resultOf({ answer: { proof_response } }: Answered4) {
  const { session_id: sessionId, responses } = proof_response;
  const [first] = responses;
  if (first === undefined) throw new Error('no item');
  return { sessionId, nullifier: first.nullifier, sessionNullifier: first.session_nullifier };
}

/** Verdict of the engine on each item, with the inputs that a verifier takes from request, answer and state. */
async function verdicts(
  { answer: made }: Answered4,
  request: JsonObject,
  expected: { readonly signal?: string; readonly genesis?: number; readonly isUnbound?: true } = {},
): Promise<boolean[]> {
  const { store } = temp;
  const { session_id, responses } = made.proof_response;
  const oprfKey = await store.worldId4Keys.findOprfKey('staging', String(request.rp_id));
  return await Promise.all(
    responses.map(async (item) => {
      const issuer = await store.worldId4Keys.findIssuer('staging', `${item.issuer_schema_id}`);
      if (!issuer || !oprfKey) throw new Error('no keys');
      const proof = wordsIn(item.proof);
      const [nullifier = '', action = VOTE] =
        item.session_nullifier === undefined
          ? [`0x${item.nullifier?.slice(4)}`]
          : wordsIn(item.session_nullifier.slice('snil_'.length));
      const commitment = expected.isUnbound ? undefined : session_id?.slice('session_'.length, -64);
      const inputs = [
        nullifier,
        item.issuer_schema_id,
        toHex(issuer.x),
        toHex(issuer.y),
        item.expires_at_min,
        expected.genesis ?? 0,
        proof[4] ?? '',
        30,
        `0x${String(request.rp_id).slice(3)}`,
        action,
        toHex(oprfKey.x),
        toHex(oprfKey.y),
        expected.signal === undefined ? 0 : toHex(hashToField(encodeUtf8(expected.signal))),
        String(request.nonce),
        commitment === undefined ? 0 : `0x${commitment}`,
      ].map((value) => wordOf(BigInt(value)));
      const words = Buffer.concat([...proof.slice(0, 4).map(bytes), new Uint8Array(128)]);
      return (await engine.verify(TRAPDOOR_KEY, words, Buffer.concat(inputs))).ok;
    }),
  );
}

describe('the answer of the development wallet to a World ID 4.0 request', () => {
  it('is a uniqueness proof with the nullifier of the person for relying party and action', async () => {
    const request = make();
    const made = await answer(request);
    expect(made).toMatchObject({ kind: 'uniqueness', rpId: app.rpId });
    expect(made.answer).toEqual({
      proof_response: {
        id: request.id,
        version: 1,
        responses: [
          {
            identifier: 'proof_of_human',
            issuer_schema_id: HUMAN,
            proof: expect.stringMatching(/^[0-9a-f]{320}$/),
            expires_at_min: SECONDS,
            nullifier: expect.stringMatching(/^nil_00[0-9a-f]{62}$/),
          },
        ],
      },
    });
    expect(await verdicts(made, request)).toEqual([true]);
    expect(await verdicts(made, { ...request, nonce: VOTE })).toEqual([false]);
    const { nullifier } = resultOf(made);
    expect(made.nullifier).toBe(nullifier);
    expect(resultOf(await answer(make(), { wallet: 'old' })).nullifier).toBe(nullifier);
    // The text of the action is of World ID 3.0.
    expect(resultOf(await answer(make(), { action: 'another' })).nullifier).toBe(nullifier);
    const others = [
      await answer(make(), { secret: 'bob' }),
      await answer(proofRequest(otherApp.rpId, NOW)),
      await answer(make({ action: toHex(hashToField(encodeUtf8(''))) })),
    ].map((each) => resultOf(each).nullifier);
    expect(new Set([nullifier, ...others]).size).toBe(4);
  });

  it.each<[WalletKind, keyof typeof FORMS]>([
    ['new', 'session create'],
    ['old', 'create_session'],
  ])(
    'of a %s wallet creates a session in the form %s, which the same person alone proves',
    async (wallet, form) => {
      const request = make(FORMS[form]);
      const created = await answer(request, { wallet });
      expect(created.nullifier).toBeUndefined();
      const { sessionId, nullifier, sessionNullifier } = resultOf(created);
      expect(sessionId).toMatch(/^session_00[0-9a-f]{62}01[0-9a-f]{62}$/);
      expect(nullifier).toBeUndefined();
      expect(sessionNullifier).toMatch(/^snil_00[0-9a-f]{62}02[0-9a-f]{62}$/);
      expect(await verdicts(created, request)).toEqual([true]);
      expect(await verdicts(created, request, { isUnbound: true })).toEqual([false]);
      const returning = make({ proof_type: 'session', session_id: sessionId, action: null });
      const proven = await answer(returning, { wallet });
      expect(resultOf(proven).sessionId).toBe(sessionId);
      expect(resultOf(proven).sessionNullifier).not.toBe(sessionNullifier);
      expect(await verdicts(proven, returning)).toEqual([true]);
      const mismatch = { errorCode: 'generic_error', message: expect.stringContaining('of another person') };
      await expect(answer(returning, { secret: 'bob' })).rejects.toMatchObject(mismatch);
      const elsewhere = {
        ...returning,
        rp_id: otherApp.rpId,
        oprf_key_id: `0x${BigInt(`0x${otherApp.rpId.slice(3)}`).toString(16)}`,
      };
      await expect(answer(elsewhere)).rejects.toMatchObject(mismatch);
      expect(resultOf(await answer(make(FORMS[form]), { wallet })).sessionId).not.toBe(sessionId);
    },
  );

  it('is a uniqueness proof bound to a new session, which the person proves later', async () => {
    const request = make(FORMS.bound);
    const made = await answer(request);
    const { sessionId, nullifier, sessionNullifier } = resultOf(made);
    expect(made).toMatchObject({ kind: 'bound', nullifier });
    expect(sessionNullifier).toBeUndefined();
    expect(nullifier).toBe(resultOf(await answer(make())).nullifier);
    expect(await verdicts(made, request)).toEqual([true]);
    expect(await verdicts(made, request, { isUnbound: true })).toEqual([false]);
    const returning = make({ proof_type: 'session', session_id: sessionId, action: null });
    expect(await verdicts(await answer(returning), returning)).toEqual([true]);
  });

  it('binds the signal and the times of the item', async () => {
    const times = { expires_at_min: SECONDS + 100, genesis_issued_at_min: SECONDS - 100 };
    const items = [itemFor('proof_of_human', HUMAN, { signal: hexOf('yes'), ...times })];
    const request = make({ proof_requests: items });
    const made = await answer(request);
    expect(made.answer.proof_response.responses[0]?.expires_at_min).toBe(SECONDS + 100);
    const genesis = SECONDS - 100;
    expect(await verdicts(made, request, { signal: 'yes', genesis })).toEqual([true]);
    expect(await verdicts(made, request, { signal: 'no', genesis })).toEqual([false]);
    expect(await verdicts(made, request, { signal: 'yes' })).toEqual([false]);
  });

  it.each(['uniqueness', 'session create', 'bound'] as const)(
    'has one nullifier and one session in all items, %s',
    async (form) => {
      const items = [itemFor('proof_of_human', HUMAN), itemFor('passport', PASSPORT)];
      const request = make({ ...FORMS[form], proof_requests: items });
      const made = await answer(request);
      const { responses } = made.answer.proof_response;
      expect(responses.map(({ identifier }) => identifier)).toEqual(['proof_of_human', 'passport']);
      expect(new Set(responses.map((item) => item.nullifier ?? item.session_nullifier)).size).toBe(1);
      expect(await verdicts(made, request)).toEqual([true, true]);
    },
  );

  it('has the credentials that satisfy the constraints', async () => {
    const items = [itemFor('mnc', OTHER), itemFor('passport', PASSPORT), itemFor('proof_of_human', HUMAN)];
    const names = items.map(({ identifier }) => identifier);
    const identifiers = async (constraints: JsonObject): Promise<string[]> =>
      (await answer(make({ proof_requests: items, constraints }))).answer.proof_response.responses.map(
        ({ identifier }) => identifier,
      );
    expect(await identifiers({ any: names })).toEqual(['passport']);
    expect(await identifiers({ any: ['proof_of_human', 'passport'] })).toEqual(['proof_of_human']);
    expect(await identifiers({ enumerate: names })).toEqual(['passport', 'proof_of_human']);
    const unavailable = { errorCode: 'credential_unavailable' };
    await expect(identifiers({ all: names })).rejects.toMatchObject(unavailable);
    await expect(answer(make({ proof_requests: items }))).rejects.toMatchObject(unavailable);
    const lacking = { lacks: ['passport'] };
    const some = await answer(make({ proof_requests: items, constraints: { any: names } }), lacking);
    expect(some.answer.proof_response.responses).toMatchObject([{ identifier: 'proof_of_human' }]);
    await expect(answer(make(), { lacks: ['proof_of_human'] })).rejects.toMatchObject(unavailable);
  });

  it('says that the person was present only if asked', async () => {
    const { answer: made } = await answer(make(), { require_user_presence: true });
    expect(made.user_presence_completed).toBe(true);
    expect((await answer(make())).answer).not.toHaveProperty('user_presence_completed');
  });

  const item = (change: JsonObject, issuer = HUMAN): JsonObject => ({
    proof_requests: [itemFor('credential', issuer, change)],
  });
  it.each<[string, JsonObject, JsonObject]>([
    ['malformed_request', { version: 2 }, {}],
    ['invalid_network', {}, { environment: 'production' }],
    ['invalid_network', {}, { environment: undefined }],
    ['unknown_rp', { rp_id: 'rp_0000000000000001', oprf_key_id: '0x1' }, {}],
    ['invalid_timestamp', { expires_at: SECONDS - 1 }, {}],
    ['rp_signature_expired', { created_at: SECONDS - 200, expires_at: SECONDS - 1 }, {}],
    ['timestamp_too_old', { created_at: SECONDS - 301, expires_at: SECONDS + 1 }, {}],
    ['timestamp_too_far_in_future', { created_at: SECONDS + 301, expires_at: SECONDS + 302 }, {}],
    ['generic_error', { expires_at: SECONDS + 1801 }, {}],
    ['credential_unavailable', item({}, OTHER), {}],
    ['credential_unavailable', item({}, 11), {}],
    ['credential_unavailable', item({ expires_at_min: SECONDS + 366 * 86_400 }), {}],
    ['credential_unavailable', item({ genesis_issued_at_min: SECONDS + 1 }), {}],
  ])('is the refusal %s: %j, %j', async (errorCode, change, plaintext) => {
    await expect(answer(make(change), plaintext)).rejects.toMatchObject({ name: 'WalletRefusal', errorCode });
  });

  it.each([
    [{ created_at: SECONDS - 300, expires_at: SECONDS }, {}],
    [{ created_at: SECONDS + 300, expires_at: SECONDS + 300 }, {}],
    [{ expires_at: SECONDS + 1800 }, {}],
    [{}, { environment: 'sandbox' }],
  ])('is a proof at the limits: %j, %j', async (change, plaintext) => {
    const request = make(change);
    expect(await verdicts(await answer(request, plaintext), request)).toEqual([true]);
  });
});

describe('the development wallet without the state of World ID 4.0', () => {
  const empty = useTempStore();
  it('has no World ID 4.0', async () => {
    const account = { secret: accountSecretOf(identityFromSecret('alice')), issuedAt: NOW };
    const parts = { tables: empty.store, engine, wallet: 'new', now: NOW } as const;
    await expect(answerProofRequest(plaintextFor(make()), account, parts)).rejects.toMatchObject({
      errorCode: 'world_id_4_not_available',
    });
  });
});
