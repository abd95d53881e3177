import { describe, expect, it } from 'vitest';
import { arkworksInputs, arkworksKey, arkworksProof } from '../../../src/groth16/forms/arkworks.ts';
import { count, join } from '../../support/forms/bytes.ts';
import * as keys from '../../support/forms/keys.ts';
import * as proofs from '../../support/forms/proofs.ts';
import { KEY, TRUE_STATEMENT } from '../../support/forms/statement.ts';

const { proof, publicSignals } = TRUE_STATEMENT;
const EXPECTED = keys.keyBytes(KEY);
const STYLES = [false, true].map((isCompressed) => ({ tool: 'arkworks', isCompressed }) as const);

describe.each(STYLES)('bytes of arkworks, compressed: $isCompressed', (style) => {
  const { isCompressed } = style;
  const written = keys.arkworksKey(KEY, isCompressed);
  const countAt = isCompressed ? 224 : 448;

  it('are a key, with or without what is prepared', () => {
    expect(arkworksKey(written, isCompressed)).toEqual(EXPECTED);
    for (const lines of [
      [0, 0],
      [1, 2],
      [103, 103],
    ] as const)
      expect(arkworksKey(join(written, keys.processedTail(lines)), isCompressed)).toEqual(EXPECTED);
  });

  it('are no key of another length', () => {
    for (const tail of [
      new Uint8Array(1),
      keys.processedTail().slice(1),
      join(keys.processedTail(), Uint8Array.of(0)),
    ])
      expect(arkworksKey(join(written, tail), isCompressed)).toBeUndefined();
    for (const length of [0, 8, countAt, countAt + 8, written.length - 1])
      expect(arkworksKey(written.slice(0, length), isCompressed)).toBeUndefined();
  });

  it('are no key with another count, and refused with too many', () => {
    for (const value of [0, 3, 5, 2 ** 32]) {
      const changed = written.slice();
      changed.set(count(value, 'arkworks'), countAt);
      expect(arkworksKey(changed, isCompressed)).toBeUndefined();
    }
    const many = { ...KEY, IC: Array.from({ length: 1026 }, () => KEY.IC[0] ?? (['1', '2', '1'] as const)) };
    expect(() => arkworksKey(keys.arkworksKey(many, isCompressed), isCompressed)).toThrow(
      expect.objectContaining({ code: 'key.input_count', path: 'gamma_abc_g1' }),
    );
  });

  it('are a proof', () => {
    expect(arkworksProof(proofs.binaryProof(proof, style))).toEqual(proofs.proofBytes(proof));
  });

  it('name the first wrong point', () => {
    const bytes = proofs.binaryProof(proof, style);
    const last = bytes.length / 4 - 1;
    for (const [flags, code] of [
      [0xc0, 'proof.form'],
      [0x3f, 'proof.coordinate_range'],
    ] as const) {
      const changed = bytes.slice();
      changed[last] = flags;
      expect(() => arkworksProof(changed)).toThrow(expect.objectContaining({ code, path: 'a' }));
    }
    const infinite = bytes.slice().fill(0, bytes.length * 0.75);
    infinite[infinite.length - 1] = 0x40;
    expect(arkworksProof(infinite).subarray(192)).toEqual(new Uint8Array(64));
    infinite[infinite.length - 2] = 1;
    expect(() => arkworksProof(infinite)).toThrow(/^c: expected zeros/);
  });
});

describe('public inputs of arkworks', () => {
  it('are words after their number', () => {
    const bytes = proofs.arkworksInputs(publicSignals);
    expect(arkworksInputs(bytes)).toEqual(proofs.signalBytes(publicSignals));
    for (const wrong of [bytes.slice(0, -1), bytes.slice(0, -32), bytes.slice(0, 7), bytes.slice(8)])
      expect(arkworksInputs(wrong)).toBeUndefined();
  });
});
