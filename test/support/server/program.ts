/**
 * What a process of the service is started with, from the root: the compiled program, as users run it. The set-up of
 * the test runner has compiled it; reading the sources instead costs each process a second.
 */
export const PROGRAM = 'dist/main.js';
