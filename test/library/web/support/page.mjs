/** Program of the page in chromium-bundlers.long.test.ts. Takes `globalThis.settings` of `start.mjs`, if there are any. */
import { createEngine, createWorkerEngine, poseidon } from 'proofgate';

const settings = globalThis.proofgateSettings ?? {};

/** Counts frames and their longest distance until `work` is done. */
async function framesDuring(work) {
  const times = [];
  let isDone = false;
  const draw = (time) => {
    times.push(time);
    if (!isDone) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  const begun = performance.now();
  const value = await work();
  const milliseconds = performance.now() - begun;
  isDone = true;
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  return { value, milliseconds, frames: times.length, longestMs: Math.round(Math.max(0, ...gaps)) };
}

/** Checks a table of statements, as `answersOf` of the test support does. */
globalThis.answers = async ({ key, statements, backend, inWorker, worker }) => {
  const create = inWorker ? createWorkerEngine : createEngine;
  await using engine = await create({
    ...settings,
    ...(worker && { worker: settings[worker] }),
    backend,
    workers: 4,
  });
  await engine.addKey('key', key);
  const verdicts = statements.map(({ proof, publicSignals }) =>
    engine.verify('key', proof, publicSignals).then(
      ({ valid, code }) => (valid ? 'valid' : code),
      (error) => `${error.code}!`,
    ),
  );
  const { arithmetic, workers, workerRestarts } = engine.stats();
  const answers = await Promise.all(verdicts);
  return { arithmetic, workers, answers, workerRestarts: engine.stats().workerRestarts - workerRestarts };
};

/** Checks statements in the worker while the page draws. */
globalThis.drawWhileVerifying = async ({ key, statements }) => {
  await using engine = await createWorkerEngine(settings);
  await engine.addKey('key', key);
  return await framesDuring(async () => {
    const verdicts = await engine.verifyMany('key', statements);
    return verdicts.filter(({ valid }) => valid).length;
  });
};

/** Draws and does nothing else. */
globalThis.drawOnly = (milliseconds) =>
  framesDuring(() => new Promise((resolve) => setTimeout(resolve, milliseconds)));

globalThis.poseidonOf = async (inputs) => String(await poseidon(inputs));
globalThis.isReady = true;
