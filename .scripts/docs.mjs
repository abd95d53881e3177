import { ensureAll } from './steps.mjs';

ensureAll();
await import('../dist/docs/generate.js');
