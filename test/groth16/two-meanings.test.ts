/** What could be read as another statement than the caller means is refused, or has one reading in every interface. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pointAtX } from '../../src/groth16/curve.ts';
import { gnarkBinaryProof, isGnarkCompressed } from '../../src/groth16/forms/gnark.ts';
import { readProof } from '../../src/groth16/proof.ts';
import { readStatement } from '../../src/groth16/statement.ts';
import { risc0Signals } from '../../src/groth16/zkvm/risc0.ts';
import { semaphoreSignals } from '../../src/groth16/zkvm/semaphore4.ts';
import type { GnarkDocument } from '../interop/support/groth16-tools.ts';
import { type Fp2, multiplyTwist, power } from '../support/crypto/curve-reference.ts';
import { g1Bytes, g2Bytes } from '../support/forms/bytes.ts';
import { type Interface, startInterfaces } from '../support/forms/interfaces.ts';
import { KEY, TRUE_STATEMENT } from '../support/forms/statement.ts';
import { RISC0, SEMAPHORE4, SP1 } from './zkvm/support/vectors.ts';

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/forms/${name}.json`, import.meta.url), 'utf8')) as T;
}

const { circuits } = read<GnarkDocument>('gnark');
/** A circuit with one public signal, for which the first proof has a small one. */
const circuit = circuits[0] as GnarkDocument['circuits'][number];
const made = circuit.proofs[0] as GnarkDocument['circuits'][number]['proofs'][number];
const { proof, publicSignals } = TRUE_STATEMENT;
/** Enough for points with any first bits. */
const NUMBERS = Array.from({ length: 200 }, (_, index) => BigInt(index + 2));

/** Bytes of one number below r that are the JSON of the true signal as well. */
const LISTS: readonly [string, Uint8Array][] = [
  ['UTF-8', Buffer.from(`[${made.signals[0]}]`.padStart(16).padEnd(32))],
  ['UTF-16', Buffer.from(`[${made.signals[0]}]`.padEnd(16), 'utf16le').swap16()],
].map(([name, bytes]) => [String(name), new Uint8Array(bytes as Buffer)]);

let interfaces: readonly Interface[] = [];

beforeAll(async () => {
  interfaces = await startInterfaces();
});

afterAll(async () => {
  await Promise.all(interfaces.map((one) => one.close()));
});

const code = (expected: string): unknown => expect.objectContaining({ code: expected });

describe('a number whose bytes are a list in JSON', () => {
  it.each(LISTS)('is that number and no list: %s', async (_, bytes) => {
    const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    for (const one of interfaces) {
      const { keyId } = await one.addKey(circuit.key.json);
      expect((await one.verify(made.json, made.signals, keyId)).verdict, one.name).toBe('valid');
      // Over HTTP, bytes are hex digits; a list in JSON is one.
      for (const signals of [
        [String(number)],
        one.name === 'HTTP' ? `0x${number.toString(16).padStart(64, '0')}` : bytes,
      ])
        expect((await one.verify(made.json, signals, keyId)).verdict, one.name).not.toBe('valid');
    }
  });
});

it('a number whose bytes only begin as JSON is a number', () => {
  const bytes = new Uint8Array(Buffer.from(' [no JSON'.padEnd(32, 'x')));
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  expect(readStatement(made.json, bytes, 1)).toEqual(readStatement(made.json, [number], 1));
});

describe('a claim', () => {
  it('of Semaphore has members of one version', () => {
    const [vector] = SEMAPHORE4;
    if (vector === undefined) throw new Error('expected a vector');
    const { nullifier, message, scope } = vector.proof;
    const old = { nullifierHash: nullifier, signal: message, externalNullifier: scope };
    const mixed = { ...vector.proof, nullifier: '1', message: '2', scope: '3', ...old };
    expect(() => semaphoreSignals(mixed)).toThrow(code('input.form'));
    expect(() => readStatement({ points: vector.proof.points }, mixed, 4)).toThrow(code('input.form'));
    expect(() => readStatement(mixed, undefined, 4)).toThrow(code('input.form'));
  });

  it('of RISC Zero has a digest or what it follows from, and the parameters of its release', () => {
    const [vector] = RISC0;
    if (vector === undefined) throw new Error('expected a vector');
    const { seal, imageId, journal } = vector;
    const word = `0x${'ab'.repeat(32)}`;
    expect(readStatement(seal, { imageId, journal }, 5).form).toBe('selector-bytes');
    for (const more of [
      { claimDigest: word },
      { controlRoot: word, bn254ControlId: `0x${'00'.repeat(32)}` },
      { bn254ControlId: `0x${'00'.repeat(32)}` },
      { vkeyHash: word },
      { nullifier: '1' },
    ])
      expect(() => readStatement(seal, { imageId, journal, ...more }, 5)).toThrow(code('input.form'));
    const release = { seal, controlRoot: word, bn254ControlId: word };
    expect(() => risc0Signals({ imageId, journal }, release)).toThrow(code('input.form'));
  });

  it('may be a text or the bytes of a file, but not bytes that are numbers as well', () => {
    const [vector] = RISC0;
    if (vector === undefined) throw new Error('expected a vector');
    const { seal, imageId, journal } = vector;
    const text = JSON.stringify({ imageId, journal });
    const file = new Uint8Array(Buffer.from(text));
    const expected = readStatement(seal, { imageId, journal }, 5);
    expect(readStatement(seal, text, 5)).toEqual(expected);
    expect(readStatement(seal, file, 5)).toEqual(expected);
    const padded = new Uint8Array(Buffer.from(' {"imageId":"0x00"}'.padEnd(5 * 32)));
    expect(() => readStatement(seal, padded, 5)).toThrow(/ambiguous/);
  });

  it('of SP1 has no member of another system, and may be an object of a class', () => {
    const [vector] = SP1;
    if (vector === undefined) throw new Error('expected a vector');
    const { proof: bytes, vkeyHash, publicValues } = vector;
    class Claim {
      get vkeyHash(): string {
        return vkeyHash;
      }
      get publicValues(): string {
        return publicValues;
      }
    }
    expect(readStatement(bytes, new Claim(), 2)).toEqual(readStatement(bytes, { vkeyHash, publicValues }, 2));
    expect(() => readStatement(bytes, { vkeyHash, publicValues, imageId: vkeyHash }, 2)).toThrow(
      code('input.form'),
    );
  });
});

describe('public signals that come with a proof', () => {
  it.each<[string, object]>([
    ['two lists', { proof, publicSignals, inputs: publicSignals }],
    ['another list beside the points of snarkjs', { ...proof, publicSignals: ['9', '9', '9'] }],
    ['lists in and beside the proof', { proof: { ...proof, inputs: publicSignals }, publicSignals }],
  ])('are refused: %s', async (_, source) => {
    for (const one of interfaces)
      expect((await one.verify(source, publicSignals)).verdict, one.name).toBe('input.form');
  });

  it('count beside the points as well, and null is none', async () => {
    for (const one of interfaces.filter(({ namesForm }) => namesForm)) {
      expect((await one.verify({ ...proof, publicSignals }, undefined)).verdict, one.name).toBe('valid');
      const other = { proof, publicSignals: null };
      expect((await one.verify(other, publicSignals)).verdict, one.name).toBe('valid');
    }
  });
});

describe('128 bytes', () => {
  it('of arkworks that decompress as those of gnark, too, are of arkworks', () => {
    const base = new Uint8Array(Buffer.from(made.compressed, 'hex')).slice(0, 128);
    const style = { tool: 'arkworks', isCompressed: true } as const;
    const mixed = base.slice();
    // Each point apart: together they are too rare.
    const put = (start: number, points: Iterable<Uint8Array>): void => {
      for (const bytes of points) {
        const changed = base.slice();
        changed.set(bytes, start);
        if (!isGnark(changed)) continue;
        mixed.set(bytes, start);
        return;
      }
    };
    const g1 = NUMBERS.flatMap((number) => {
      const point = pointAtX(power(7n, number), true);
      return point ? [g1Bytes([String(point.x), String(point.y)], style)] : [];
    });
    const [x, y] = KEY.vk_gamma_2.map((pair) => pair.map(BigInt)) as unknown as [Fp2, Fp2];
    const g2 = NUMBERS.flatMap((number) => {
      const point = multiplyTwist({ x, y }, number);
      return point ? [g2Bytes([point.x.map(String), point.y.map(String)] as never, style)] : [];
    });
    put(0, g1);
    put(32, g2);
    put(96, g1);
    expect(isGnark(mixed)).toBe(true);
    expect(readProof(mixed).form).toBe('arkworks-compressed');
    expect(readProof(base).form).toBe('gnark-compressed');
  });
});

function isGnark(bytes: Uint8Array): boolean {
  if (!isGnarkCompressed(bytes)) return false;
  try {
    return gnarkBinaryProof(bytes, true) !== undefined;
  } catch {
    return false;
  }
}
