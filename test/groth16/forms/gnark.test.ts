import { describe, expect, it } from 'vitest';
import {
  gnarkBinaryKey,
  gnarkBinaryProof,
  gnarkJsonKey,
  gnarkJsonProof,
  gnarkWitness,
  isGnarkCompressed,
} from '../../../src/groth16/forms/gnark.ts';
import { pointBytes } from '../../../src/groth16/found.ts';
import { count, join } from '../../support/forms/bytes.ts';
import * as keys from '../../support/forms/keys.ts';
import * as proofs from '../../support/forms/proofs.ts';
import { KEY, TRUE_STATEMENT } from '../../support/forms/statement.ts';

const { proof, publicSignals } = TRUE_STATEMENT;
const CODES = { form: 'proof.form', range: 'proof.coordinate_range' } as const;
const STYLES = [false, true].map((isCompressed) => ({ tool: 'gnark', isCompressed }) as const);

describe.each(STYLES)('bytes of gnark, compressed: $isCompressed', (style) => {
  const { isCompressed } = style;
  const key = keys.gnarkKey(KEY, isCompressed);
  const points = proofs.binaryProof(proof, style);

  it('are a key of either layout', () => {
    expect(gnarkBinaryKey(key, isCompressed)).toEqual(keys.keyBytes(KEY));
    expect(gnarkBinaryKey(key.slice(0, -8), isCompressed)).toEqual(keys.keyBytes(KEY));
  });

  it('are no key of another length or count', () => {
    const countAt = isCompressed ? 288 : 576;
    for (const length of [0, countAt, countAt + 4, key.length - 1, key.length - 7, key.length - 9])
      expect(gnarkBinaryKey(key.slice(0, length), isCompressed), String(length)).toBeUndefined();
    for (const value of [5, 1000, 2 ** 31, 2 ** 32 - 1]) {
      const changed = key.slice();
      changed.set(count(value, 'gnark'), countAt);
      expect(gnarkBinaryKey(changed, isCompressed)).toBeUndefined();
    }
    const none = keys.gnarkKey({ ...KEY, IC: [] }, isCompressed, new Uint8Array(isCompressed ? 40 : 72));
    expect(gnarkBinaryKey(none, isCompressed)).toBeUndefined();
  });

  it('are refused with commitments', () => {
    const tail = join(count(1, 'gnark'), count(0, 'gnark'), count(1, 'gnark'), new Uint8Array(300));
    expect(() => gnarkBinaryKey(keys.gnarkKey(KEY, isCompressed, tail), isCompressed)).toThrow(
      expect.objectContaining({ code: 'key.protocol', message: expect.stringContaining('Pedersen') }),
    );
    for (const commitments of [1, 2, 9])
      expect(() =>
        gnarkBinaryProof(join(points, proofs.gnarkTail(commitments, isCompressed)), isCompressed),
      ).toThrow(
        expect.objectContaining({ code: 'proof.form', message: expect.stringContaining('Pedersen') }),
      );
  });

  it('are a proof of either layout', () => {
    const expected = proofs.proofBytes(proof);
    const tail = proofs.gnarkTail(0, isCompressed);
    for (const bytes of [points, join(points, tail)])
      expect(gnarkBinaryProof(bytes, isCompressed)).toEqual(expected);
    for (const bytes of [points.slice(1), join(points, tail.slice(1)), join(points, tail, Uint8Array.of(0))])
      expect(gnarkBinaryProof(bytes, isCompressed)).toBeUndefined();
    expect(isGnarkCompressed(points)).toBe(isCompressed);
  });

  it('name a point with wrong flags', () => {
    const changed = points.slice();
    const at = isCompressed ? 32 : 64;
    changed[at] = isCompressed ? (changed[at] ?? 0) & 0x3f : (changed[at] ?? 0) | 0x80;
    expect(() => gnarkBinaryProof(changed, isCompressed)).toThrow(
      expect.objectContaining({ code: 'proof.form', path: 'Bs' }),
    );
  });
});

describe('JSON of gnark', () => {
  it('names its members', () => {
    const found = gnarkJsonProof(proofs.gnarkJsonProof(proof) as Record<string, unknown>);
    expect(pointBytes(found, CODES)).toEqual(proofs.proofBytes(proof));
    expect(found.nameOf(1, 1, 0)).toBe('Bs.Y.A0');
    expect(found.nameOf(2, 0, 0)).toBe('Krs.X');
    const key = gnarkJsonKey(keys.gnarkJsonKey(KEY) as Record<string, unknown>);
    expect([key.nameOf(0, 0, 0), key.nameOf(3, 0, 1), key.nameOf(5, 1, 0)]).toEqual([
      'G1.Alpha.X',
      'G2.Delta.X.A1',
      'G1.K[1].Y',
    ]);
  });

  it.each([
    [{ Ar: 5 }, 'Ar'],
    [{ Ar: { X: 1, Y: 2 }, Bs: { X: [] } }, 'Bs.X'],
    [{ Ar: { X: 1, Y: 2 }, Bs: { X: {}, Y: {} } }, 'Krs'],
  ])('is no proof: %j', (value, path) => {
    expect(() => gnarkJsonProof(value)).toThrow(expect.objectContaining({ code: 'proof.form', path }));
  });

  it.each([
    [{}, 'G1'],
    [{ G1: {} }, 'G2'],
    [{ G1: {}, G2: {} }, 'G1.Alpha'],
  ])('is no key: %j', (value, path) => {
    expect(() => gnarkJsonKey(value)).toThrow(expect.objectContaining({ code: 'key.not_json', path }));
  });

  it.each([0, 1026])('has no key of %i points', (length) => {
    const key = { ...KEY, IC: Array.from({ length }, () => ['1', '2', '1'] as const) };
    expect(() => gnarkJsonKey(keys.gnarkJsonKey(key) as Record<string, unknown>)).toThrow(
      expect.objectContaining({ code: 'key.input_count', path: 'G1.K' }),
    );
  });
});

describe('a public witness of gnark', () => {
  it('has public values only', () => {
    const bytes = proofs.gnarkWitness(publicSignals);
    expect(gnarkWitness(bytes)).toEqual(proofs.signalBytes(publicSignals));
    for (const at of [3, 7, 11]) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) + 1;
      expect(gnarkWitness(changed)).toBeUndefined();
    }
    for (const wrong of [bytes.slice(0, 11), bytes.slice(0, -1), bytes.slice(0, -32)])
      expect(gnarkWitness(wrong)).toBeUndefined();
  });
});
