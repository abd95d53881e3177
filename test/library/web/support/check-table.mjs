/** Checks the table of the test in any runtime; `runtimes.long.test.ts` writes table.mjs beside this program. */
import { createEngine, createWorkerEngine, poseidon } from 'proofgate';
import { verifyCredential } from 'proofgate/credential';
import { groth16, terminate } from 'proofgate/snarkjs';
import { credential, issuerKeys, key, now, statements } from './table.mjs';

async function answersOf(engine) {
  await engine.addKey('key', key);
  const verdicts = statements.map(({ proof, publicSignals }) =>
    engine.verify('key', proof, publicSignals).then(
      ({ valid, code }) => (valid ? 'valid' : code),
      (error) => `${error.code}!`,
    ),
  );
  await engine.close();
  return await Promise.all(verdicts);
}

/** Returns the answers of every entry. @param hasWorker - Whether the runtime has module workers. */
export async function checkTable(options, hasWorker) {
  const engine = await createEngine(options);
  const { arithmetic } = engine.stats();
  const answers = await answersOf(engine);
  const inWorker = hasWorker ? await answersOf(await createWorkerEngine(options)) : undefined;
  const [first, second] = statements;
  const snarkjs = [
    await groth16.verify(key, first.publicSignals, first.proof),
    await groth16.verify(key, second.publicSignals, first.proof),
  ];
  await terminate();
  const { valid: isCredentialValid } = await verifyCredential(credential, { issuerKeys, now: new Date(now) });
  return {
    arithmetic,
    answers,
    inWorker,
    snarkjs,
    credential: isCredentialValid,
    poseidon: String(await poseidon([1, 2])),
  };
}
