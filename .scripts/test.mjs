import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureAll, root } from './steps.mjs';

ensureAll();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--config', '.vitest.config.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1);
