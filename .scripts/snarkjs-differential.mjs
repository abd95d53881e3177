/**
 * Compares proofgate/snarkjs with snarkjs on cases drawn from a seed, in two processes, on the native addon and on each
 * WebAssembly module, and prints what was found; fails if an answer is not the one that its class has.
 *
 *   node .scripts/snarkjs-differential.mjs [CASES] [FROM]     50,000 cases from 0 unless said otherwise
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './tools.mjs';

const PROCESSES = 2;
const LOWEST_PRIORITY = '19';

const [cases = 50_000, from = 0] = process.argv.slice(2).map(Number);
const share = Math.ceil(cases / PROCESSES);

/** Compares the cases from one index to another, exclusive; returns the counts up to where its process ended. */
async function compare(first, end) {
  const program = ['--import', 'tsx', 'test/support/snarkjs/differential-process.ts', `${first}`, `${end}`];
  const child = spawn('nice', ['-n', LOWEST_PRIORITY, process.execPath, ...program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    const { counts } = JSON.parse(line);
    console.error(`cases ${first} to ${end}: ${counts.cases}, ${counts.disagreements.length} disagreements`);
  }
  const [code, signal] = await closed;
  if (last === '')
    throw new Error(`the process of the cases from ${first} to ${end} ended with ${signal ?? code}`);
  return { ...JSON.parse(last), end: code === 0 ? undefined : (signal ?? code) };
}

const parts = await Promise.all(
  Array.from({ length: PROCESSES }, (_, index) => {
    const first = from + index * share;
    return compare(first, Math.min(from + cases, first + share));
  }),
);

const count = (number) => number.toLocaleString('en-US');
const total = (pick) => parts.reduce((sum, { counts }) => sum + pick(counts), 0);
const rows = new Map();
for (const { counts } of parts) {
  for (const [name, byAnswers] of Object.entries(counts.differences)) {
    for (const [answers, number] of Object.entries(byAnswers)) {
      const row = `| ${name} | ${answers} |`;
      rows.set(row, (rows.get(row) ?? 0) + number);
    }
  }
}
const disagreements = parts.flatMap(({ counts }) => counts.disagreements);
console.log(`implementations: ${parts[0].subjects.join(', ')}`);
console.log(`cases from ${count(from)}: ${count(total(({ cases: number }) => number))}`);
console.log(`same answers: ${count(total(({ agreements }) => agreements))}`);
console.log(`listed differences: ${count([...rows.values()].reduce((sum, number) => sum + number, 0))}`);
console.log(`disagreements: ${count(disagreements.length)}\n`);
console.log('| class | answers | cases |\n|---|---|---:|');
for (const [row, number] of [...rows].sort()) console.log(`${row} ${count(number)} |`);
for (const one of disagreements) console.log(JSON.stringify(one));
const ended = parts.flatMap(({ end }) => end ?? []);
if (ended.length > 0) console.log(`ended early: ${ended.join(', ')}`);
process.exit(disagreements.length + ended.length === 0 ? 0 : 1);
