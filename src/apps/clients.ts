import { timingSafeEqual } from 'node:crypto';
import { APP_ID } from '../config/apps/app-forms.ts';
import type { AppRow, AppStore } from '../storage/apps/apps.ts';
import type { ClientSecretRow } from '../storage/apps/client-secrets.ts';
import { createReadThroughCache } from '../storage/read-through-cache.ts';
import { NO_CHANGES, type StoreChanges } from '../storage/store-changes.ts';
import { secretHash, secretKeyId } from './secrets/secrets.ts';

/** Captures the loopback origin, the port and the rest of a redirect URI (RFC 8252 section 7.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([0-9]{1,5}))?([/?].*)?$/i;
const MAX_PORT = 65_535;

/**
 * Whether a redirect URI is registered for the client, byte for byte. For a native client, any port matches a
 * registered loopback URI, since the operating system picks the port of the app.
 */
export function matchesRedirectUri({ client }: Pick<AppRow, 'client'>, uri: string): boolean {
  return matches(client.redirectUris, client, uri);
}

/** Whether a post-logout redirect URI is registered for the client, by the rule of `matchesRedirectUri`. */
export function matchesPostLogoutUri({ client }: Pick<AppRow, 'client'>, uri: string): boolean {
  return matches(client.postLogoutRedirectUris, client, uri);
}

function matches(
  uris: readonly string[],
  { applicationType }: Pick<AppRow['client'], 'applicationType'>,
  uri: string,
): boolean {
  if (uris.includes(uri)) return true;
  if (applicationType !== 'native') return false;
  const wanted = withoutPort(uri);
  return wanted !== undefined && uris.some((registered) => withoutPort(registered) === wanted);
}

/** Origins whose pages may call: of the http and https redirect URIs, and the allowed ones; spelled as browsers send them. */
export function originsOf({ client }: Pick<AppRow, 'client'>): ReadonlySet<string> {
  const origins = new Set<string>(client.allowedOrigins);
  for (const uri of client.redirectUris) {
    const { origin, protocol } = new URL(uri);
    if (protocol === 'https:' || protocol === 'http:') origins.add(origin);
  }
  return origins;
}

function withoutPort(uri: string): string | undefined {
  const [, host, port = '1', rest = ''] = LOOPBACK.exec(uri) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= MAX_PORT;
  return host === undefined || !isPort ? undefined : `${host} ${rest}`;
}

const MAX_CACHED_CLIENTS = 10_000;
const MAX_CLIENT_READS = 16;
/** Maximum number of live secrets of a client (spec/sign-in.md#client-secrets). */
const MAX_SECRETS = 2;
const NO_SECRET: Uint8Array = new Uint8Array(32);

/** Dependencies of `createClients`. */
export interface ClientsOptions {
  readonly apps: Pick<AppStore, 'findByAppId' | 'list' | 'listSecrets' | 'rehashSecret'>;
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: Uint8Array;
  /** Former keys; secrets under them are accepted too: `SecretKeys.former`. */
  readonly formerSecretKeys?: readonly Uint8Array[];
  /** Notified when a secret that was hashed under another key is rehashed under the current one. */
  readonly onRehash?: RehashObserver;
  /** Maximum age of a cached row, in milliseconds (`storage.cacheSeconds`). */
  readonly cacheMs: number;
  readonly now: () => number;
  /** As for `createReadThroughCache`. */
  readonly changes?: Pick<StoreChanges, 'count'> | undefined;
}

/** Observes the outcome of rehashing secrets under the current key. */
export interface RehashObserver {
  /** Called once the new hash is stored. */
  done(clientId: string): void;
  /** Called when the store failed; the next use of the secret after the row is read again retries. */
  failed(clientId: string, error: unknown): void;
}

/**
 * The clients of sign-in (spec/sign-in.md#client-authentication and spec/sign-in.md#clients). A change by
 * another process is visible within `cacheMs`.
 */
export interface Clients {
  /**
   * Returns the app with this id, active or not; undefined if there is none.
   *
   * @throws ServiceError `store.unreachable`
   */
  find(clientId: string): Promise<AppRow | undefined>;
  /**
   * Whether this is a live secret of an active confidential client. An unknown client, a disabled one and a wrong
   * secret cost the same digests and comparisons. A secret under a former or unrecorded key is rehashed under the
   * current key without delaying the answer.
   *
   * @throws ServiceError `store.unreachable`
   */
  checkSecret(clientId: string, secret: string): Promise<boolean>;
  /**
   * Whether pages of this origin may call for an active client.
   *
   * @throws ServiceError `store.unreachable`
   */
  hasOrigin(origin: string): Promise<boolean>;
}

interface KnownClient {
  readonly app: AppRow;
  readonly secrets: readonly ClientSecretRow[];
}

/** Creates a cached view of a registry. Absence is not cached; malformed ids are not looked up. */
export function createClients(options: ClientsOptions): Clients {
  const { apps, secretKey, formerSecretKeys = [], cacheMs, now, changes } = options;
  const secretKeys = [secretKey, ...formerSecretKeys];
  const rehash = createRehasher(options);
  const cache = createReadThroughCache<KnownClient>({
    async read(clientId) {
      const app = await apps.findByAppId(clientId);
      return app && { app, secrets: await apps.listSecrets(clientId, now()) };
    },
    maxAgeMs: cacheMs,
    maxEntries: MAX_CACHED_CLIENTS,
    maxReads: MAX_CLIENT_READS,
    now,
    changes,
  });
  const origins = createOriginSnapshot(options);
  const known = async (clientId: string): Promise<KnownClient | undefined> =>
    APP_ID.test(clientId) ? await cache.get(clientId) : undefined;

  return {
    find: async (clientId) => (await known(clientId))?.app,
    async checkSecret(clientId, secret) {
      const client = await known(clientId);
      const hashes = secretKeys.map((key) => secretHash(key, clientId, secret));
      let match: ClientSecretRow | undefined;
      for (let index = 0; index < MAX_SECRETS; index++) {
        const row = client?.secrets[index];
        for (const hash of hashes) {
          const isHit = timingSafeEqual(hash, row?.hash ?? NO_SECRET);
          if (isHit && row !== undefined && isLive(row, now())) match = row;
        }
      }
      const isConfidential = client !== undefined && client.app.client.tokenEndpointAuthMethod !== 'none';
      if (match === undefined || !isConfidential || client.app.status !== 'active') return false;
      rehash(match, hashes[0] ?? NO_SECRET);
      return true;
    },
    hasOrigin: async (origin) => (await origins()).has(origin),
  };
}

/** Returns a function that rehashes a just used secret under the current key, in the background. */
function createRehasher({ apps, secretKey, onRehash, now }: ClientsOptions) {
  const keyId = secretKeyId(secretKey);
  // One attempt per read of a row: the cached row keeps its former hash until the next read.
  const attempted = new WeakSet<ClientSecretRow>();
  return (row: ClientSecretRow, hash: Uint8Array): void => {
    if (row.keyId === keyId || attempted.has(row)) return;
    attempted.add(row);
    const { appId, secretId } = row;
    apps.rehashSecret({ appId, secretId, from: row.hash, to: hash, keyId }, now()).then(
      (isDone) => {
        if (isDone) onRehash?.done(appId);
      },
      (error: unknown) => onRehash?.failed(appId, error),
    );
  };
}

function isLive({ expiresAt }: ClientSecretRow, now: number): boolean {
  return expiresAt === null || expiresAt > now;
}

interface OriginSnapshot {
  readonly origins: ReadonlySet<string>;
  /** Start of the read: its time, and the count of changes. */
  readonly readAt: number;
  readonly change: number;
}

/**
 * Returns a function that returns the origins of all active clients, at most `cacheMs` old; concurrent calls share one
 * read.
 */
function createOriginSnapshot({
  apps,
  cacheMs,
  now,
  changes = NO_CHANGES,
}: ClientsOptions): () => Promise<ReadonlySet<string>> {
  let snapshot: OriginSnapshot | undefined;
  let reading: Promise<ReadonlySet<string>> | undefined;

  async function read(): Promise<ReadonlySet<string>> {
    try {
      const [readAt, change] = [now(), changes.count()];
      const active = (await apps.list()).filter((app) => app.status === 'active');
      snapshot = { origins: new Set(active.flatMap((app) => [...originsOf(app)])), readAt, change };
      return snapshot.origins;
    } finally {
      reading = undefined;
    }
  }

  return () => {
    const isFresh = snapshot?.change === changes.count() && now() - snapshot.readAt <= cacheMs;
    if (snapshot !== undefined && isFresh) return Promise.resolve(snapshot.origins);
    reading ??= read();
    return reading;
  };
}
