// Rules: spec/worldid4.md#proof and spec/worldid4.md#public-inputs
import { beforeAll, describe, expect, it } from 'vitest';
import { registerKey } from '../../../src/membership/keys/key-registry.ts';
import { readKey } from '../../../src/membership/keys/verifying-keys.ts';
import { numberOf, wordOf } from '../../../src/semaphore/words.ts';
import { describeEngineInThread } from '../../engine/support/describe-engine.ts';
import { WORLDID4, word } from '../support/worldid4.ts';

const SOURCE = { address: '192.0.2.1', app: 'app' };
const ROOT_INPUT = 6;

describeEngineInThread('proofs of real wallets under the key of the ceremony', (engine) => {
  beforeAll(async () => {
    const key = await readKey('worldid4', 'production', { find: async () => undefined });
    if (!key) throw new Error('expected the built-in key');
    await registerKey(engine(), key, 'production', () => undefined);
  });

  describe.each(WORLDID4.real.map(({ name, ...proof }) => [name, proof] as const))('%s', (_name, proof) => {
    const points = Buffer.concat([...proof.proof.slice(0, 4).map(word), new Uint8Array(128)]);
    const inputs = proof.public_inputs.map(word);
    const verify = (changed: readonly Uint8Array[]): unknown =>
      engine().verify('worldid4', points, Buffer.concat(changed), { source: SOURCE });

    it('is valid, with its root as the fifth word', async () => {
      expect(proof.proof[4]).toBe(proof.public_inputs[ROOT_INPUT]);
      expect(await verify(inputs)).toEqual({ ok: true });
    });

    it('is false if any input is off by one', async () => {
      for (const index of inputs.keys()) {
        const changed = inputs.map((input, at) => (at === index ? wordOf(numberOf(input) + 1n) : input));
        expect(await verify(changed), `input ${index + 1}`).toEqual({ ok: false });
      }
    });
  });
});
