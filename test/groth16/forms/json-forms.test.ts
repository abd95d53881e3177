import { describe, expect, it } from 'vitest';
import { isPackedKey, packedKey } from '../../../src/groth16/forms/semaphore.ts';
import {
  checkCurve,
  checkProtocol,
  checkStatedInputs,
  snarkjsKey,
  snarkjsProof,
} from '../../../src/groth16/forms/snarkjs.ts';
import {
  eightNumbers,
  isEightNumbers,
  solidityArguments,
  solidityObject,
} from '../../../src/groth16/forms/solidity.ts';
import { garagaProof, structKey } from '../../../src/groth16/forms/structs.ts';
import { checkScheme, zokratesKey } from '../../../src/groth16/forms/zokrates.ts';
import type { PointCollector } from '../../../src/groth16/found.ts';
import * as keys from '../../support/forms/keys.ts';
import * as proofs from '../../support/forms/proofs.ts';
import { KEY, OTHER_KEY, TRUE_STATEMENT } from '../../support/forms/statement.ts';

const { proof } = TRUE_STATEMENT;
const asObject = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;
/** The names of all parts of the first coordinates. */
const names = (points: PointCollector): string[] =>
  points.parts.flatMap((parts, point) =>
    Array.from({ length: parts }, (_, part) => points.nameOf(point, 1, part)),
  );

describe('snarkjs', () => {
  it('names the members of a proof and a key', () => {
    expect(names(snarkjsProof(asObject(proof), false))).toEqual([
      'pi_a[1]',
      'pi_b[1][0]',
      'pi_b[1][1]',
      'pi_c[1]',
    ]);
    expect(names(snarkjsKey(asObject(KEY))).slice(5, 9)).toEqual([
      'vk_delta_2[1][0]',
      'vk_delta_2[1][1]',
      'IC[0][1]',
      'IC[1][1]',
    ]);
  });

  it.each([undefined, null, 'groth16', 'Groth16', 'GROTH16'])('has the protocol %s', (protocol) => {
    expect(() => checkProtocol(protocol, 'proof.form')).not.toThrow();
  });

  it.each(['plonk', 'fflonk', 'groth', '', 16, ['groth16']])('has not the protocol %j', (protocol) => {
    expect(() => checkProtocol(protocol, 'key.protocol')).toThrow(/^protocol: expected "groth16", got/);
  });

  it.each([undefined, null, 'bn128', 'BN254', 'bn_128', 'alt_bn128', 'Alt-BN128'])(
    'has the curve %s',
    (curve) => {
      expect(() => checkCurve(curve, 'proof.form')).not.toThrow();
    },
  );

  it.each(['bls12381', 'bls12-381', 'bn', 'secp256k1', 128, ['bn128']])('has not the curve %j', (curve) => {
    expect(() => checkCurve(curve, 'key.protocol')).toThrow(
      /^curve: expected "bn128", also called "bn254", got/,
    );
  });

  it.each([undefined, null, 3, '3', '03'])('has three inputs if it says %j', (stated) => {
    expect(() => checkStatedInputs(stated, 4)).not.toThrow();
  });

  it.each([2, '2', 4, -1, 1025, '', '0x3', ' 3', 3.5, 3n, true])(
    'has not three inputs if it says %s',
    (stated) => {
      expect(() => checkStatedInputs(stated, 4)).toThrow(/^(nPublic|IC): /);
    },
  );
});

describe('Semaphore', () => {
  const file = asObject(keys.packedKeys(KEY));

  it('has keys of several depths in a file', () => {
    expect(isPackedKey(file)).toBe(true);
    for (const one of [KEY, OTHER_KEY, {}, { vk_delta_2: [] }, { vk_delta_2: [[[]]] }, { vk_delta_2: 'x' }])
      expect(isPackedKey(asObject(one))).toBe('vk_delta_2' in one && Array.isArray(one.vk_delta_2[0]?.[0]));
    expect(packedKey(file, 1)).toMatchObject({ vk_delta_2: OTHER_KEY.vk_delta_2, IC: OTHER_KEY.IC });
    expect(packedKey(file, 2)).toMatchObject({ vk_delta_2: KEY.vk_delta_2, IC: KEY.IC });
  });

  it.each([undefined, 0, 3, Number.NaN])('needs a depth that it has, not %s', (depth) => {
    if (Number.isNaN(depth)) expect(packedKey(file, depth).IC).toBeUndefined();
    else expect(() => packedKey(file, depth)).toThrow(/depths 1 to 2: give one/);
  });

  it('has no key where lists are missing', () => {
    expect(() => packedKey({ vk_delta_2: [[[['1']]]] }, 1)).toThrow(/depths 1 to 0/);
  });
});

describe('Solidity', () => {
  it('names its arguments in its own order', () => {
    const [a, b, c] = proofs.solidityArguments(proof);
    expect(names(solidityArguments([a, b, c], ['a', 'b', 'c']))).toEqual([
      'a[1]',
      'b[1][1]',
      'b[1][0]',
      'c[1]',
    ]);
    expect(solidityObject({ a, b, c })).toBeDefined();
    for (const other of [
      { a, b },
      { pA: a, pB: b, c },
      { A: a, B: b, C: c },
    ])
      expect(solidityObject(other)).toBeUndefined();
  });

  it('has eight numbers, by their index', () => {
    const list = proofs.proofWords(proof);
    expect(isEightNumbers(list)).toBe(true);
    for (const other of [list.slice(1), [...list, 1n], [[], ...list.slice(1)]])
      expect(isEightNumbers(other)).toBe(false);
    expect(names(eightNumbers(list, 'points'))).toEqual(['points[1]', 'points[5]', 'points[4]', 'points[7]']);
    expect(eightNumbers(list, '').values.slice(0, 2)).toEqual(list.slice(0, 2));
  });
});

describe('ZoKrates', () => {
  it('names the members of a key', () => {
    const points = zokratesKey(asObject(keys.zokratesKey(KEY)));
    expect(names(points).slice(0, 3)).toEqual(['alpha[1]', 'beta[1][0]', 'beta[1][1]']);
    expect(names(points).at(-1)).toBe('gamma_abc[3][1]');
  });

  it.each(['gm17', 'marlin', 'G16', null, 16])('refuses the scheme %s by its name', (scheme) => {
    expect(() => checkScheme(scheme, 'key.protocol')).toThrow(/^scheme: expected "g16" \(Groth16\), got/);
    expect(() => zokratesKey({ ...asObject(keys.zokratesKey(KEY)), scheme })).toThrow(/^scheme: /);
  });

  it('may have no scheme', () => {
    expect(() => checkScheme(undefined, 'proof.form')).not.toThrow();
  });
});

describe('structs', () => {
  it('name the members of garaga and Solidity in their own orders', () => {
    const garaga = structKey(asObject(keys.garagaKey(KEY)));
    const solidity = structKey(asObject(keys.solidityKey(KEY)));
    expect(garaga && names(garaga.points).slice(0, 3)).toEqual([
      'alpha_g1.y',
      'beta_g2.y[0]',
      'beta_g2.y[1]',
    ]);
    expect(solidity && names(solidity.points).slice(0, 3)).toEqual(['alpha1.y', 'beta2.y[1]', 'beta2.y[0]']);
    expect(structKey({})).toBeUndefined();
    expect(garagaProof({ a: [], b: {}, c: {} })).toBeUndefined();
  });

  it('are looked for once in a member, and not in more points than a key has', () => {
    const own: Record<string, unknown> = {};
    own.verifying_key = own;
    expect(structKey(own)).toBeUndefined();
    const endless = { ...keys.garagaKey(KEY), ic: new Array(2 ** 32 - 1) };
    expect(() => structKey(asObject(endless))).toThrow(
      expect.objectContaining({ code: 'key.input_count', path: 'ic' }),
    );
  });
});
