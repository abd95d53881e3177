/**
 * A program that starts engines, loads a library that changes how the thread rounds, and verifies proofs before and after it.
 * For each backend there are an engine without a worker and one with a worker, of before and of after the library was loaded.
 * Prints a line of JSON for each engine and verification.
 *
 *   node rounding-process.mjs LIBRARY BACKEND...
 */
import { createEngine } from '../../../dist/modules/engine.js';
import { INPUTS, KEY, PROOF, SECOND } from '../../../dist/modules/vectors.js';

const [library, ...backends] = process.argv.slice(2);
const SUBJECTS = backends.flatMap((backend) => [0, 1].map((workers) => ({ backend, workers })));
/** Fills 8 lanes twice. */
const COUNT = 18;
const STATEMENTS = Array.from({ length: COUNT }, (_, index) => {
  const { proof, inputs } = index % 2 === 0 ? { proof: PROOF, inputs: INPUTS } : SECOND;
  const isTrue = index % 3 !== 0;
  return { proof, inputs: isTrue ? inputs : inputs.with(63, inputs[63] ^ 1), isTrue };
});

const start = (subject) => createEngine({ ...subject, maxQueue: 64, maxBatch: 64, maxBatchDelayMs: 0 });

async function check(engine) {
  const verify = ({ proof, inputs }) => engine.verify('key', proof, inputs);
  const verdicts = [await verify(STATEMENTS[1]), ...(await Promise.all(STATEMENTS.map(verify)))];
  const isRight = ({ ok, code }, index) =>
    code === undefined && ok === (STATEMENTS[index - 1] ?? STATEMENTS[1]).isTrue;
  return verdicts.every(isRight) ? 'right' : `wrong: ${JSON.stringify(verdicts)}`;
}

async function report(step, subject, use) {
  const answer = await use().catch((error) => `error: ${error.message}`);
  console.log(JSON.stringify({ step, ...subject, answer }));
}

const engines = [];
for (const subject of SUBJECTS) {
  const engine = await start(subject);
  await engine.registerKey('key', KEY);
  engines.push({ subject, engine });
  await report('before', subject, () => check(engine));
}
try {
  process.dlopen({ exports: {} }, library);
} catch {
  // It is no addon, but its constructor has run.
}
for (const { subject, engine } of engines) {
  await report('after', subject, () => check(engine));
  await engine.close();
}
for (const subject of SUBJECTS) {
  await report('started after', subject, async () => {
    const engine = await start(subject);
    await engine.registerKey('key', KEY);
    const answer = await check(engine);
    await engine.close();
    return `${answer} on ${engine.stats().arithmetic}`;
  });
}
