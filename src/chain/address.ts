import { keccak_256 } from '@noble/hashes/sha3.js';
import { encodeUtf8 } from '../bytes.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const PREFIX_CHARACTERS = 2;
const CAPITAL_FROM = 8;

/**
 * Parses the address of a contract; one in a single case has no checksum.
 *
 * @returns The address in lower case; undefined for any other text and for a wrong checksum (EIP-55).
 */
export function parseContractAddress(text: string): string | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const digits = text.slice(PREFIX_CHARACTERS);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return isMixed && text !== checksumAddress(text) ? undefined : text.toLowerCase();
}

/** Returns an address with its checksum: a digit is a capital where that of the hash is 8 or more (EIP-55). */
export function checksumAddress(address: string): string {
  const digits = address.slice(PREFIX_CHARACTERS).toLowerCase();
  const hash = keccak_256(encodeUtf8(digits));
  const shown = [...digits].map((digit, index) => {
    const byte = hash[index >> 1] ?? 0;
    const half = index % 2 === 0 ? byte >> 4 : byte & 15;
    return half >= CAPITAL_FROM ? digit.toUpperCase() : digit;
  });
  return `0x${shown.join('')}`;
}
