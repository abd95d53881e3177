import { ensureAll } from './steps.mjs';

await ensureAll();
