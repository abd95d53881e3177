import { ensureAll } from './steps.mjs';

/** Compiles what changed, also for those who call vitest themselves: tests start the compiled program. */
export const setup = ensureAll;
