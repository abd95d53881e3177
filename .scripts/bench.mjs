import { spawnSync } from 'node:child_process';
import { ensureAll } from './steps.mjs';
import { root } from './tools.mjs';

await ensureAll();
const args = ['--import', 'tsx', 'bench/run.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
