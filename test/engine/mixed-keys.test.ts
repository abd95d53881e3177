// Rules: spec/engine.md#batching, spec/engine.md#order-and-fairness and spec/engine.md#suspected-sources
import { beforeAll, expect, it } from 'vitest';
import type { ProofSource, Verdict } from '../../src/engine/engine.ts';
import { describeEngine } from './support/describe-engine.ts';
import { depthKey, PROOFS } from './support/vectors.ts';
import { WORLDID4_KEYS, WORLDID4_PROOFS } from './support/worldid4-vectors.ts';

const MAX_BATCH = 8;
const GOOD = { address: '192.0.2.1', app: 'app' };
const BAD = { address: '198.51.100.1', app: 'app' };
const MIXED = { address: '203.0.113.1', app: 'app' };

interface Item {
  readonly keyId: string;
  readonly proof: Uint8Array;
  readonly inputs: Uint8Array;
  readonly expected: Verdict;
}

const VALID: Verdict = { ok: true };
const FALSE: Verdict = { ok: false };
const OUT_OF_RANGE: Verdict = { ok: false, code: 'input.range' };
const NO_POINT: Verdict = { ok: false, code: 'proof.decompression' };

/** True proofs of World ID 3.0, with 4 inputs. */
const OF_3: readonly Item[] = PROOFS.filter(({ keyId }) => keyId === 'depth30').map((row) => ({
  ...row,
  expected: VALID,
}));
/** True proofs of World ID 4.0, with 15 inputs. */
const OF_4: readonly Item[] = WORLDID4_PROOFS.filter(
  ({ keyId, isValid }) => keyId === 'trapdoor-15' && isValid,
).map((row) => ({ ...row, expected: VALID }));

const at = (items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** The item with another lowest bit in its last input. */
function withInputChanged({ inputs, ...item }: Item): Item {
  const changed = Uint8Array.from(inputs);
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
  return { ...item, inputs: changed, expected: FALSE };
}

const withLastInput = (item: Item, fill: number): Item => {
  const inputs = Uint8Array.from(item.inputs).fill(fill, item.inputs.length - 32);
  return { ...item, inputs, expected: OUT_OF_RANGE };
};

const withoutPoint = (item: Item): Item => ({
  ...item,
  proof: new Uint8Array(256).fill(0xff, 0, 32),
  expected: NO_POINT,
});

describeEngine(
  'proofs of World ID 3.0 and 4.0 side by side',
  (engine) => {
    beforeAll(async () => {
      await engine().registerKey('depth30', depthKey(30));
      for (const keyId of ['worldid4', 'trapdoor-15'] as const)
        await engine().registerKey(keyId, WORLDID4_KEYS[keyId]);
    });

    const verify = ({ keyId, proof, inputs }: Item, source?: ProofSource): Promise<Verdict> =>
      engine().verify(keyId, proof, inputs, source ? { source } : {});

    const verifyAll = async (items: readonly Item[], source: ProofSource): Promise<void> => {
      const verdicts = await Promise.all(items.map((item) => verify(item, source)));
      expect(verdicts).toEqual(items.map(({ expected }) => expected));
    };

    it('get their own verdicts in one turn of the event loop, and a bad one changes no other', async () => {
      const pairs = Array.from({ length: 16 }, (_, index) => [at(OF_3, index), at(OF_4, index)] as const);
      const bad = [OF_3, OF_4].flatMap((items) => [
        withInputChanged(at(items, 1)),
        withLastInput(at(items, 2), 0xff),
        withoutPoint(at(items, 3)),
      ]);
      const ofOthers = WORLDID4_PROOFS.filter(({ keyId }) => keyId === 'worldid4').map((row) => ({
        ...row,
        expected: VALID,
      }));
      await verifyAll([...pairs.slice(0, 8).flat(), ...bad, ...pairs.slice(8).flat(), ...ofOthers], MIXED);
      expect(engine().stats()).toMatchObject({ queueDepth: 0, running: 0, poisoned: 0 });
    });

    it('are refused with the number of inputs of the other protocol', async () => {
      const [of3, of4] = [at(OF_3, 0), at(OF_4, 0)];
      const verdicts = await Promise.all([
        verify({ ...of3, inputs: of4.inputs }),
        verify({ ...of4, inputs: of3.inputs }),
      ]);
      expect(verdicts).toEqual([1, 2].map(() => ({ ok: false, code: 'input.count' })));
    });

    it.each([
      ['4.0', '3.0', OF_4, OF_3],
      ['3.0', '4.0', OF_3, OF_4],
    ])('a flood of %s delays a proof of %s by a few batches only', async (_flood, _other, many, few) => {
      const flood = Array.from({ length: 12 * MAX_BATCH }, (_, index) => at(many, index));
      let answered = 0;
      const answers = flood.map(async (item) => {
        expect(await verify(item)).toEqual(item.expected);
        answered += 1;
      });
      await Promise.race(answers);
      const before = answered;
      expect(await verify(at(few, 0))).toEqual(VALID);
      // the rest of the first batch, one that runs, one that is ready, one whose turn is before, and one that ended
      // before the main thread looked
      expect(answered - before).toBeLessThanOrEqual(5 * MAX_BATCH);
      await Promise.all(answers);
    });

    it('of a source that sent false ones are kept apart under both keys, and break no batch of others', async () => {
      const { brokenBatches } = engine().stats();
      await verifyAll([withInputChanged(at(OF_4, 0)), at(OF_4, 1)], BAD);
      expect(engine().stats().brokenBatches).toBe(brokenBatches + 1);
      const batches = async (): Promise<number> => {
        const before = engine().stats().batchSize.count;
        await Promise.all([
          ...[OF_3, OF_4].map((items) => verifyAll([at(items, 0), at(items, 1)], GOOD)),
          ...[OF_3, OF_4].map((items) => verifyAll([withInputChanged(at(items, 2)), at(items, 3)], BAD)),
        ]);
        return engine().stats().batchSize.count - before;
      };
      // those of a suspect are as long as the machine is fast
      expect(await batches()).toBeGreaterThanOrEqual(4);
      expect(engine().stats().brokenBatches).toBe(brokenBatches + 1);
    });
  },
  { workers: 1, maxBatch: MAX_BATCH },
);
