import { describe, expect, it } from 'vitest';
import { SlotArena, SlotArenas, TaskSlots } from '../../src/engine/slots.ts';

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

describe('slots of the engine', () => {
  it('carries proof and inputs to a worker and the verdict back', () => {
    const arena = new SlotArena(4);
    const slots = [1, 2, 3].map((value) => arena.take(filled(256, value), filled(128, value + 100)));
    const chunk = slots[0]?.chunk.buffer as SharedArrayBuffer;
    const task = new TaskSlots(
      [chunk],
      slots.flatMap(({ index }) => [0, index]),
      arena.stride,
      4,
    );
    expect(task.batch).toEqual(
      new Uint8Array(
        Buffer.concat([1, 2, 3].flatMap((value) => [filled(256, value), filled(128, value + 100)])),
      ),
    );
    expect(slots.map((slot) => arena.verdictByte(slot))).toEqual([undefined, undefined, undefined]);
    task.answer(Uint8Array.of(0, 1, 6));
    expect(slots.map((slot) => arena.verdictByte(slot))).toEqual([0, 1, 6]);
  });

  it('copies the bytes once: later changes of shared memory do not reach the worker', () => {
    const arena = new SlotArena(4);
    const slot = arena.take(filled(256, 7), filled(128, 7));
    const task = new TaskSlots([slot.chunk.buffer], [0, slot.index], arena.stride, 4);
    slot.chunk.bytes.fill(9);
    expect(task.batch).toEqual(filled(384, 7));
  });

  it('drops a late verdict when the slot serves another proof', () => {
    const arena = new SlotArena(4);
    const slot = arena.take(filled(256, 1), filled(128, 1));
    const late = new TaskSlots([slot.chunk.buffer], [0, slot.index], arena.stride, 4);
    arena.giveBack(slot);
    const again = arena.take(filled(256, 2), filled(128, 2));
    expect(again).toBe(slot);
    late.answer(Uint8Array.of(0));
    expect(arena.verdictByte(again)).toBeUndefined();
  });

  it('takes keys of any size from 0 to 1024 inputs, and grows when many proofs wait', () => {
    const arenas = new SlotArenas();
    for (const count of [0, 1, 4, 5, 16, 17, 1024]) {
      const arena = arenas.forInputs(count);
      const slots = Array.from({ length: 40 }, (_, value) =>
        arena.take(filled(256, value), filled(count * 32, value)),
      );
      const chunks = [...new Set(slots.map(({ chunk }) => chunk.buffer))];
      const pairs = slots.flatMap(({ chunk, index }) => [chunks.indexOf(chunk.buffer), index]);
      const { batch } = new TaskSlots(chunks, pairs, arena.stride, count);
      const size = 256 + count * 32;
      expect(
        slots.map((_, index) =>
          batch.subarray(index * size, (index + 1) * size).every((byte) => byte === index),
        ),
      ).toEqual(slots.map(() => true));
      expect(
        new Set(pairs.map((_, at) => pairs.slice(at, at + 2).join()).filter((_, at) => at % 2 === 0)).size,
      ).toBe(40);
    }
    expect(arenas.forInputs(1)).toBe(arenas.forInputs(4));
    expect(() => arenas.forInputs(1025)).toThrow(RangeError);
  });

  it('refuses a number of verdicts that is not the number of proofs', () => {
    const arena = new SlotArena(4);
    const slot = arena.take(filled(256, 1), filled(128, 1));
    const task = new TaskSlots([slot.chunk.buffer], [0, slot.index], arena.stride, 4);
    expect(() => task.answer(Uint8Array.of(0, 0))).toThrow('1 proofs got 2 verdicts');
    expect(arena.verdictByte(slot)).toBeUndefined();
  });
});
