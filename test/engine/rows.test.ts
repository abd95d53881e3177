import { describe, expect, it } from 'vitest';
import { RowArenas } from '../../src/engine/rows.ts';

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('rows in which proofs wait', () => {
  it('holds proof and inputs side by side, apart from the bytes of their owner', () => {
    const [proof, inputs] = [filled(256, 1), filled(128, 2)];
    const row = new RowArenas().forInputs(4).take(proof, inputs);
    proof.fill(9);
    inputs.fill(9);
    expect(row).toEqual(new Uint8Array(Buffer.concat([filled(256, 1), filled(128, 2)])));
  });

  it('takes keys of any size, grows when many proofs wait, and uses rows again', () => {
    const arenas = new RowArenas();
    for (const count of [0, 1, 4, 17, 1024]) {
      const arena = arenas.forInputs(count);
      const rows = Array.from({ length: 100 }, (_, value) =>
        arena.take(filled(256, value), filled(count * 32, value)),
      );
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => 256 + count * 32));
      expect(rows.every((row, value) => row.every((byte) => byte === value))).toBe(true);
      const known = new Set(rows);
      for (const row of rows) arena.giveBack(row);
      const again = rows.map(() => arena.take(filled(256, 5), filled(count * 32, 5)));
      expect(new Set(again)).toEqual(known);
    }
    expect(arenas.forInputs(4)).toBe(arenas.forInputs(4));
  });
});
