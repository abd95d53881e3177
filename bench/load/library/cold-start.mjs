// A program as a user writes it, which ends with its first verdict: prints the milliseconds since the process started.
//
//   node cold-start.mjs proofgate|proofgate/snarkjs|snarkjs BACKEND MODULE STATEMENT
import { readFileSync } from 'node:fs';

const [library, backend, module, file] = process.argv.slice(2);
const { key, proof, publicSignals } = JSON.parse(readFileSync(file, 'utf8'));
const loaded = await import(module);
const importedMs = performance.now();
let isValid;
if (library === 'proofgate') {
  const engine = await loaded.createEngine({ backend });
  await engine.addKey('key', key);
  isValid = (await engine.verify('key', proof, publicSignals)).valid;
} else isValid = await loaded.groth16.verify(key, publicSignals, proof);
const firstVerdictMs = performance.now();
if (!isValid) throw new Error('expected a valid proof');
const { user, system } = process.cpuUsage();
const processorMs = (user + system) / 1000;
process.stdout.write(`${JSON.stringify({ importedMs, firstVerdictMs, processorMs })}\n`);
process.exit(0);
