import { ensureForService } from './steps.mjs';

await ensureForService(process.argv.slice(2));
process.argv.splice(2, 0, 'serve');
await import('../dist/main.js');
