import { ensureAll } from './steps.mjs';

/** Compiles what changed, also when vitest is called directly: tests start the compiled program. */
export const setup = ensureAll;
