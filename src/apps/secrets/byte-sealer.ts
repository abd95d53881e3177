import { CompactEncrypt, compactDecrypt } from 'jose';

/** What was sealed, opened. */
export interface OpenedBytes {
  /** The caller's own; a secret is wiped by him. */
  readonly bytes: Uint8Array;
  /** False for bytes that are sealed under the former master key. */
  readonly isSealedNow: boolean;
}

/** Seals secrets for the store and opens them. */
export interface ByteSealer {
  /** The bytes as a compact JWE (`dir`, `A256GCM`). */
  seal(bytes: Uint8Array): Promise<string>;
  /** Undefined for what neither master key opens, broken text among it. */
  open(sealed: string): Promise<OpenedBytes | undefined>;
}

const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;
const DECRYPTION = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };

/**
 * Makes a sealer (spec/sign-in.md#key-sealing).
 *
 * @param masterKey - 32 bytes; seals, and opens what it sealed.
 * @param previous - The former master key; opens only.
 */
export function createByteSealer(masterKey: Uint8Array, previous?: Uint8Array): ByteSealer {
  return {
    seal: (bytes) => new CompactEncrypt(bytes).setProtectedHeader(HEADER).encrypt(masterKey),
    async open(sealed) {
      const current = await decrypt(sealed, masterKey);
      if (current !== undefined) return { bytes: current, isSealedNow: true };
      const former = previous === undefined ? undefined : await decrypt(sealed, previous);
      return former === undefined ? undefined : { bytes: former, isSealedNow: false };
    },
  };
}

async function decrypt(sealed: string, key: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return (await compactDecrypt(sealed, key, DECRYPTION)).plaintext;
  } catch {
    // the error of the library says no more than that this key does not open it
    return undefined;
  }
}
