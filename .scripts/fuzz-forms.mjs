/**
 * Fuzzes the readers of keys, proofs and public signals of other tools, without the engine (test/support/forms/fuzz.ts).
 *
 *   node .scripts/fuzz-forms.mjs EXECUTIONS [READER ...]     key-bytes, proof-bytes, signals-bytes and the same -text;
 *                                                            a tenth of the executions for those of text
 *   SEED=NUMBER ...                                          repeats the inputs of a seed
 *
 * Findings: an error that is not FormError, a result of a wrong size, a result that changes when it is written as
 * snarkjs does and read again, a compressed point that can be written in two ways. Exit code 1 with findings.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './tools.mjs';

const ALL = ['key-text', 'proof-text', 'signals-text', 'signals-bytes', 'proof-bytes', 'key-bytes'];
const TEXT_SHARE = 10;

const executions = Number(process.argv[2] ?? 1_000_000);
const named = process.argv.slice(3);
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

let failed = 0;
for (const reader of named.length > 0 ? named : ALL) {
  const share = reader.endsWith('-text') ? Math.ceil(executions / TEXT_SHARE) : executions;
  const program = ['--import', 'tsx', 'test/support/forms/fuzz-process.ts', reader, `${share}`, `${seed}`];
  const child = spawn(process.execPath, program, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const { executions: done, accepted, slowestMs } = JSON.parse(line);
    console.log(`${reader}: ${done} executions, ${accepted} accepted, slowest ${slowestMs.toFixed(1)} ms`);
  }
  const [code, signal] = await closed;
  if (code === 0) continue;
  failed += 1;
  console.error(`fuzz-forms: ${reader} ended with ${signal ?? code}`);
}
console.log(`fuzz-forms: seed ${seed}, ${failed} with findings`);
process.exit(failed === 0 ? 0 : 1);
