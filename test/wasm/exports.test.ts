import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type BackendSource,
  type CryptoFunctions,
  WASM_ARITHMETICS,
} from '../../src/engine/backends/backend.ts';
import { findNative, loadBackend } from '../../src/engine/backends/load-backend.ts';
import { findWasm } from '../../src/engine/backends/wasm.ts';
import { messageOf } from '../../src/text.ts';
import { be32, R } from '../support/crypto/bn254.ts';
import { groups } from '../support/crypto/trapdoor.ts';

interface Vectors {
  field: { P: string };
  poseidon2: { widths: { t: number; output_of_counting_input: string[]; output_of_zeros_0_1: string[] }[] };
  poseidon_circomlib: { hashes: { inputs: string[]; output: string }[] };
  byte_hash: { rows: { tag: string; description: string; input: string; output: string }[] };
  eddsa: {
    seed_hex: string;
    public_key: string[];
    public_key_compressed: string;
    message: string;
    signature: string;
  }[];
  eddsa_invalid: {
    rows: { why: string; public_key_compressed: string; message: string; signature: string }[];
  };
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/credential-vectors.json', import.meta.url), 'utf8'),
) as Vectors;

const arities = JSON.parse(
  readFileSync(new URL('../vectors/poseidon-circomlib.json', import.meta.url), 'utf8'),
) as Vectors['poseidon_circomlib'];
const HASHES = [...vectors.poseidon_circomlib.hashes, ...arities.hashes];
const MAX_ARITY = 16;

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const word = (number: string): Uint8Array => bytes(BigInt(number).toString(16).padStart(64, '0'));
const words = (numbers: readonly string[]): Uint8Array =>
  new Uint8Array(Buffer.concat(numbers.map((number) => word(number))));
const counting = (count: number): Uint8Array => words(Array.from({ length: count }, (_, i) => String(i)));
const hex = (found: Uint8Array): string => Buffer.from(found).toString('hex');

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return messageOf(error);
  }
  return 'no refusal';
}

/** The common suite of the addon and the WASM modules. */
function describeExports(name: string, found: BackendSource | { readonly reason: string }): void {
  if ('reason' in found) {
    describe.skip(`exports of ${name}: ${found.reason}`, () => {
      it('is absent', () => expect(found.reason).toBe(''));
    });
    return;
  }
  describe(`exports of ${name}`, async () => {
    const core: CryptoFunctions = loadBackend(found).functions;

    it.each(vectors.poseidon2.widths)('permutes states of $t elements as published', (row) => {
      const states = Buffer.concat([counting(row.t), new Uint8Array(row.t * 32)]);
      const permuted = core.poseidon2(row.t, new Uint8Array(states));
      expect(hex(permuted.slice(0, row.t * 32))).toBe(hex(words(row.output_of_counting_input)));
      const zeros = words(row.output_of_zeros_0_1);
      expect(hex(permuted.slice(row.t * 32, row.t * 32 + zeros.length))).toBe(hex(zeros));
    });

    it('multiplies the generators by public scalars like mcl', async () => {
      const { g1, g2 } = await groups();
      const scalars = [0n, 1n, 2n, 255n, 256n, R - 1n, 0x0123456789abcdef00ff00ff00ffn << 128n];
      const input = new Uint8Array(Buffer.concat(scalars.map(be32)));
      expect(hex(core.g1Multiples(input))).toBe(hex(Buffer.concat(scalars.map(g1))));
      expect(hex(core.g2Multiples(input))).toBe(hex(Buffer.concat(scalars.map(g2))));
      for (const call of [core.g1Multiples, core.g2Multiples]) {
        expect(call(new Uint8Array(0))).toHaveLength(0);
        expect(refusal(() => call(input.subarray(1)))).toMatch(/^input\.count: expected whole scalars/);
        expect(refusal(() => call(be32(R)))).toBe(
          'input.range: element 0 is not below the BN254 scalar order',
        );
      }
    });

    it('hashes 1 to 16 elements like circomlib', () => {
      for (const row of HASHES) expect(hex(core.poseidon(words(row.inputs)))).toBe(hex(word(row.output)));
    });

    it('hashes many inputs of one arity together like circomlib', () => {
      for (let arity = 1; arity <= MAX_ARITY; arity += 1) {
        const rows = HASHES.filter(({ inputs }) => inputs.length === arity);
        expect(rows.length).toBeGreaterThan(4);
        const many = Array.from(
          { length: 19 },
          (_, index) => rows[index % rows.length] as (typeof rows)[number],
        );
        const hashes = core.poseidonMany(arity, words(many.flatMap(({ inputs }) => inputs)));
        expect(hex(hashes)).toBe(hex(words(many.map(({ output }) => output))));
      }
    });

    it.each(vectors.byte_hash.rows)('hashes bytes: $description', (row) => {
      expect(hex(core.hashBytes(row.tag, bytes(row.input)))).toBe(hex(word(row.output)));
    });

    it('derives keys, signs and verifies as published, and wipes the seed', () => {
      for (const row of vectors.eddsa) {
        const seed = bytes(row.seed_hex);
        const handle = core.createSigningKey(seed);
        expect(seed).toEqual(new Uint8Array(32));
        const publicKey = core.publicKey(handle);
        expect(hex(publicKey)).toBe(hex(words(row.public_key)) + row.public_key_compressed);
        const message = word(row.message);
        const twice = new Uint8Array(Buffer.concat([message, message]));
        expect(hex(core.sign(handle, twice))).toBe(row.signature + row.signature);
        expect(core.verifySignature(publicKey.subarray(64), message, bytes(row.signature))).toBe(true);
        core.releaseSigningKey(handle);
        expect(refusal(() => core.sign(handle, message))).toMatch(/^signing_key\.unknown: /);
      }
    });

    it.each(vectors.eddsa_invalid.rows)('refuses a signature: $why', (row) => {
      const key = bytes(row.public_key_compressed);
      expect(core.verifySignature(key, word(row.message), bytes(row.signature))).toBe(false);
    });

    it('reads from shared memory', () => {
      const shared = new Uint8Array(new SharedArrayBuffer(128)).subarray(32, 96);
      shared.set(counting(2));
      expect(hex(core.poseidon(shared))).toBe(hex(core.poseidon(counting(2))));
    });

    it('refuses invalid input with code and detail', () => {
      const outOfRange = word(vectors.field.P);
      const handle = core.createSigningKey(new Uint8Array(32).fill(7));
      const refused: [() => unknown, RegExp][] = [
        [() => core.poseidon(new Uint8Array(31)), /^input\.count: .*31 bytes$/],
        [() => core.poseidon(outOfRange), /^input\.range: element 0 /],
        [() => core.poseidon(new Uint8Array(17 * 32)), /^input\.count: expected 1 to 16 .*544 bytes$/],
        [() => core.poseidonMany(17, new Uint8Array(17 * 32)), /^input\.count: .*544 bytes$/],
        [() => core.poseidonMany(0, new Uint8Array(0)), /^input\.count: .*0 bytes$/],
        [() => core.poseidonMany(2, new Uint8Array(96)), /^input\.count: .*96 bytes$/],
        [() => core.poseidonMany(1, outOfRange), /^input\.range: element 0 /],
        [() => core.poseidon2(5, new Uint8Array(160)), /^hash\.width: .*got 5$/],
        [() => core.poseidon2(3, new Uint8Array(95)), /^input\.count: .*95 bytes$/],
        [() => core.hashBytes('CLAIMS_HASH_V1', new Uint8Array(0)), /^hash\.empty: /],
        [() => core.createSigningKey(new Uint8Array(31)), /^signing_key\.length: .*got 31$/],
        [() => core.publicKey(4_000_000_000), /^signing_key\.unknown: /],
        [() => core.sign(handle, new Uint8Array(33)), /^input\.count: .*33 bytes$/],
        [() => core.sign(handle, outOfRange), /^input\.range: element 0 /],
        [() => core.prepareKey(new Uint8Array(100)), /^key\.length: .*got 100$/],
        [() => core.keyFaults(new Uint8Array(100)), /^key\.length: .*got 100$/],
        [
          () => core.verifyBatch(4_000_000_000, new Uint8Array(256), new Uint8Array(32).fill(1)),
          /^key\.unknown: /,
        ],
      ];
      for (const [call, expected] of refused) expect(refusal(call)).toMatch(expected);
      core.releaseSigningKey(handle);
    });

    it('answers false for keys and messages of a wrong length', () => {
      const row = vectors.eddsa[0] as Vectors['eddsa'][number];
      const [key, message, signature] = [
        bytes(row.public_key_compressed),
        word(row.message),
        bytes(row.signature),
      ];
      expect(core.verifySignature(key, message, signature)).toBe(true);
      expect(core.verifySignature(key.subarray(1), message, signature)).toBe(false);
      expect(core.verifySignature(key, message.subarray(1), signature)).toBe(false);
      expect(core.verifySignature(new Uint8Array(0), new Uint8Array(0), new Uint8Array(0))).toBe(false);
    });
  });
}

describeExports('the addon', findNative());
for (const arithmetic of WASM_ARITHMETICS) {
  const found = findWasm(arithmetic);
  describeExports(`the module ${arithmetic}`, found);
  it.skipIf('reason' in found)(`of ${arithmetic} supports only the arithmetic of its name`, async () => {
    if ('reason' in found) return;
    const core = loadBackend(found).functions;
    expect(core.arithmetic()).toBe(arithmetic);
    const names = [...WASM_ARITHMETICS, 'portable', 'ifma', 'none'];
    const taken = names.filter((name) => refusal(() => core.selectArithmetic(name)) === 'no refusal');
    expect(taken).toEqual([arithmetic]);
    expect(core.arithmetic()).toBe(arithmetic);
  });
}
