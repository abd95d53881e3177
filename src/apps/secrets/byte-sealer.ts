import { CompactEncrypt, compactDecrypt } from 'jose';

/** The result of opening sealed bytes. */
export interface OpenedBytes {
  /** A buffer that the caller owns, and wipes if it holds a secret. */
  readonly bytes: Uint8Array;
  /** Whether the bytes are sealed under the current master key; false for the former one. */
  readonly isUnderCurrentKey: boolean;
}

/** Seals secrets for the store and opens them. */
export interface ByteSealer {
  /** Returns the bytes as a compact JWE (`dir`, `A256GCM`). */
  seal(bytes: Uint8Array): Promise<string>;
  /** Opens a compact JWE; undefined if neither master key opens it, or if the text is malformed. */
  open(sealed: string): Promise<OpenedBytes | undefined>;
}

const HEADER = { alg: 'dir', enc: 'A256GCM' } as const;
const DECRYPTION = { keyManagementAlgorithms: [HEADER.alg], contentEncryptionAlgorithms: [HEADER.enc] };

/**
 * Creates a sealer (spec/sign-in.md#key-sealing).
 *
 * @param masterKey - 32 bytes; seals and opens.
 * @param previous - The former master key; opens only.
 */
export function createByteSealer(masterKey: Uint8Array, previous?: Uint8Array): ByteSealer {
  return {
    seal: (bytes) => new CompactEncrypt(bytes).setProtectedHeader(HEADER).encrypt(masterKey),
    async open(sealed) {
      const current = await decrypt(sealed, masterKey);
      if (current !== undefined) return { bytes: current, isUnderCurrentKey: true };
      const former = previous === undefined ? undefined : await decrypt(sealed, previous);
      return former === undefined ? undefined : { bytes: former, isUnderCurrentKey: false };
    },
  };
}

async function decrypt(sealed: string, key: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return (await compactDecrypt(sealed, key, DECRYPTION)).plaintext;
  } catch {
    // The error of the library says no more than that this key does not open it.
    return undefined;
  }
}
