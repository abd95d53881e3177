import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { KeyUse, SigningKeyRow, SigningKeyStore } from '../../storage/index.ts';
import { ALGORITHM } from './generate-key.ts';

/** The published keys of one use, read from the store and used again for a short time. */
export interface KeySet {
  /** Rows that are published now: active, next, then retired ones. */
  rows(): Promise<readonly SigningKeyRow[]>;
  /** The same, read after this call. */
  reread(): Promise<readonly SigningKeyRow[]>;
  /** A published key for verification; a kid that is not known is looked for in the store, within bounds. */
  verificationKey(kid: string): Promise<CryptoKey | undefined>;
  /** The key set as `/jwks` shows it: public members only. */
  jwks(): Promise<{ keys: JWK[] }>;
}

/** What a key set is read with. */
export interface KeySetParts {
  readonly store: Pick<SigningKeyStore, 'list'>;
  readonly use: KeyUse;
  /** How long a reading may be used. */
  readonly cacheMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** base64url of the 32 bytes of an RFC 7638 thumbprint. */
const KID = /^[A-Za-z0-9_-]{43}$/;
/**
 * A node may sign with a key for as long as it has not seen that it was retired, and the retired key stays published
 * for at least the longest token life + 300 s: the difference must not be reached, whatever `storage.cacheSeconds` is.
 */
const MAX_CACHE_MS = 60_000;
/** Unknown kids cost the store at most one reading in this time: anybody can make them up. */
const UNKNOWN_KID_INTERVAL_MS = 1000;

/** Makes a key set over the store; nothing is read before it is asked. */
export function createKeySet({ store, use, cacheMs, now }: KeySetParts): KeySet {
  const maxAgeMs = Math.min(cacheMs, MAX_CACHE_MS);
  const imported = new Map<string, Promise<CryptoKey>>();
  let known: { readonly rows: readonly SigningKeyRow[]; readonly readAt: number } | undefined;
  let reading: Promise<readonly SigningKeyRow[]> | undefined;

  async function load(): Promise<readonly SigningKeyRow[]> {
    const readAt = now();
    const rows = await store.list(use, readAt);
    known = { rows, readAt };
    const kids = new Set(rows.map(({ kid }) => kid));
    for (const kid of imported.keys()) if (!kids.has(kid)) imported.delete(kid);
    return rows;
  }

  function read(): Promise<readonly SigningKeyRow[]> {
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** A clock that was set back makes a reading old, too. */
  function isFresh(ageLimitMs: number): boolean {
    if (known === undefined) return false;
    const age = now() - known.readAt;
    return age >= 0 && age < ageLimitMs;
  }

  function unexpired(rows: readonly SigningKeyRow[]): readonly SigningKeyRow[] {
    return rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
  }

  async function rows(): Promise<readonly SigningKeyRow[]> {
    return unexpired(known !== undefined && isFresh(maxAgeMs) ? known.rows : await read());
  }

  function publicKeyOf({ kid, publicJwk }: SigningKeyRow): Promise<CryptoKey> {
    const before = imported.get(kid);
    if (before !== undefined) return before;
    const key = importJWK({ ...publicMembers(publicJwk), kty: 'RSA' as const }, ALGORITHM);
    imported.set(kid, key);
    return key;
  }

  return {
    rows,
    async reread() {
      // one that runs already may have begun before the change that the caller knows of
      await reading?.catch(() => undefined);
      return unexpired(await read());
    },
    async verificationKey(kid) {
      if (!KID.test(kid)) return undefined;
      const isKid = (row: SigningKeyRow): boolean => row.kid === kid;
      let row = (await rows()).find(isKid);
      if (row === undefined && !isFresh(UNKNOWN_KID_INTERVAL_MS)) row = unexpired(await read()).find(isKid);
      return row === undefined ? undefined : publicKeyOf(row);
    },
    jwks: async () => ({ keys: (await rows()).map(({ publicJwk }) => publicMembers(publicJwk)) }),
  };
}

/** Named one by one, so that a private member can never travel along. */
function publicMembers(text: string): JWK {
  const { kty, use, alg, kid, n, e } = JSON.parse(text) as Required<JWK>;
  return { kty, use, alg, kid, n, e };
}
