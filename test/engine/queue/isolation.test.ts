import { expect, it } from 'vitest';
import type { Verdict } from '../../../src/engine/engine.ts';
import { trapdoor } from '../../support/crypto/trapdoor.ts';
import { describeEngine } from '../support/describe-engine.ts';
import { word } from '../support/vectors.ts';

const GOOD = { address: '192.0.2.1', app: 'app' };
const BAD = { address: '192.0.2.2', app: 'app' };
const INPUT = word('7');

describeEngine(
  'a source that sends bad proofs',
  (engine) => {
    it('gets batches of its own until 32 of its proofs were valid, and everyone gets the right answer', async () => {
      const key = await trapdoor(1);
      const [truth, lie] = [key.prove([7n], 3n, 5n), key.prove([7n], 3n, 5n, true)];
      await engine().registerKey('key', key.key);
      /** So many proofs of each source in one turn; the number of batches that they took. */
      const batches = async (count: number, badProof: Uint8Array): Promise<number> => {
        const before = engine().stats().batchSize.count;
        const verdicts: Promise<Verdict>[] = [];
        for (let index = 0; index < count; index += 1) {
          verdicts.push(engine().verify('key', badProof, INPUT, { source: BAD }));
          verdicts.push(engine().verify('key', truth, INPUT, { source: GOOD }));
        }
        expect((await Promise.all(verdicts)).map(({ ok }) => ok)).toEqual(
          verdicts.map((_, index) => index % 2 === 1 || badProof === truth),
        );
        return engine().stats().batchSize.count - before;
      };
      expect(await batches(8, truth)).toBe(1);
      expect(engine().stats().brokenBatches).toBe(0);
      // the first bad proofs break the batch that all share
      expect(await batches(8, lie)).toBe(1);
      expect(engine().stats().brokenBatches).toBe(1);
      // what comes from there is not combined any more
      expect(await batches(8, lie)).toBe(2);
      expect(engine().stats().brokenBatches).toBe(1);
      expect(await batches(8, truth)).toBe(2);
      expect(await batches(16, truth)).toBe(2);
      expect(await batches(8, truth)).toBe(2);
      expect(await batches(8, truth)).toBe(1);
    });
  },
  { workers: 1 },
);
