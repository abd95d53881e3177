import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { Config } from '../../config/settings/types.ts';
import { generateDevelopmentKey } from '../../config/sources/development-key.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Settings that determine the keys of a process. */
export type KeyConfig = Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps'>;

const FILE = 'master-key';

/**
 * Returns the key that seals private keys (spec/sign-in.md#key-sealing) and from which others are derived:
 * `keys.masterKey`, or in development one that is generated once and stored in the data folder, so that tokens and
 * secrets survive a restart. A generated key carries a mark by which production refuses it.
 *
 * @returns 32 bytes.
 * @throws ServiceError `config.invalid` in production without `keys.masterKey`, or if the file contains no key
 */
export function masterKeyOf(config: KeyConfig): Uint8Array {
  return findMasterKey(config) ?? generate(config.dataDir);
}

/**
 * Returns the master key if there is one: unlike `masterKeyOf` it never generates one.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function findMasterKey({ keys, profile, dataDir }: KeyConfig): Uint8Array | undefined {
  if (keys.masterKey !== undefined) return keyFromText(keys.masterKey);
  if (profile === 'production') {
    throw invalid('keys.masterKey (PROOFGATE_KEYS_MASTER_KEY): required when profile is "production"');
  }
  return readKeyFile(join(dataDir, FILE));
}

/** Returns the former master key, `keys.masterKeyPrevious`, as 32 bytes; undefined if it is not set. */
export function previousMasterKeyOf(config: KeyConfig): Uint8Array | undefined {
  const { masterKeyPrevious } = config.keys;
  return masterKeyPrevious === undefined ? undefined : keyFromText(masterKeyPrevious);
}

// The key is written to a draft file and linked into place: if two processes start at the same time, one wins, and none
// reads a partial file.
function generate(dataDir: string): Uint8Array {
  const file = join(dataDir, FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${generateDevelopmentKey()}\n`, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKeyFile(file);
  if (key === undefined) throw invalid(`${file}: removed while it was being written`);
  return key;
}

function readKeyFile(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const key = keyFromText(text);
  if (key.length !== 32) {
    throw invalid(
      `${file}: expected 32 bytes in base64url, got ${key.length} bytes; remove the file to get a new key`,
    );
  }
  return key;
}

/** Decodes a key of the settings or of a file, in base64 or base64url. */
export function keyFromText(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function invalid(problem: string): ServiceError {
  return new ServiceError('config.invalid', `config: 1 problem\n  ${problem}`);
}

/** The result of opening sealed bytes. */
export interface OpenedBytes {
  /** A buffer owned by the caller, who wipes it if it contains a secret. */
  readonly bytes: Uint8Array;
  /** Whether the bytes were sealed under the current master key; false for the former one. */
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
    // The error of the library says only that this key does not open it.
    return undefined;
  }
}
