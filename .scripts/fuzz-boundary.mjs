/**
 * Fuzzes the boundary to JavaScript: calls every export of the addon and of the three WASM modules with
 * values of any type, length and state, each module in a child process.
 *
 *   node .scripts/fuzz-boundary.mjs SECONDS [SUBJECT ...]     SUBJECT: the path of an addon, relaxed, simd, scalar
 *   SEED=NUMBER ...                                          repeats the calls of a seed
 *
 * A refusal is fine, as is any other exception that is not a panic. Findings: a process that dies, a panic, a
 * trap with arguments of the right types, an argument that was changed, a wrong result afterwards. Exit code
 * 1 with findings.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const addon = join(root, 'native', 'addon', `proofgate.${process.platform}-${process.arch}-gnu.node`);
const seconds = Number(process.argv[2] ?? 60);
const named = process.argv.slice(3);
const subjects =
  named.length > 0 ? named : [existsSync(addon) ? addon : [], 'relaxed', 'simd', 'scalar'].flat();
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

/** Runs one subject for the given time; returns whether it had no finding. */
async function run(subject) {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-fuzz-'));
  const last = join(folder, 'last-call');
  const child = spawn(
    process.execPath,
    [join(root, '.scripts', 'fuzz-boundary', 'child.mjs'), subject, String(seed), String(seconds), last],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code, signal] = await new Promise((resolve) => {
    child.on('exit', (...end) => resolve(end));
  });
  if (code !== 0) {
    const call = existsSync(last) ? readFileSync(last, 'utf8').replace(/\0.*/s, '') : 'before the first call';
    console.error(`fuzz-boundary: ${subject} ended with ${signal ?? code}; seed ${seed}; last call: ${call}`);
  }
  rmSync(folder, { recursive: true });
  return code === 0;
}

let failed = 0;
for (const subject of subjects) if (!(await run(subject))) failed += 1;
console.log(
  `fuzz-boundary: ${subjects.length} subjects, ${seconds} s each, seed ${seed}, ${failed} with findings`,
);
process.exit(failed === 0 ? 0 : 1);
