import { sharePrimes } from '../test/support/crypto/shared-primes.ts';

// Vitest refuses `process.exit` in the first test file of a process only: in a later one it would end the process, and with
// it the run of all remaining files, without a message.
process.exit = (code) => {
  throw new Error(`process.exit(${code ?? ''}) in a test`);
};
sharePrimes();
