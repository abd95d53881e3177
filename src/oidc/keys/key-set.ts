import { type CryptoKey, importJWK, type JWK } from 'jose';
import type { KeyUse, SigningKeyRow, SigningKeyStore } from '../../storage/signin/signing-keys.ts';
import { NO_CHANGES, type StoreChanges } from '../../storage/store-changes.ts';
import { ALGORITHM } from './sealed-keys.ts';

/** Published keys of one use, read from the store and cached for a short time. */
export interface KeySet {
  /** Returns the rows that are published now: active, next, then retired ones. */
  rows(): Promise<readonly SigningKeyRow[]>;
  /** Returns the same rows, from a read that begins after this call. */
  reread(): Promise<readonly SigningKeyRow[]>;
  /**
   * Returns a published key for verification. An unknown kid is looked up in the store, at a limited rate.
   */
  verificationKey(kid: string): Promise<CryptoKey | undefined>;
  /** Returns the key set for `/jwks`: public members only. */
  jwks(): Promise<{ keys: JWK[] }>;
}

/** Dependencies of `createKeySet`. */
export interface KeySetParts {
  readonly store: Pick<SigningKeyStore, 'list'>;
  readonly use: KeyUse;
  /** Maximum time for which rows are cached, in milliseconds. */
  readonly cacheMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** As for `createReadThroughCache`. */
  readonly changes?: Pick<StoreChanges, 'count'> | undefined;
}

/** base64url of the 32 bytes of an RFC 7638 thumbprint. */
const KID = /^[A-Za-z0-9_-]{43}$/;
/**
 * A node signs with a key until it sees that the key was retired, and a retired key stays published for at least the
 * longest token lifetime + 300 s. The cache time must stay well below those 300 s, for any `storage.cacheSeconds`.
 */
const MAX_CACHE_MS = 60_000;
/** Minimum interval between reads of the store for unknown kids, since anyone can make them up. */
const UNKNOWN_KID_INTERVAL_MS = 1000;

interface KnownRows {
  readonly rows: readonly SigningKeyRow[];
  /** Start of the read: its time, and the count of changes. */
  readonly readAt: number;
  readonly change: number;
}

/** Creates a key set over the store; the first call reads it. */
export function createKeySet({ store, use, cacheMs, now, changes = NO_CHANGES }: KeySetParts): KeySet {
  const maxAgeMs = Math.min(cacheMs, MAX_CACHE_MS);
  const imported = new Map<string, Promise<CryptoKey>>();
  let known: KnownRows | undefined;
  let reading: Promise<readonly SigningKeyRow[]> | undefined;

  async function load(): Promise<readonly SigningKeyRow[]> {
    const [readAt, change] = [now(), changes.count()];
    const rows = await store.list(use, readAt);
    known = { rows, readAt, change };
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

  /** Whether the cached rows are recent enough; rows from the future, after the clock was set back, are not. */
  function isFresh(ageLimitMs: number): boolean {
    if (known === undefined) return false;
    const age = now() - known.readAt;
    return age >= 0 && age < ageLimitMs;
  }

  function unexpired(rows: readonly SigningKeyRow[]): readonly SigningKeyRow[] {
    return rows.filter(({ expiresAt }) => expiresAt === null || expiresAt > now());
  }

  async function rows(): Promise<readonly SigningKeyRow[]> {
    const isKnown = known?.change === changes.count() && isFresh(maxAgeMs);
    return unexpired(known !== undefined && isKnown ? known.rows : await read());
  }

  function publicKeyOf({ kid, publicJwk }: SigningKeyRow): Promise<CryptoKey> {
    const cached = imported.get(kid);
    if (cached !== undefined) return cached;
    const key = importJWK({ ...publicMembers(publicJwk), kty: 'RSA' as const }, ALGORITHM);
    imported.set(kid, key);
    return key;
  }

  return {
    rows,
    async reread() {
      // a running read may have begun before the change that the caller expects
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

/** Returns the public members, selected by name so that no private member can leak. */
function publicMembers(text: string): JWK {
  const { kty, use, alg, kid, n, e } = JSON.parse(text) as Required<JWK>;
  return { kty, use, alg, kid, n, e };
}
