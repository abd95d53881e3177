/**
 * Path from the repository root of the compiled program, as users run it. The setup of the test runner
 * compiles it; loading the sources instead would cost each process a second.
 */
export const PROGRAM = 'dist/main.js';
