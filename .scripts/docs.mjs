import { ensureAll } from './steps.mjs';

await ensureAll();
await import('../dist/docs/generate.js');
