/**
 * One process of .scripts/snarkjs-differential.mjs: compares the cases of a range, and prints the counts so far as a line of
 * JSON after each block.
 *
 *   node --import tsx test/support/snarkjs/differential-process.ts FROM TO
 */
import { buildBn128 } from 'ffjavascript';
import { type Counts, compare, oursOn, type Subject, theirs } from './differential.ts';

const BACKENDS = ['native', 'wasm-relaxed', 'wasm-simd', 'wasm-scalar'] as const;
const BLOCK = 500;

const [from = 0, to = 0] = process.argv.slice(2).map(Number);
// On one thread: the process shares the processor with the others.
(globalThis as { curve_bn128?: unknown }).curve_bn128 = await buildBn128(true);

const subjects: Subject[] = BACKENDS.map((backend) => oursOn(backend, { backend, workers: 0 }));
const names = subjects.map(({ name }) => name);
const counts: Counts = { cases: 0, agreements: 0, differences: {}, disagreements: [] };
for (let at = from; at < to; at += BLOCK) {
  await compare(subjects, at, Math.min(to, at + BLOCK), counts);
  process.stdout.write(`${JSON.stringify({ subjects: names, counts })}\n`);
}
for (const one of [...subjects, theirs]) await one.close();
process.exit(0);
