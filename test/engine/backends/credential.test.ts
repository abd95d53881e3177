// Rules: spec/credential.md#poseidon2 and spec/credential.md#eddsa-poseidon2
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRejected } from '../../support/rejects.ts';
import { describeEngine } from '../support/describe-engine.ts';
import { bytes, CREDENTIALS, word, words } from '../support/vectors.ts';

const R = '0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001';

describeEngine('hashes and signatures', (engine) => {
  it('computes the Poseidon2 permutation of every width', async () => {
    const { widths } = CREDENTIALS.poseidon2;
    expect(widths.map(({ t }) => t)).toEqual([2, 3, 4, 8, 12, 16]);
    const answers = await Promise.all(
      widths.map(({ t, counting_input }) => engine().poseidon2(t, words(counting_input))),
    );
    expect(answers).toEqual(widths.map(({ output_of_counting_input }) => words(output_of_counting_input)));
  });

  it('computes the Poseidon hashes of circomlib', async () => {
    const { hashes } = CREDENTIALS.poseidon_circomlib;
    const answers = await Promise.all(hashes.map(({ inputs }) => engine().poseidon(words(inputs))));
    expect(answers).toEqual(hashes.map(({ output }) => word(output)));
  });

  it('hashes a commitment up to the root of a one-leaf tree', async () => {
    for (const { commitment, depth, root } of CREDENTIALS.semaphore.one_leaf_roots) {
      let [node, empty] = [word(commitment), word('0')];
      for (let level = 0; level < depth; level += 1) {
        [node, empty] = await Promise.all([
          engine().poseidon(new Uint8Array(Buffer.concat([node, empty]))),
          engine().poseidon(new Uint8Array(Buffer.concat([empty, empty]))),
        ]);
      }
      expect([depth, node]).toEqual([depth, word(root)]);
    }
  });

  it('computes the byte hash under each tag', async () => {
    const { rows } = CREDENTIALS.byte_hash;
    const answers = await Promise.all(rows.map(({ tag, input }) => engine().hashBytes(tag, bytes(input))));
    expect(rows.map(({ description }, index) => [description, answers[index]])).toEqual(
      rows.map(({ description, output }) => [description, word(output)]),
    );
  });

  it('answers each of a hundred mixed calls of one turn', async () => {
    const { rows } = CREDENTIALS.byte_hash;
    const [width] = CREDENTIALS.poseidon2.widths;
    const calls = Array.from({ length: 100 }, async (_, index) => {
      const row = rows[index % rows.length] as (typeof rows)[number];
      if (index % 2) return [index, await engine().hashBytes(row.tag, bytes(row.input)), word(row.output)];
      const state = await engine().poseidon2(2, words(width?.counting_input ?? []));
      return [index, state, words(width?.output_of_counting_input ?? [])];
    });
    for (const [, found, expected] of await Promise.all(calls)) expect(found).toEqual(expected);
  });

  describe('EdDSA', () => {
    beforeAll(async () => {
      for (const [index, { seed_hex }] of CREDENTIALS.eddsa.entries()) {
        await engine().registerSigningKey(`vector-${index}`, bytes(seed_hex));
      }
    });

    it('makes the signatures of the vectors, and accepts them', async () => {
      for (const [index, row] of CREDENTIALS.eddsa.entries()) {
        const signature = await engine().signCredentialHash(`vector-${index}`, word(row.message));
        expect(signature).toEqual(bytes(row.signature));
        const publicKey = bytes(row.public_key_compressed);
        expect(await engine().verifySignature(publicKey, word(row.message), signature)).toBe(true);
      }
    });

    it('refuses each forged or malformed signature of the vectors', async () => {
      const { rows } = CREDENTIALS.eddsa_invalid;
      const answers = await Promise.all(
        rows.map(async ({ why, public_key_compressed, message, signature }) => [
          why,
          await engine().verifySignature(bytes(public_key_compressed), word(message), bytes(signature)),
        ]),
      );
      expect(answers).toEqual(rows.map(({ why }) => [why, false]));
    });

    it('rejects a signature when key, message or signature has a wrong length', async () => {
      const [row] = CREDENTIALS.eddsa;
      const [key, message, signature] = [
        bytes(row?.public_key_compressed as string),
        word(row?.message as string),
        bytes(row?.signature as string),
      ];
      expect(await engine().verifySignature(key.subarray(1), message, signature)).toBe(false);
      expect(await engine().verifySignature(key, message.subarray(1), signature)).toBe(false);
      expect(await engine().verifySignature(key, message, new Uint8Array(0))).toBe(false);
    });

    it('refuses a message that is not 32 bytes', async () => {
      for (const length of [0, 31, 33, 64]) {
        await expectRejected(engine().signCredentialHash('vector-0', new Uint8Array(length)), 'input.count');
      }
    });

    it('refuses a message that is not a field element, and an unknown key', async () => {
      await expectRejected(engine().signCredentialHash('vector-0', word(R)), 'input.range');
      await expectRejected(engine().signCredentialHash('nobody', word('1')), 'engine.key_unknown');
    });
  });

  it('refuses invalid hash inputs, and answers the valid calls of the same batch', async () => {
    const [good, ...bad] = await Promise.allSettled([
      engine().poseidon(words(['1', '2'])),
      engine().poseidon(word(R)),
      engine().poseidon(new Uint8Array(0)),
      engine().poseidon(new Uint8Array(17 * 32)),
      engine().poseidon(new Uint8Array(33)),
      engine().poseidon2(3, words(['0', R, '1'])),
      engine().poseidon2(5, new Uint8Array(160)),
      engine().poseidon2(3, new Uint8Array(95)),
      engine().hashBytes('CLAIMS_HASH_V1', new Uint8Array(0)),
    ]);
    expect(good.status).toBe('fulfilled');
    expect(bad.map((one) => one.status === 'rejected' && one.reason.code)).toEqual([
      'input.range',
      'hash.input',
      'hash.input',
      'hash.input',
      'input.range',
      'hash.input',
      'hash.input',
      'hash.input',
    ]);
  });
});
