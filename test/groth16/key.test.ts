import { describe, expect, it } from 'vitest';
import { findKey, keyOfFound, readKey } from '../../src/groth16/key.ts';
import { KEY_FORMS, keyBytes, packedKeys, withPoints } from '../support/forms/keys.ts';
import { KEY, OTHER_KEY } from '../support/forms/statement.ts';
import { WRONG_KEYS } from '../support/forms/wrong.ts';

const EXPECTED = keyBytes(KEY);

/** A word whose first bytes are a count of gnark. */
function keyWithCount(count: number): Uint8Array {
  // IC₁ begins where gnark has the number of its points; x of a point of G1 with such first bytes.
  const IC = [KEY.IC[0], KEY.IC[1], KEY.IC[2], KEY.IC[3]].map((point) => point ?? KEY.IC[0]);
  const bytes = keyBytes({ ...KEY, IC: IC.filter((point) => point !== undefined) });
  bytes.set([0, 0, 0, count], 576);
  return bytes;
}

describe('a key', () => {
  it.each(KEY_FORMS)('is read: $name', ({ write, form, options }) => {
    expect(readKey(write(KEY), options)).toEqual({ form, key: EXPECTED, inputCount: 3 });
  });

  it.each(WRONG_KEYS)('is refused: $name', ({ value, code, message }) => {
    expect(() => readKey(value)).toThrow(
      expect.objectContaining({ name: 'FormError', code, message: expect.stringMatching(message) }),
    );
  });

  it.each([0, 1, 2, 3, 4])('in bytes is none of gnark though a point begins as the count %i', (count) => {
    // The changed point is none of the curve, which is said of a key in bytes.
    expect(() => readKey(keyWithCount(count))).toThrow(
      expect.objectContaining({ code: 'key.point_not_on_curve', path: 'IC[2]' }),
    );
  });

  it('is a copy of the bytes', () => {
    const bytes = EXPECTED.slice();
    const { key } = readKey(bytes);
    bytes.fill(0);
    expect(key).toEqual(EXPECTED);
  });

  it('may have a point of IC at infinity, but none of the others', () => {
    const infinite = { ...KEY, IC: [KEY.IC[0], ['0', '1', '0'], ...KEY.IC.slice(2)] };
    expect(readKey(infinite).key.subarray(512, 576)).toEqual(new Uint8Array(64));
    for (const member of ['vk_beta_2', 'vk_gamma_2', 'vk_delta_2'])
      expect(() => readKey({ ...KEY, [member]: [...KEY.vk_beta_2.slice(0, 2), ['0', '0']] })).toThrow(
        expect.objectContaining({ code: 'key.point_at_infinity', path: member }),
      );
  });

  it('of a file of several is that of the depth', () => {
    expect(readKey(packedKeys(KEY), { depth: 1 }).inputCount).toBe(OTHER_KEY.nPublic);
    for (const depth of [undefined, 0, 3, -1])
      expect(() => readKey(packedKeys(KEY), { depth })).toThrow(/depths 1 to 2/);
  });

  it('has its labels ignored where snarkjs ignores them', () => {
    const mislabelled = { ...KEY, protocol: 'plonk', nPublic: 7 };
    expect(readKey(mislabelled, { isLax: true }).key).toEqual(EXPECTED);
    expect(() => readKey({ ...KEY, curve: 'bls12381' }, { isLax: true })).toThrow(/curve: /);
  });

  it.each(['bn128-', `bn128${'-'.repeat(59)}`])('has a curve with punctuation: %s', (curve) => {
    expect(readKey({ ...KEY, curve }).key).toEqual(EXPECTED);
  });

  it.each([`bn128${'-'.repeat(59)}x`, `bn128${'-'.repeat(60)}`, 'bn256', '', 5, {}])(
    'has no curve %j',
    (curve) => {
      expect(() => readKey({ ...KEY, curve })).toThrow(expect.objectContaining({ code: 'key.protocol' }));
    },
  );

  it('names the first four of many faults', () => {
    const wrong = withPoints(KEY, ([x]) => [x, x]);
    expect(() => readKey(wrong)).toThrow(/^vk_alpha_1: (?:.* also ){4}4 more$/);
  });

  it('is found before its numbers are read', () => {
    const found = findKey({ ...KEY, vk_alpha_1: ['x', 'y'] });
    expect(found.form).toBe('snarkjs');
    expect(() => keyOfFound(found)).toThrow(/vk_alpha_1\[0\]: .*got "x"; also vk_alpha_1|vk_alpha_1\[0\]/);
  });
});
