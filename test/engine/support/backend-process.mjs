/**
 * A program that tests start with V8 flags: for each backend that its arguments name, it starts a compiled engine with one
 * worker, verifies a valid and a false proof in the worker, and prints the result as a line of JSON.
 */
import { createEngine } from '../../../dist/modules/engine.js';
import { INPUTS, KEY, PROOF } from '../../../dist/modules/vectors.js';

for (const backend of process.argv.slice(2)) {
  try {
    const engine = await createEngine({
      workers: 1,
      backend,
      maxQueue: 64,
      maxBatch: 64,
      maxBatchDelayMs: 0,
    });
    await engine.registerKey('key', KEY);
    const falseInputs = INPUTS.slice();
    falseInputs[63] ^= 1;
    const verdicts = await Promise.all(
      [INPUTS, falseInputs].map((inputs) => engine.verify('key', PROOF, inputs)),
    );
    const { arithmetic, reason } = engine.stats();
    await engine.close();
    console.log(JSON.stringify({ arithmetic, reason, verdicts }));
  } catch (error) {
    console.log(JSON.stringify({ error: error.message }));
  }
}
