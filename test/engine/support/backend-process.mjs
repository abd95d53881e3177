/**
 * A program that tests start with V8 flags: it starts a compiled engine with one worker on the backend that its
 * argument names, verifies a valid and a false proof in the worker, and prints the result as JSON.
 */
import { createEngine } from '../../../dist/modules/engine.js';
import { INPUTS, KEY, PROOF } from '../../../dist/modules/vectors.js';

const backend = process.argv[2];
try {
  const engine = await createEngine({ workers: 1, backend, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 });
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
