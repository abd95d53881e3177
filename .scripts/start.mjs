import { ensureAll } from './steps.mjs';

ensureAll();
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
