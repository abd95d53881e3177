import { timingSafeEqual } from 'node:crypto';
import { APP_ID } from '../config/apps/app-forms.ts';
import type { AppRow, AppStore, ClientSecretRow } from '../storage/index.ts';
import { createReadThroughCache } from '../storage/stores/read-through-cache.ts';
import { originsOf } from './match-redirect-uri.ts';
import { secretHash, secretKeyId } from './secrets/secrets.ts';

const MAX_CACHED_CLIENTS = 10_000;
const MAX_CLIENT_READS = 16;
/** Live secrets of a client (spec/sign-in.md#client-secrets). */
const MAX_SECRETS = 2;
const NO_SECRET: Uint8Array = new Uint8Array(32);

/** What the clients of sign-in are read from. */
export interface ClientsOptions {
  readonly apps: Pick<AppStore, 'findByAppId' | 'list' | 'listSecrets' | 'rehashSecret'>;
  /** 32 bytes, `secretKeyOf`. */
  readonly secretKey: Uint8Array;
  /** Former keys, whose secrets are taken, too: `SecretKeys.former`. */
  readonly formerSecretKeys?: readonly Uint8Array[];
  /** Told of secrets that were hashed under another key than the one in force. */
  readonly onRehash?: RehashObserver;
  /** How long a row may be used after it was read: `storage.cacheSeconds` in milliseconds. */
  readonly cacheMs: number;
  readonly now: () => number;
}

/** What became of secrets that were to be hashed under the key in force. */
export interface RehashObserver {
  /** The store has the new hash. */
  done(clientId: string): void;
  /** The store refused; the next use of the secret after the time of the cache tries again. */
  failed(clientId: string, error: unknown): void;
}

/**
 * The clients of sign-in (spec/sign-in.md#client-authentication and spec/sign-in.md#clients). A change by
 * another process is seen within `cacheMs`.
 */
export interface Clients {
  /**
   * The app, active or not; undefined when there is none with this id.
   *
   * @throws ServiceError `store.unreachable`
   */
  find(clientId: string): Promise<AppRow | undefined>;
  /**
   * Whether this is a live secret of an active client that is not public. An unknown client, a disabled one and a
   * wrong secret cost the same digests and the same comparisons. A secret that is under a former key, or whose key is
   * not recorded, is then hashed under the key in force, after the answer.
   *
   * @throws ServiceError `store.unreachable`
   */
  checkSecret(clientId: string, secret: string): Promise<boolean>;
  /**
   * Whether an active client has a redirect URI of this origin.
   *
   * @throws ServiceError `store.unreachable`
   */
  hasOrigin(origin: string): Promise<boolean>;
}

interface KnownClient {
  readonly app: AppRow;
  readonly secrets: readonly ClientSecretRow[];
}

/** The clients of a registry. What was just added counts at once; text that can be no id is not looked up. */
export function createClients(options: ClientsOptions): Clients {
  const { apps, secretKey, formerSecretKeys = [], cacheMs, now } = options;
  const secretKeys = [secretKey, ...formerSecretKeys];
  const settle = createSettler(options);
  const cache = createReadThroughCache<KnownClient>({
    async read(clientId) {
      const app = await apps.findByAppId(clientId);
      return app && { app, secrets: await apps.listSecrets(clientId, now()) };
    },
    maxAgeMs: cacheMs,
    maxEntries: MAX_CACHED_CLIENTS,
    maxReads: MAX_CLIENT_READS,
    now,
  });
  const origins = createOriginSnapshot(apps, cacheMs, now);
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
      settle(match, hashes[0] ?? NO_SECRET);
      return true;
    },
    hasOrigin: async (origin) => (await origins()).has(origin),
  };
}

/** Gives secrets that were just used a hash under the key in force; nobody waits for it. */
function createSettler({ apps, secretKey, onRehash, now }: ClientsOptions) {
  const keyId = secretKeyId(secretKey);
  // One attempt for each reading of a row: until it is read again it has its former hash here.
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

/** Origins of all active clients, as read at most `cacheMs` ago; whoever asks meanwhile waits for the same reading. */
function createOriginSnapshot(
  apps: Pick<AppStore, 'list'>,
  cacheMs: number,
  now: () => number,
): () => Promise<ReadonlySet<string>> {
  let snapshot: { readonly origins: ReadonlySet<string>; readonly readAt: number } | undefined;
  let reading: Promise<ReadonlySet<string>> | undefined;

  async function read(): Promise<ReadonlySet<string>> {
    try {
      const readAt = now();
      const active = (await apps.list()).filter((app) => app.status === 'active');
      snapshot = { origins: new Set(active.flatMap((app) => [...originsOf(app)])), readAt };
      return snapshot.origins;
    } finally {
      reading = undefined;
    }
  }

  return () => {
    if (snapshot !== undefined && now() - snapshot.readAt <= cacheMs)
      return Promise.resolve(snapshot.origins);
    reading ??= read();
    return reading;
  };
}
