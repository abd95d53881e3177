import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureAll } from './steps.mjs';
import { root } from './tools.mjs';

// `--all`, or the name of a long test (`*.long.test.ts`), enables the long tests.
const given = process.argv.slice(2);
const isAll = given.includes('--all') || given.some((argument) => argument.includes('.long'));
const env = isAll ? { ...process.env, PROOFGATE_TESTS: 'all' } : process.env;

await ensureAll();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const hasReporter = given.some((argument) => argument.startsWith('--reporter'));
const args = [
  vitest,
  'run',
  '--config',
  '.vitest.config.ts',
  ...given.filter((argument) => argument !== '--all'),
  ...(hasReporter ? [] : ['--reporter=default']),
  '--reporter=./.scripts/vitest-costs.mjs',
];
process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
