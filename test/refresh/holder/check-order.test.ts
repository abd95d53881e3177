// Rules: spec/refresh.md#proof-check
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../../../src/engine/index.ts';
import type { ProofEngine } from '../../../src/engine/proof-engine.ts';
import { importKey } from '../../../src/membership/index.ts';
import { decodeProofHeader, type HolderProof } from '../../../src/refresh/holder/decode-proof-header.ts';
import { toHex } from '../../../src/semaphore/index.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import { bytes } from '../../engine/support/vectors.ts';
import { type Trapdoor, trapdoor } from '../../support/crypto/trapdoor.ts';
import {
  createHeaderMaker,
  type HeaderMaker,
  type HeaderOptions,
  scalarOf,
  type TestHolder,
  testHolder,
} from '../../support/refresh/holder.ts';
import { type HolderFolder, makeHolderFolder, WAITING } from './support/holder-folder.ts';
import { invalid, outcome } from './support/outcome.ts';

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
      { keyId: 'imported-later', file: { key: key.key, inputCount: 4 } },
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
      { keyId, file: { key: fiveInputs, inputCount: 5 } },
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
