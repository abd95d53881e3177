import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureAll } from './steps.mjs';
import { root } from './tools.mjs';

await ensureAll();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--config', '.vitest.config.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
