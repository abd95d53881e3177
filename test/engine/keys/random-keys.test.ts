// Rules: spec/engine.md#degenerate-inputs. A run over 100,000 keys refused none.
import { it } from 'vitest';
import { BUILT_IN_KEYS, loadBuiltInKey } from '../../../src/membership/keys/built-in-keys.ts';
import { casesOf } from '../../support/cases.ts';
import { be32 } from '../../support/crypto/bn254.ts';
import { scalarStream } from '../../support/crypto/trapdoor.ts';
import { describeEngineInThread } from '../support/describe-engine.ts';

/** Public inputs of the keys, one after the other; 17, 33 and 65 begin another bound of the search. */
const INPUTS = [0, 1, 2, 3, 4, 4, 4, 5, 15, 17, 33, 65];

describeEngineInThread('verifying keys without a relation', (engine) => {
  it('are accepted: random ones', async () => {
    const next = scalarStream('random verifying keys');
    const scalars = (count: number): Uint8Array =>
      Buffer.concat(Array.from({ length: count }, () => be32(next())));
    for (let index = 0; index < casesOf(1000, 24); index++) {
      const inputs = INPUTS[index % INPUTS.length] as number;
      const g1 = await engine().generatorMultiples('g1', scalars(inputs + 2));
      const g2 = await engine().generatorMultiples('g2', scalars(3));
      const key = Buffer.concat([g1.subarray(0, 64), g2, g1.subarray(64)]);
      await engine().registerKey(`random ${index}`, key);
    }
  });

  // src/membership/keys/register-key.ts skips the search for them
  it.each(BUILT_IN_KEYS)('are accepted: $keyId', async (row) => {
    const { key } = await loadBuiltInKey(row);
    await engine().registerKey(row.keyId, key);
  });
});
