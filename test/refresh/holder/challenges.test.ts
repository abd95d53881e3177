// Rules: spec/refresh.md#freshness-mode
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { createChallenges } from '../../../src/refresh/holder/challenges.ts';
import { createHolderCheck } from '../../../src/refresh/holder/check-holder-proof.ts';
import { decodeProofHeader, type HolderProof } from '../../../src/refresh/holder/decode-proof-header.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import { bytes } from '../../engine/support/vectors.ts';
import { gate } from '../../support/gate.ts';
import {
  createHeaderMaker,
  EXTERNAL_NULLIFIER,
  type HeaderMaker,
  type HeaderOptions,
  scalarOf,
  testHolder,
} from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { type HolderFolder, type HolderNode, makeHolderFolder, WAITING } from './support/holder-folder.ts';

const SETTINGS = { 'refresh.challengeRequired': 'true' };
const TTL_MS = 300_000;
const ROUNDS = 20;

describe('freshness mode', () => {
  const holder = testHolder('fresh');
  let folder: HolderFolder;
  let maker: HeaderMaker;
  let engine: Engine;
  let node: HolderNode;
  beforeAll(async () => {
    [folder, maker, { engine }] = await Promise.all([
      makeHolderFolder(),
      createHeaderMaker(),
      startEngine({ workers: 1 }),
    ]);
    node = await folder.node(engine, { settings: SETTINGS });
  });
  afterAll(async () => {
    await engine?.close();
    await maker?.close();
    await folder?.remove();
  });

  const preImageOf = (challenge: string | Uint8Array, text: string = EXTERNAL_NULLIFIER): Uint8Array =>
    Buffer.concat([Buffer.from(text), typeof challenge === 'string' ? bytes(challenge) : challenge]);
  const proofOf = async (preImage: Uint8Array, options: HeaderOptions = {}): Promise<HolderProof> =>
    decodeProofHeader(await maker.header(holder, { preImage, ...options }));
  const fresh = async (): Promise<string> => (await node.challenges.issue()).challenge;
  const ruleOf = async (proof: HolderProof, { check }: Pick<HolderNode, 'check'> = node): Promise<unknown> =>
    await check.check(proof, holder, WAITING).then(
      () => undefined,
      ({ code, details }) => (code === 'refresh.proof_invalid' ? details.rule : code),
    );

  it('issues 32 new bytes each time, with the second at which they expire', async () => {
    const issued = [];
    for (let count = 0; count < 50; count += 1) issued.push(await node.challenges.issue());
    for (const { challenge, expiresAt } of issued) {
      expect(challenge).toMatch(/^0x[0-9a-f]{64}$/);
      expect(expiresAt).toBe(Math.floor((folder.now() + TTL_MS) / 1000));
    }
    expect(new Set(issued.map(({ challenge }) => challenge)).size).toBe(50);
  });

  it('stores the hash of a challenge and not the challenge', async () => {
    const stored: [hash: Uint8Array, expiresAt: number][] = [];
    const guards = { addChallenge: async (...row: [Uint8Array, number]) => void stored.push(row) };
    const { config } = await folder.node(engine, { settings: { 'refresh.challengeTtlSeconds': '30' } });
    const { challenge, expiresAt } = await createChallenges({ guards, config, now: folder.now }).issue();
    const hash = createHash('sha256').update(bytes(challenge)).digest();
    expect(stored).toEqual([[hash, folder.now() + 30_000]]);
    expect(expiresAt).toBe(Math.floor((folder.now() + 30_000) / 1000));
  });

  it('accepts a proof for a challenge once', async () => {
    const proof = await proofOf(preImageOf(await fresh()));
    expect(await ruleOf(proof)).toBeUndefined();
    expect(await ruleOf(proof)).toBe('challenge');
    expect(await ruleOf(proof)).toBe('challenge');
  });

  it('accepts a challenge that another node issued, and no node accepts it again', async () => {
    const store = await folder.openStore();
    const { refreshGuards: guards } = store;
    const other = createChallenges({ guards, config: node.config, now: folder.now });
    const proof = await proofOf(preImageOf((await other.issue()).challenge));
    const second = await folder.node(engine, { settings: SETTINGS, parts: { guards } });
    expect(await ruleOf(proof)).toBeUndefined();
    expect(await ruleOf(proof, second)).toBe('challenge');
  });

  it('refuses a challenge that was not issued', async () => {
    expect(await ruleOf(await proofOf(preImageOf(scalarOf('made up'))))).toBe('challenge');
  });

  it('accepts a challenge until its last millisecond', async () => {
    const [first, second] = [await fresh(), await fresh()];
    folder.advance(TTL_MS - 1);
    expect(await ruleOf(await proofOf(preImageOf(first)))).toBeUndefined();
    folder.advance(1);
    expect(await ruleOf(await proofOf(preImageOf(second)))).toBe('challenge');
  });

  it.each<[string, (challenge: string) => Uint8Array]>([
    ['no challenge', () => Buffer.from(EXTERNAL_NULLIFIER)],
    ['the challenge alone', (challenge) => bytes(challenge)],
    [
      'the challenge first',
      (challenge) => Buffer.concat([bytes(challenge), Buffer.from(EXTERNAL_NULLIFIER)]),
    ],
    ['the text of another service', (challenge) => preImageOf(challenge, 'proofgate-refresi')],
    ['31 bytes of the challenge', (challenge) => preImageOf(challenge).subarray(0, -1)],
    ['a byte after the challenge', (challenge) => Buffer.concat([preImageOf(challenge), Buffer.of(0)])],
    ['the challenge as hex digits', (challenge) => Buffer.from(`${EXTERNAL_NULLIFIER}${challenge}`)],
  ])('refuses a pre-image of %s', async (_, preImage) => {
    const challenge = await fresh();
    expect(await ruleOf(await proofOf(preImage(challenge)))).toBe('external_nullifier');
    expect(await ruleOf(await proofOf(preImageOf(challenge)))).toBeUndefined();
  });

  it('refuses a header that names another challenge than its proof', async () => {
    const [mine, other] = [await fresh(), await fresh()];
    const proof = await proofOf(preImageOf(mine));
    expect(await ruleOf({ ...proof, externalNullifier: preImageOf(other) })).toBe('proof.false');
    expect(await ruleOf(proof)).toBeUndefined();
  });

  it('does not spend the challenge of a proof that is false', async () => {
    const preImage = preImageOf(await fresh());
    expect(await ruleOf(await proofOf(preImage, { isFalse: true }))).toBe('proof.false');
    expect(await ruleOf(await proofOf(preImage))).toBeUndefined();
  });

  it('compares bytes, so that a challenge of letters may be written as text', async () => {
    const challenge = Buffer.from('thirty-two letters are a challen');
    expect(challenge).toHaveLength(32);
    const hash = createHash('sha256').update(challenge).digest();
    await folder.store.refreshGuards.addChallenge(hash, folder.now() + TTL_MS);
    const header = await maker.header(holder, { externalNullifier: `${EXTERNAL_NULLIFIER}${challenge}` });
    expect(await ruleOf(decodeProofHeader(header))).toBeUndefined();
  });

  it('supports the longest external nullifier', async () => {
    const text = 'x'.repeat(64);
    const long = await folder.node(engine, { settings: { ...SETTINGS, 'refresh.externalNullifier': text } });
    expect(await ruleOf(await proofOf(preImageOf(await fresh(), text)), long)).toBeUndefined();
  });

  it(`accepts one of ${ROUNDS} proofs of one challenge even if all of them were looked up first`, async () => {
    const challenge = await fresh();
    let lookedUp = 0;
    const allLookedUp = gate<void>();
    const guards = {
      hasChallenge: async (hash: Uint8Array, now: number) => {
        const isThere = await folder.store.refreshGuards.hasChallenge(hash, now);
        lookedUp += 1;
        if (lookedUp === ROUNDS) allLookedUp.open();
        await allLookedUp.promise;
        return isThere;
      },
      takeChallenge: (hash: Uint8Array, now: number) => folder.store.refreshGuards.takeChallenge(hash, now),
    };
    const racing = await folder.node(engine, { settings: SETTINGS, parts: { guards } });
    const proof = await proofOf(preImageOf(challenge));
    const rules = await Promise.all(Array.from({ length: ROUNDS }, () => ruleOf(proof, racing)));
    expect(rules.filter((rule) => rule === undefined)).toHaveLength(1);
    expect(rules.filter((rule) => rule === 'challenge')).toHaveLength(ROUNDS - 1);
  });

  it(`accepts one of ${ROUNDS} proofs of one challenge on two nodes`, async () => {
    const store = await folder.openStore();
    const parts = { guards: store.refreshGuards };
    const nodes = [node, await folder.node(engine, { settings: SETTINGS, parts })];
    const proof = await proofOf(preImageOf(await fresh()));
    const rules = await Promise.all(
      Array.from({ length: ROUNDS }, (_, index) => ruleOf(proof, nodes[index % 2] as HolderNode)),
    );
    expect(rules.filter((rule) => rule === undefined)).toHaveLength(1);
    expect(rules.filter((rule) => rule === 'challenge')).toHaveLength(ROUNDS - 1);
  });

  it('does not call the engine if a challenge is unknown', async () => {
    const never = (): never => {
      throw new Error('the engine was called');
    };
    const { check } = await folder.node(engine, {
      settings: SETTINGS,
      parts: { engine: { oneLeafRoot: never, verify: never } },
    });
    expect(await ruleOf(await proofOf(preImageOf(scalarOf('made up'))), { check })).toBe('challenge');
    const known = await proofOf(preImageOf(await fresh()));
    await expect(check.check(known, holder, WAITING)).rejects.toThrow('the engine was called');
  });

  it('gives no verdict on a proof while the store is unreachable', async () => {
    const store = await folder.openStore();
    await store.close();
    const { check } = await folder.node(engine, {
      settings: SETTINGS,
      parts: { guards: store.refreshGuards },
    });
    expect(await ruleOf(await proofOf(preImageOf(await fresh())), { check })).toBe('store.unreachable');
  });

  it('is off by default: no challenge is looked up or consumed', async () => {
    const never = (): never => {
      throw new Error('the store was queried');
    };
    const { config } = await folder.node(engine);
    const { verifyingKeys } = folder.store;
    const keys = { ensure: async () => undefined };
    const guards = { hasChallenge: never, takeChallenge: never };
    const check = createHolderCheck({ engine, keys, store: verifyingKeys, config, guards, now: folder.now });
    const header = await maker.header(holder);
    expect(await ruleOf(decodeProofHeader(header), { check })).toBeUndefined();
  });
});

describe('POST /api/v1/refresh in freshness mode', () => {
  const holder = testHolder('freshness race');
  let service: RefreshService;
  beforeAll(async () => {
    service = await startRefreshService({
      settings: { 'refresh.challengeRequired': 'true', 'rateLimits.refreshPerIdComm': '0' },
    });
    await service.enrol([holder]);
  });
  afterAll(() => service?.end());

  const freshPreImage = async (): Promise<Uint8Array> => {
    const answer = await service.client.get('/api/v1/challenge');
    const { challenge } = (await answer.json()) as { readonly challenge: string };
    return Buffer.concat([Buffer.from('proofgate-refresh'), bytes(challenge)]);
  };

  it(`issues one credential for ${ROUNDS} requests of one challenge`, async () => {
    const call = await service.client.call(holder, { preImage: await freshPreImage() });
    const answers = await Promise.all(Array.from({ length: ROUNDS }, () => service.client.send(call)));
    const errors = answers.map(({ status, body }) => `${status} ${body.error ?? 'issued'}`).sort();
    expect(errors).toEqual(['200 issued', ...Array(ROUNDS - 1).fill('401 INVALID_PROOF')]);
  });

  it('spends a challenge with a valid proof, even if a later check refuses the request', async () => {
    const preImage = await freshPreImage();
    const stranger = testHolder('freshness, not enrolled');
    const refused = await service.client.refresh(stranger, { preImage });
    expect([refused.status, refused.body.error]).toEqual([404, 'NO_SIGNUP_RECORD']);
    const late = await service.client.refresh(holder, { preImage });
    expect([late.status, late.body.error]).toEqual([401, 'INVALID_PROOF']);
  });

  it('does not spend the challenge of a holder with a false proof of another', async () => {
    const preImage = await freshPreImage();
    const forged = await service.client.refresh(testHolder('freshness, forger'), { preImage, isFalse: true });
    expect([forged.status, forged.body.error]).toEqual([401, 'INVALID_PROOF']);
    expect((await service.client.refresh(holder, { preImage })).status).toBe(200);
  });
});
