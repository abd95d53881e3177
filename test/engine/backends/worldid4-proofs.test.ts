// Rules: spec/worldid4.md#public-inputs and spec/engine.md#assurance
import { describe, expect, it } from 'vitest';
import { BACKEND_CHOICES } from '../../../src/engine/backends/backend.ts';
import { be32, fromBe, wordsOf } from '../../support/crypto/bn254.ts';
import {
  type CryptoModule,
  loadAddon,
  loadWasm,
  supportsArithmetic,
} from '../../support/crypto/crypto-modules.ts';
import { decompress } from '../../support/crypto/curve-reference.ts';
import { WORLDID4_KEYS, WORLDID4_PROOFS, type WorldId4Key } from '../support/worldid4-vectors.ts';

const [VALID, FALSE, DECOMPRESSION, SUBGROUP] = [1, 2, 3, 6];
const KEY_IDS: readonly WorldId4Key[] = ['worldid4', 'trapdoor-15'];
const INPUTS = 15;
const COMPRESSED_WORDS = 4;
const SEED = new Uint8Array(32).fill(7);

interface Statement {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expected: number | undefined;
}

function plusOne(bytes: Uint8Array, index: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const at = 32 * index;
  changed.set(be32(fromBe(bytes.subarray(at, at + 32)) + 1n), at);
  return changed;
}

/** The eight words of a proof that decompresses. */
function pointsOf(proof: Uint8Array): Uint8Array {
  return Buffer.concat((decompress(wordsOf(proof)) ?? []).map(be32));
}

/** Another x of B leaves G2; another A or C, or −B, makes the equation false. */
function verdictOfChanged(changed: Uint8Array, proof: Uint8Array): number | undefined {
  const [points, before] = [changed, proof].map((bytes) => decompress(wordsOf(bytes)));
  if (points === undefined) return DECOMPRESSION;
  return points[2] === before?.[2] && points[3] === before?.[3] ? FALSE : SUBGROUP;
}

/** The proofs of a key, compressed; the first one also as points. */
function proofsOf(keyId: WorldId4Key): Statement[] {
  return WORLDID4_PROOFS.filter((one) => one.keyId === keyId).flatMap(
    ({ name, proof, inputs, isValid }, index) => {
      const expected = isValid ? VALID : FALSE;
      const compressed = { name, bytes: Buffer.concat([proof, inputs]), expected };
      const points = { ...compressed, bytes: Buffer.concat([pointsOf(proof), inputs]) };
      return index === 0 ? [compressed, { ...points, name: `${name}, points` }] : [compressed];
    },
  );
}

/** The first proof of a key, once with each input and each word of the proof one greater. */
function changedOf(keyId: WorldId4Key): Statement[] {
  const first = WORLDID4_PROOFS.find((one) => one.keyId === keyId);
  if (!first) throw new Error(`no proof under ${keyId}`);
  const { proof, inputs } = first;
  return [
    ...Array.from({ length: INPUTS }, (_, index) => ({
      name: `input ${index + 1} changed`,
      bytes: Buffer.concat([proof, plusOne(inputs, index)]),
      expected: FALSE,
    })),
    ...Array.from({ length: COMPRESSED_WORDS }, (_, index) => {
      const changed = plusOne(proof, index);
      return {
        name: `word ${index} changed`,
        bytes: Buffer.concat([changed, inputs]),
        expected: verdictOfChanged(changed, proof),
      };
    }),
  ];
}

const STATEMENTS = KEY_IDS.map((keyId) => ({
  keyId,
  proofs: proofsOf(keyId),
  changed: changedOf(keyId),
}));

/** Loads the module of an arithmetic and selects it; undefined if this machine does not support it. */
async function moduleOf(name: string): Promise<CryptoModule | undefined> {
  if (name === 'wasm-relaxed' || name === 'wasm-simd' || name === 'wasm-scalar')
    return loadWasm(name).catch(() => undefined);
  const addon = loadAddon();
  const arithmetic = name.replace('native-', '');
  if (!addon || !supportsArithmetic(addon, arithmetic)) return undefined;
  addon.selectArithmetic(arithmetic);
  return addon;
}

describe('proofs of World ID 4.0', () => {
  it('are 3 of others and 21 of our own, all but one true', () => {
    const count = (keyId: WorldId4Key): number => WORLDID4_PROOFS.filter((one) => one.keyId === keyId).length;
    expect(KEY_IDS.map(count)).toEqual([3, 21]);
    expect(WORLDID4_PROOFS.filter(({ isValid }) => !isValid).map(({ name }) => name)).toEqual(['uf']);
  });

  it.for(BACKEND_CHOICES.filter((choice) => choice.includes('-')))(
    'have their verdict with %s, and none is true with an input or a word changed',
    async (name, { skip }) => {
      const module = await moduleOf(name);
      if (!module) return skip('not available on this machine');
      for (const { keyId, proofs, changed } of STATEMENTS) {
        const handle = module.prepareKey(WORLDID4_KEYS[keyId]);
        const check = (statements: readonly Statement[], verify: (batch: Uint8Array) => Uint8Array): void => {
          const found = verify(Buffer.concat(statements.map(({ bytes }) => bytes)));
          expect([...found].map((verdict, index) => [statements[index]?.name, verdict])).toEqual(
            statements.map((one) => [one.name, one.expected]),
          );
        };
        const combined = (batch: Uint8Array): Uint8Array => module.verifyBatch(handle, batch, SEED);
        check(proofs, combined);
        // the stand-ins take a hundred times as long
        if (name.endsWith('-emulated')) continue;
        for (const one of proofs.slice(0, 3)) check([one], combined);
        check(changed, (batch) => module.verifyEach(handle, batch));
      }
    },
  );
});
