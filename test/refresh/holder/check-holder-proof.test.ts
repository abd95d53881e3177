// Rules: spec/refresh.md#proof-check
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../../../src/engine/engine.ts';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { importKey } from '../../../src/membership/keys/import-key.ts';
import { authenticationInputs } from '../../../src/refresh/holder/check-holder-proof.ts';
import { decodeProofHeader, type HolderProof } from '../../../src/refresh/holder/decode-proof-header.ts';
import { hashToField } from '../../../src/semaphore/hashes.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { describeEngineInThread, startEngine } from '../../engine/support/describe-engine.ts';
import { bytes, CREDENTIALS, depthKey, keyBytes, word, words } from '../../engine/support/vectors.ts';
import { casesOf } from '../../support/cases.ts';
import { be32, fromBe, P, wordsOf } from '../../support/crypto/bn254.ts';
import { compress } from '../../support/crypto/curve-reference.ts';
import { referenceRoot } from '../../support/crypto/reference-tree.ts';
import { groups, type Trapdoor, trapdoor, trapdoorScalar } from '../../support/crypto/trapdoor.ts';
import {
  createHeaderMaker,
  type HeaderMaker,
  type HeaderOptions,
  scalarOf,
  type TestHolder,
  testHolder,
} from '../../support/refresh/holder.ts';
import {
  AUTHENTICATION_PROOFS,
  HEADER,
  type HolderFolder,
  type HolderNode,
  invalid,
  makeHolderFolder,
  outcome,
  WAITING,
} from './support/holder-folder.ts';

let folder: HolderFolder;
let maker: HeaderMaker;
let key: Trapdoor;
beforeAll(async () => {
  [folder, maker, key] = await Promise.all([makeHolderFolder(), createHeaderMaker(), trapdoor()]);
});
afterAll(async () => {
  await maker?.close();
  await folder?.remove();
});

const proofOf = async (holder: TestHolder, options?: HeaderOptions): Promise<HolderProof> =>
  decodeProofHeader(await maker.header(holder, options));

/** Returns the proof with some of its words replaced. */
function withWords(
  proof: HolderProof,
  change: (words: bigint[]) => Readonly<Record<number, bigint>>,
): HolderProof {
  const before = wordsOf(proof.proof);
  const changes = change(before);
  return { ...proof, proof: Buffer.concat(before.map((value, index) => be32(changes[index] ?? value))) };
}

// A point of the twist outside the subgroup (spec/verification.md#subgroup-check).
const OUTSIDER = {
  2: 0n,
  3: 1n,
  4: 0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4n,
  5: 0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bbn,
};

describeEngineInThread('a holder proof', (engine) => {
  let node: HolderNode;
  beforeAll(async () => {
    node = await folder.node(engine());
  });

  it('of the vectors is valid for the request of the vectors', async () => {
    const holder = { idComm: word(HEADER.query_id_comm), sub: word(HEADER.form_sub) };
    expect(await outcome(node, decodeProofHeader(HEADER.base64), holder)).toBeUndefined();
  });

  it('of each of many holders is valid for that holder only', async () => {
    const holders = Array.from({ length: casesOf(100, 8) }, (_, index) => testHolder(`holder ${index}`));
    const proofs: HolderProof[] = [];
    for (const holder of holders) proofs.push(await proofOf(holder));
    expect(
      await Promise.all(holders.map((holder, i) => outcome(node, proofs[i] as HolderProof, holder))),
    ).toEqual(holders.map(() => undefined));
    const relabelled = holders.map((holder, i) => {
      const other = proofs[(i + 1) % holders.length] as HolderProof;
      return outcome(node, { ...other, idCommitment: holder.idComm, sub: holder.sub }, holder);
    });
    expect(await Promise.all(relabelled)).toEqual(holders.map(() => invalid('proof.false')));
  });

  it('is valid under the same nullifier hash for every sub that it was made for', async () => {
    for (const subName of ['one sub', 'another sub']) {
      const holder = testHolder('one', subName);
      expect(await outcome(node, await proofOf(holder), holder)).toBeUndefined();
    }
  });

  describe('is refused', () => {
    const holder = testHolder('refused');
    let good: HolderProof;
    beforeAll(async () => {
      good = await proofOf(holder);
      expect(await outcome(node, good, holder)).toBeUndefined();
    });

    it('for another idComm than that of the query', async () => {
      expect(await outcome(node, good, { ...holder, idComm: scalarOf('x') })).toEqual(
        invalid('id_commitment'),
      );
    });

    it('for another sub than that of the form', async () => {
      expect(await outcome(node, good, { ...holder, sub: scalarOf('x') })).toEqual(invalid('sub'));
    });

    it.each(['', 'proofgate-refresh ', 'Proofgate-refresh', 'proofgate-refres', 'another'])(
      'for the external nullifier %j, even if the proof is valid for it',
      async (externalNullifier) => {
        const proof = await proofOf(holder, { externalNullifier });
        expect(await outcome(node, proof, holder)).toEqual(invalid('external_nullifier'));
      },
    );

    it('for the hash of the external nullifier in place of its pre-image', async () => {
      const preImage = hashToField(Buffer.from('proofgate-refresh'));
      expect(await outcome(node, await proofOf(holder, { preImage }), holder)).toEqual(
        invalid('external_nullifier'),
      );
    });

    it('for a challenge that was not required', async () => {
      const preImage = Buffer.concat([Buffer.from('proofgate-refresh'), scalarOf('challenge')]);
      expect(await outcome(node, await proofOf(holder, { preImage }), holder)).toEqual(
        invalid('external_nullifier'),
      );
    });

    it.each<[string, () => Promise<HolderProof> | HolderProof]>([
      ['whose equation is false', () => proofOf(holder, { isFalse: true })],
      ['with another nullifier hash', () => ({ ...good, nullifierHash: scalarOf('another') })],
      [
        'for another sub, with this one written into the header',
        async () => ({ ...(await proofOf(testHolder('refused', 'x'))), sub: holder.sub }),
      ],
      [
        'of another holder, with this idComm written into the header',
        async () => ({
          ...(await proofOf({ ...holder, idComm: scalarOf('x') })),
          idCommitment: holder.idComm,
        }),
      ],
      [
        'for another external nullifier, with this one written into the header',
        async () => ({
          ...(await proofOf(holder, { externalNullifier: 'x' })),
          externalNullifier: good.externalNullifier,
        }),
      ],
      ['with A negated', () => withWords(good, ([, ay = 0n]) => ({ 1: P - ay }))],
      ['with C replaced by A', () => withWords(good, ([ax = 0n, ay = 0n]) => ({ 6: ax, 7: ay }))],
      ['with A at infinity', () => withWords(good, () => ({ 0: 0n, 1: 0n }))],
      ['with B at infinity', () => withWords(good, () => ({ 2: 0n, 3: 0n, 4: 0n, 5: 0n }))],
    ])('%s', async (_, made) => {
      expect(await outcome(node, await made(), holder)).toEqual(invalid('proof.false'));
    });

    it.each<[string, string, (words: bigint[]) => Readonly<Record<number, bigint>>]>([
      ['A.x is not below p', 'proof.coordinate_range', ([ax = 0n]) => ({ 0: ax + P })],
      ['C is not on the curve', 'proof.point_not_on_curve', () => ({ 7: 123456n })],
      [
        'the words of B are c0 before c1',
        'proof.point_not_on_curve',
        ([, , a = 0n, b = 0n, c = 0n, d = 0n]) => ({ 2: b, 3: a, 4: d, 5: c }),
      ],
      ['B is outside the subgroup', 'proof.point_not_in_subgroup', () => OUTSIDER],
    ])('with the code of the engine: %s', async (_, rule, change) => {
      expect(await outcome(node, withWords(good, change), holder)).toEqual(invalid(rule));
    });

    it('in compressed form, which the engine accepts', async () => {
      const proof = Buffer.concat([...compress(wordsOf(good.proof)), 0n, 0n, 0n, 0n].map(be32));
      const inputs = await authenticationInputs(engine(), { ...good, signal: good.sub }, 30);
      expect(await engine().verify('trapdoor-4', proof, inputs)).toEqual({ ok: true });
      expect(await outcome(node, { ...good, proof }, holder)).toEqual(invalid('proof'));
      expect(await outcome(node, { ...good, proof: new Uint8Array(256) }, holder)).toEqual(invalid('proof'));
    });
  });

  it('is valid with A and B negated', async () => {
    const holder = testHolder('negated');
    const negated = withWords(await proofOf(holder), ([, ay = 0n, , , b1 = 0n, b0 = 0n]) => ({
      1: P - ay,
      4: P - b1,
      5: P - b0,
    }));
    expect(await outcome(node, negated, holder)).toBeUndefined();
  });

  it('follows the configured external nullifier', async () => {
    const other = await folder.node(engine(), {
      settings: { 'refresh.externalNullifier': 'another service' },
    });
    const holder = testHolder('scoped');
    const proof = await proofOf(holder, { externalNullifier: 'another service' });
    expect(await outcome(other, proof, holder)).toBeUndefined();
    expect(await outcome(node, proof, holder)).toEqual(invalid('external_nullifier'));
    const inHex = await proofOf(holder, { preImage: Buffer.from('another service') });
    expect(await outcome(other, inHex, holder)).toBeUndefined();
    expect(await outcome(other, await proofOf(holder), holder)).toEqual(invalid('external_nullifier'));
  });

  it('is checked over a tree of the depth of the key', async () => {
    await importKey(
      { keyId: 'shallow', key: { key: key.key, inputCount: 4 }, depth: 16 },
      { engine: engine(), store: folder.store },
      'test',
      folder.now(),
    );
    const shallow = await folder.node(engine(), { settings: { 'refresh.verificationKey': 'shallow' } });
    const holder = testHolder('shallow');
    const deep = await proofOf(holder);
    expect(await outcome(shallow, deep, holder)).toEqual(invalid('proof.false'));
    const inputs = [
      await referenceRoot([holder.idComm], 16),
      deep.nullifierHash,
      hashToField(holder.sub),
      hashToField(deep.externalNullifier),
    ];
    const proof = key.prove(inputs.map(fromBe), 3n, 5n);
    expect(await outcome(shallow, { ...deep, proof }, holder)).toBeUndefined();
    expect(await outcome(node, { ...deep, proof }, holder)).toEqual(invalid('proof.false'));
  });

  it('of each key of the vectors has the public inputs that follow from its pre-images', async () => {
    const keys: Readonly<Record<string, Uint8Array>> = {
      'semaphore-depth30-vkey.json': depthKey(30),
      'groth16_simulated.verifying_key': keyBytes(CREDENTIALS.groth16_simulated.verifying_key),
      'trapdoor_4.verifying_key': keyBytes(CREDENTIALS.trapdoor_4.verifying_key),
    };
    expect(AUTHENTICATION_PROOFS).toHaveLength(3);
    for (const row of AUTHENTICATION_PROOFS) {
      const { external_nullifier_preimage: hex, external_nullifier_ascii: text = '' } = row;
      const statement = {
        idCommitment: word(row.id_commitment),
        nullifierHash: word(row.public_inputs[1] ?? ''),
        signal: bytes(row.signal_preimage),
        externalNullifier: hex === undefined ? Buffer.from(text) : bytes(hex),
      };
      const inputs = await authenticationInputs(engine(), statement, 30);
      expect(Buffer.from(inputs).equals(words(row.public_inputs))).toBe(true);
      await engine().registerKey(row.verifying_key, keys[row.verifying_key] as Uint8Array);
      expect(await engine().verify(row.verifying_key, bytes(row.proof), inputs)).toEqual({ ok: true });
    }
  });

  it('uses a point outside the subgroup that is a point of the twist', async () => {
    // A B off the twist would be refused for that, and the subgroup check would remain untested.
    const { g1 } = await groups();
    const at = (index: 2 | 3 | 4 | 5): Uint8Array => be32(OUTSIDER[index]);
    const proof = Buffer.concat([g1(1n), at(2), at(3), at(4), at(5), g1(trapdoorScalar('c'))]);
    await engine().registerKey('trapdoor-4', key.key);
    expect(await engine().verify('trapdoor-4', proof, words(['1', '2', '3', '4']))).toEqual({
      ok: false,
      code: 'proof.point_not_in_subgroup',
    });
  });
});

describe('the check of a holder proof', () => {
  const holder = testHolder('order');
  let engine: ProofEngine;
  let good: HolderProof;
  beforeAll(async () => {
    ({ engine } = await startEngine({ workers: 0 }));
    good = await proofOf(holder);
  });
  afterAll(() => engine?.close());

  it('reports the first rule that is broken, and calls the engine last', async () => {
    const calls: string[] = [];
    const recording = {
      oneLeafRoot: (leaf: Uint8Array, depth: number) => {
        calls.push('root');
        return engine.oneLeafRoot(leaf, depth);
      },
      verify: (...call: Parameters<ProofEngine['verify']>) => {
        calls.push('verify');
        return engine.verify(...call);
      },
    };
    const settings = { 'refresh.challengeRequired': 'true' };
    const { check, challenges, config } = await folder.node(engine, {
      settings,
      parts: { engine: recording },
    });
    const { challenge } = await challenges.issue();
    const preImage = Buffer.concat([Buffer.from('proofgate-refresh'), bytes(challenge)]);
    const steps: [rule: string, repair: Partial<HolderProof>][] = [
      ['id_commitment', { idCommitment: holder.idComm }],
      ['sub', { sub: holder.sub }],
      [
        'external_nullifier',
        { externalNullifier: Buffer.concat([Buffer.from('proofgate-refresh'), scalarOf('?')]) },
      ],
      ['challenge', { externalNullifier: preImage }],
      ['proof', { proof: (await proofOf(holder, { preImage, isFalse: true })).proof }],
    ];
    let proof: HolderProof = {
      ...good,
      idCommitment: scalarOf('x'),
      sub: scalarOf('y'),
      externalNullifier: Buffer.from('z'),
      proof: new Uint8Array(256),
    };
    const node = { check, challenges, config };
    for (const [rule, repair] of steps) {
      expect(await outcome(node, proof, holder)).toEqual(invalid(rule));
      proof = { ...proof, ...repair };
    }
    expect(calls).toEqual([]);
    expect(await outcome(node, proof, holder)).toEqual(invalid('proof.false'));
    expect(calls).toEqual(['root', 'verify']);
    expect(await outcome(node, await proofOf(holder, { preImage }), holder)).toBeUndefined();
  });

  it('passes source and signal to the engine', async () => {
    const seen: unknown[] = [];
    const recording = {
      oneLeafRoot: engine.oneLeafRoot.bind(engine),
      verify: (...[keyId, proof, inputs, options]: Parameters<ProofEngine['verify']>) => {
        seen.push(keyId, options);
        return engine.verify(keyId, proof, inputs, options);
      },
    };
    const node = await folder.node(engine, { parts: { engine: recording } });
    const { signal } = new AbortController();
    expect(await outcome(node, good, holder, { source: '2001:db8::/64', signal })).toBeUndefined();
    expect(seen).toEqual(['trapdoor-4', { source: { address: '2001:db8::/64', app: 'refresh' }, signal }]);
    expect((seen[1] as { signal: unknown }).signal).toBe(signal);
  });

  describe.each<[Refusal, unknown]>([
    ['proof.length', invalid('proof.length')],
    ['proof.decompression', invalid('proof.decompression')],
    ['proof.coordinate_range', invalid('proof.coordinate_range')],
    ['proof.point_not_on_curve', invalid('proof.point_not_on_curve')],
    ['proof.point_not_in_subgroup', invalid('proof.point_not_in_subgroup')],
    ['input.count', invalid('input.count')],
    ['input.range', invalid('input.range')],
    ['engine.poison', invalid('engine.poison')],
    ['engine.busy', ['engine.busy', 9, undefined]],
    ['engine.draining', ['engine.draining', 9, undefined]],
    ['engine.cancelled', ['engine.cancelled', 9, undefined]],
    ['engine.key_unknown', ['engine.key_unknown', 9, undefined]],
  ])('when the engine returns %s', (code, expected) => {
    it('throws the matching error', async () => {
      const refusing = {
        oneLeafRoot: engine.oneLeafRoot.bind(engine),
        verify: () => Promise.resolve({ ok: false, code } as const),
      };
      const node = await folder.node(engine, { parts: { engine: refusing } });
      expect(await outcome(node, good, holder)).toEqual(expected);
    });
  });

  it('gives no verdict on a proof that the engine has no capacity for', async () => {
    const { engine: small } = await startEngine({ workers: 1, maxQueue: 1 });
    try {
      const node = await folder.node(small);
      expect(await outcome(node, good, holder)).toBeUndefined();
      // The first call keeps the worker busy; others are sent to the worker until one of them is queued.
      const calls = [small.generatorMultiples('g2', new Uint8Array(32 * 4000))];
      await Promise.resolve();
      for (let other = 0; small.stats().queueDepth === 0; other += 1) {
        calls.push(small.hashBytes(`tag ${other}`, new Uint8Array(32)));
        await Promise.resolve();
      }
      expect(await outcome(node, good, holder)).toEqual(['engine.busy', undefined, undefined]);
      await Promise.all(calls);
      expect(await outcome(node, good, holder)).toBeUndefined();
      const gone = { source: WAITING.source, signal: AbortSignal.abort() };
      expect(await outcome(node, good, holder, gone)).toEqual(['engine.cancelled', 9, undefined]);
    } finally {
      await small.close();
    }
    const node = await folder.node(small);
    expect(await outcome(node, good, holder)).toEqual(['engine.draining', undefined, undefined]);
  });

  it('fails under a key that does not exist, and works once the key is imported', async () => {
    const node = await folder.node(engine, { settings: { 'refresh.verificationKey': 'imported-later' } });
    expect(await outcome(node, good, holder)).toEqual(['engine.key_unknown', undefined, undefined]);
    await importKey(
      { keyId: 'imported-later', key: { key: key.key, inputCount: 4 } },
      { engine, store: folder.store },
      'test',
      folder.now(),
    );
    expect(await outcome(node, good, holder)).toBeUndefined();
  });

  it('refuses a key with another number of inputs', async () => {
    const { key: fiveInputs } = await trapdoor(5);
    const keyId = 'five-inputs';
    await importKey(
      { keyId, key: { key: fiveInputs, inputCount: 5 } },
      { engine, store: folder.store },
      'test',
      folder.now(),
    );
    const node = await folder.node(engine, { settings: { 'refresh.verificationKey': keyId } });
    expect(await outcome(node, good, holder)).toEqual(['key.input_count', undefined, undefined]);
  });

  it('repeats no value of the request in its refusals', async () => {
    const node = await folder.node(engine);
    const bad = [
      { ...good, idCommitment: scalarOf('x') },
      { ...good, sub: scalarOf('x') },
      { ...good, externalNullifier: Buffer.from('x-external-nullifier') },
      { ...good, nullifierHash: scalarOf('x') },
    ];
    for (const proof of bad) {
      const error = await node.check.check(proof, holder, WAITING).catch((refusal: unknown) => refusal);
      const text = `${error} ${JSON.stringify(error)}`.toLowerCase();
      const values = [good.idCommitment, good.sub, good.nullifierHash, good.externalNullifier, scalarOf('x')];
      for (const value of values) expect(text).not.toContain(toHex(value).slice(2));
      expect(text).not.toContain('x-external-nullifier');
    }
  });
});
