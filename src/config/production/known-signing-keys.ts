import { createHash } from 'node:crypto';

/**
 * Credential keys whose seeds are public through test vectors: SHA-256 of the seed, and the compressed public key.
 * Production refuses all of them. A test derives both from the vectors and compares.
 */
const KNOWN_KEYS: readonly { readonly seedSha256: string; readonly keyId: string }[] = [
  {
    seedSha256: 'ac44796099c7ef89441e02fa56a8c73c5f93bd1e2d239ba9cc41384a2176b897',
    keyId: '655f136ea28c6b3a394c1c6d6bba9d8dd2a596952231b2e5ae17d6c90a525a00',
  },
  {
    seedSha256: '01e91c9a0f987ea9066d02349d75890afb388afc9214b79bc0f1f6cf6546c542',
    keyId: 'e06d30187e7208488dc27a9a7fdcc8cc7a51676f5fb00dcf4743275611e3f5a6',
  },
  {
    seedSha256: '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd',
    keyId: 'bb9015f1309156fdfddcda5e5922f1ae565f6e5b2e78d4e35f884e036cf6d70e',
  },
];

/** Whether a seed is in the test vectors. @param seed - 64 hex digits of either case. */
export function isKnownSeed(seed: string): boolean {
  const digest = createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex');
  return KNOWN_KEYS.some(({ seedSha256 }) => seedSha256 === digest);
}

/** Whether the seed of a credential key is in the test vectors. @param keyId - 64 lower-case hex digits. */
export function isKnownKey(keyId: string): boolean {
  return KNOWN_KEYS.some((key) => key.keyId === keyId);
}
