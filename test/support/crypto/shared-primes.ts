/**
 * RSA keys of tests. The search for the primes of a key takes a quarter of a second of a processor, and the tests make
 * two hundred keys. So `.scripts/vitest-setup.mjs` searches for some primes once per run, and in the process of a test
 * each new key of 2048 bits is another pair of them. Whoever has two of these keys can factor both: they serve for tests
 * only.
 */
import { inject } from 'vitest';
import { inverse } from './bn254.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Primes of 1024 bits, in hexadecimal, that fit the exponent 65537. */
    readonly rsaPrimes: readonly string[];
  }
}

const EXPONENT = 65_537n;

/** Makes `crypto.subtle.generateKey` take the primes of the run until each pair was used once. */
export function sharePrimes(): void {
  const { subtle } = crypto;
  if (Object.hasOwn(subtle, 'generateKey')) return;
  const primes = inject('rsaPrimes').map((hex) => BigInt(`0x${hex}`));
  const pairs = primes.flatMap((p, index) => primes.slice(index + 1).map((q) => [p, q] as const));
  const search = subtle.generateKey.bind(subtle);
  const generateKey = async (
    algorithm: RsaHashedKeyGenParams,
    extractable: boolean,
    usages: KeyUsage[],
  ): Promise<CryptoKeyPair | CryptoKey> => {
    const pair = algorithm.modulusLength === 2048 ? pairs.shift() : undefined;
    if (pair === undefined) return search(algorithm, extractable, usages);
    const { n, e, ...secret } = rsaKey(...pair);
    const [privateKey, publicKey] = await Promise.all([
      subtle.importKey('jwk', { kty: 'RSA', n, e, ...secret }, algorithm, extractable, ['sign']),
      subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, true, ['verify']),
    ]);
    return { privateKey, publicKey };
  };
  Object.assign(subtle, { generateKey });
}

/** Undoes `sharePrimes`, for a test of the search itself. */
export function searchPrimes(): void {
  Reflect.deleteProperty(crypto.subtle, 'generateKey');
}

/** The members of RFC 7518 section 6.3 of the key with these primes. */
function rsaKey(p: bigint, q: bigint) {
  const d = inverse(EXPONENT, (p - 1n) * (q - 1n));
  const members = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, base64Url(value)]),
  ) as Record<keyof typeof members, string>;
}

function base64Url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}
