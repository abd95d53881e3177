import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/settings/types.ts';
import { makeUpKey } from '../../config/sources/made-up-key.ts';
import { ServiceError } from '../../errors/index.ts';

/** What the keys of a process are found by. */
export type KeyConfig = Pick<Config, 'profile' | 'dataDir' | 'keys' | 'apps'>;

const FILE = 'master-key';

/**
 * The key that seals private keys (spec/sign-in.md#key-sealing) and that others are derived from:
 * `keys.masterKey`, or in development one that is made up once and kept in the data folder, so that tokens
 * and secrets outlive a restart. A made-up key carries a mark, and production refuses it.
 *
 * @returns 32 bytes.
 * @throws ServiceError `config.invalid` in production without `keys.masterKey`, or when the file holds no key
 */
export function masterKeyOf(config: KeyConfig): Uint8Array {
  return findMasterKey(config) ?? makeUp(config.dataDir);
}

/**
 * The same without making one up: undefined in development where none was made yet.
 *
 * @throws ServiceError `config.invalid` as `masterKeyOf`
 */
export function findMasterKey({ keys, profile, dataDir }: KeyConfig): Uint8Array | undefined {
  if (keys.masterKey !== undefined) return bytesOf(keys.masterKey);
  if (profile === 'production') {
    throw invalid('keys.masterKey (PROOFGATE_KEYS_MASTER_KEY): required when profile is "production"');
  }
  return readKeyFile(join(dataDir, FILE));
}

/** The former master key, `keys.masterKeyPrevious`, as 32 bytes; undefined where it is not set. */
export function previousMasterKeyOf(config: KeyConfig): Uint8Array | undefined {
  const { masterKeyPrevious } = config.keys;
  return masterKeyPrevious === undefined ? undefined : bytesOf(masterKeyPrevious);
}

// The key is written beside and linked into place: of two processes that start at once one wins, and none reads a half.
function makeUp(dataDir: string): Uint8Array {
  const file = join(dataDir, FILE);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${makeUpKey()}\n`, { flag: 'wx', mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readKeyFile(file);
  if (made === undefined) throw invalid(`${file}: removed while it was made`);
  return made;
}

function readKeyFile(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  const key = bytesOf(text);
  if (key.length !== 32) {
    throw invalid(
      `${file}: expected 32 bytes in base64url, got ${key.length} bytes; remove it for a new one`,
    );
  }
  return key;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function invalid(problem: string): ServiceError {
  return new ServiceError('config.invalid', `config: 1 problem\n  ${problem}`);
}
