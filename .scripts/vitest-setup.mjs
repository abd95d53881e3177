import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { shareChromium } from '../test/support/browser/shared-chromium.ts';
import { keepTemporaryFilesInMemory } from './memory-folder.mjs';
import { ensureAll } from './steps.mjs';

// 276 pairs of primes
const KEYS = 12;

/** Compiles what changed, also when vitest is called directly: tests start the compiled program. */
export async function setup({ provide }) {
  await ensureAll();
  // See test/support/crypto/shared-primes.ts.
  const chromium = await shareChromium();
  provide('chromiumUrl', chromium.url);
  provide('rsaPrimes', (await Promise.all(Array.from({ length: KEYS }, newPrimes))).flat());
  const removeTemporaryFiles = keepTemporaryFilesInMemory();
  return async () => {
    await chromium.close();
    removeTemporaryFiles();
  };
}

async function newPrimes() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const { p, q } = privateKey.export({ format: 'jwk' });
  return [p, q].map((prime) => Buffer.from(prime, 'base64url').toString('hex'));
}
