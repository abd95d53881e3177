import { keccak_256 } from '@noble/hashes/sha3.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * Checks an address of Ethereum: 20 bytes in hex. Digits of mixed case must match the checksum (ERC-55), which detects
 * typing errors.
 *
 * @returns The expectation as text; undefined for a valid address.
 */
export function chainAddressFault(text: unknown): string | undefined {
  if (typeof text !== 'string' || !ADDRESS.test(text)) return 'expected 0x and 40 hex digits';
  const digits = text.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return undefined;
  const correct = withChecksum(digits.toLowerCase());
  return text === correct
    ? undefined
    : `wrong checksum (ERC-55), expected ${correct} if its digits are right`;
}

/**
 * Returns an address in its checksummed form: a letter is upper case if the corresponding digit of the hash is 8 or
 * more.
 */
function withChecksum(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex');
  return `0x${[...digits].map((digit, index) => (Number.parseInt(hash[index] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
