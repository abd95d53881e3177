// Rules: spec/engine.md#suspected-sources
import { expect, it } from 'vitest';
import type { Verdict } from '../../../src/engine/engine.ts';
import { trapdoor } from '../../support/crypto/trapdoor.ts';
import { ANY_BACKEND, describeEngine } from '../support/describe-engine.ts';
import { word } from '../support/vectors.ts';

const GOOD = { address: '192.0.2.1', app: 'app' };
const BAD = { address: '192.0.2.2', app: 'app' };
const INPUT = word('7');

describeEngine(
  'a source that sends bad proofs',
  (engine) => {
    it('gets separate batches until 32 of its proofs were valid, and every verdict is right', async () => {
      const key = await trapdoor(1);
      const [validProof, falseProof] = [key.prove([7n], 3n, 5n), key.prove([7n], 3n, 5n, true)];
      await engine().registerKey('key', key.key);
      /**
       * Verifies `count` proofs of each source in one turn. Returns the number of batches: 1 if they are shared. Those
       * of a suspect are as long as the machine is fast.
       */
      const batches = async (count: number, proof: Uint8Array): Promise<number> => {
        const before = engine().stats().batchSize.count;
        const verdicts: Promise<Verdict>[] = [];
        for (let index = 0; index < count; index += 1) {
          verdicts.push(engine().verify('key', proof, INPUT, { source: BAD }));
          verdicts.push(engine().verify('key', validProof, INPUT, { source: GOOD }));
        }
        expect((await Promise.all(verdicts)).map(({ ok }) => ok)).toEqual(
          verdicts.map((_, index) => index % 2 === 1 || proof === validProof),
        );
        return engine().stats().batchSize.count - before;
      };
      expect(await batches(8, validProof)).toBe(1);
      expect(engine().stats().brokenBatches).toBe(0);
      // the first bad proofs break the common batch
      expect(await batches(8, falseProof)).toBe(1);
      expect(engine().stats().brokenBatches).toBe(1);
      // further proofs of this source are not combined
      expect(await batches(8, falseProof)).toBeGreaterThan(1);
      expect(engine().stats().brokenBatches).toBe(1);
      expect(await batches(8, validProof)).toBeGreaterThan(1);
      expect(await batches(16, validProof)).toBeGreaterThan(1);
      expect(await batches(8, validProof)).toBeGreaterThan(1);
      expect(await batches(8, validProof)).toBe(1);
    });
  },
  { workers: 1 },
  ANY_BACKEND,
);
