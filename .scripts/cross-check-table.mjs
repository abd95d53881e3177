/**
 * Prints the runs of cross-check.sh as rows of a table.
 *
 *   node .scripts/cross-check-table.mjs FOLDER COMMIT
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';

const [folder, commit] = process.argv.slice(2);
const flags = new Set(/^flags.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0].split(/\s+/) ?? []);
const features = ['adx', 'bmi2', 'avx2', 'fma', 'avx512ifma'].filter((flag) => flags.has(flag));
const count = (number) => number.toLocaleString('en-US');

/** Returns the cells of one progress file, written by the runner in Rust or by that in TypeScript. */
function cells(file) {
  const run = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  if (run.subjects)
    return [
      `${run.subjects.join(', ')}; ${run.inputs} inputs`,
      count(run.blocks * 500),
      `${count(run.verdicts)} in all`,
      '',
      'by block number',
      run.disagreements.length,
    ];
  const [, names, seed, from, to, inputs] =
    /^(.*), seed (\d+), cases (\d+)\.\.(\d+) .* inputs \[(.*)\]$/.exec(run.title);
  const counts = [...new Set(inputs.split(', '))].sort((a, b) => a - b).join(', ');
  const isWhole = run.next === Number(to);
  return [
    `${names.replaceAll(' ', ', ')}; ${counts} inputs`,
    isWhole ? count(Number(to) - Number(from)) : `${count(run.next - Number(from))}, interrupted`,
    count(run.singles),
    run.batches > 0 ? `${count(run.members)} in ${count(run.batches)}` : '',
    `${seed}, from ${count(Number(from))}`,
    run.disagreements.length,
  ];
}

const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
console.log(`${cpus()[0]?.model} (${features.join(', ')}); sources ${basename(folder)}, commit ${commit}\n`);
console.log(
  '| date | implementations | cases | single verdicts | members in batches | seed | disagreements |',
);
console.log('|---|---|---:|---:|---:|---|---:|');
for (const file of files.sort()) {
  const date = statSync(join(folder, file)).mtime.toISOString().slice(0, 10);
  console.log(`| ${[date, ...cells(file)].join(' | ')} |`);
}
