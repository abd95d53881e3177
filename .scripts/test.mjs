import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ensureAll, root } from './steps.mjs';

ensureAll();
const vitest = createRequire(import.meta.url).resolve('vitest/vitest.mjs');
const args = [vitest, 'run', '--config', '.vitest.config.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
