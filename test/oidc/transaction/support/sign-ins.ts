/**
 * Sign-ins without pages: the state machine over a real store, engine, keys and responder, and the own bridge on a
 * real listener, which the test wallet calls.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAddressKeys, createBridgeIds } from '../../../../src/apps/address-keys.ts';
import { createClients } from '../../../../src/apps/clients.ts';
import { createBridge } from '../../../../src/bridge/bridge.ts';
import type { Config } from '../../../../src/config/settings/types.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import { createEngine } from '../../../../src/engine/create-engine.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { renderSigninError } from '../../../../src/http/errors/signin.ts';
import { Limits } from '../../../../src/http/limits/limits.ts';
import { bridgeRoutes } from '../../../../src/http/routes/public/bridge.ts';
import { createBridgeGuard } from '../../../../src/http/routes/public/bridge-guard.ts';
import { createHttpServer } from '../../../../src/http/server.ts';
import { createKeyRegistry } from '../../../../src/membership/keys/key-registry.ts';
import { createRootRegistry } from '../../../../src/membership/roots/root-registry.ts';
import { createMetrics, type Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { createResponder } from '../../../../src/oidc/authorize/responder.ts';
import { createSigningKeys } from '../../../../src/oidc/keys/signing-keys.ts';
import { createSessions } from '../../../../src/oidc/sessions.ts';
import { createTokenIssuer } from '../../../../src/oidc/token-issuer.ts';
import { createTransactions } from '../../../../src/oidc/transaction/create-transactions.ts';
import type {
  OpenTransaction,
  SignInView,
  Transactions,
  TransactionsOptions,
} from '../../../../src/oidc/transaction/types.ts';
import type { AuthorizationRequest } from '../../../../src/oidc/types.ts';
import { openStore } from '../../../../src/storage/open-store.ts';
import type { TransactionRow } from '../../../../src/storage/signin/transactions.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { freePort } from '../../../support/free-port.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';
import { addClient, type ClientOptions, type TestClient } from '../../../support/signin/clients.ts';
import { signinSettings } from '../../../support/signin/service.ts';
import { addWalletRoots } from '../../../support/test-wallet.ts';

/** 12:00 on 1 June 2026, UTC. */
export const START: number = Date.UTC(2026, 5, 1, 12);

/** Options of `startSignIns`. */
export interface SignInsOptions {
  /** Address of a migrated store; a new one on libsql by default. */
  readonly storageUrl?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Replaces the engine by one made from it. */
  readonly engineOf?: (engine: Engine) => TransactionsOptions['engine'];
}

/** A sign-in as its browser sees it. */
export interface BrowserSignIn {
  readonly txn: string;
  readonly cookie: string;
  open(): Promise<OpenTransaction>;
  poll(): Promise<SignInView>;
  /** Returns the current connect URL. */
  connectUrl(): Promise<string>;
  retry(): Promise<void>;
  cancel(): Promise<void>;
  /** Finishes the sign-in; returns the parameters of the authorization response. */
  finish(): Promise<Readonly<Record<string, string>>>;
  /** Returns the row in the store. */
  row(): Promise<TransactionRow | undefined>;
}

/** The parts of sign-in, and operations of tests on them. */
export interface SignIns {
  readonly baseUrl: string;
  readonly config: Config;
  readonly store: Store;
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly options: TransactionsOptions;
  readonly transactions: Transactions;
  readonly faults: unknown[];
  readonly web: TestClient;
  /** Clock of all parts, in milliseconds since the epoch. */
  readonly clock: { now: number };
  addClient(changes?: ClientOptions): Promise<TestClient>;
  /** Begins a sign-in at `web`; `changes` replace or add members of the request. */
  begin(changes?: Partial<AuthorizationRequest>, by?: Transactions): Promise<BrowserSignIn>;
  /** Returns the value of `signin_transactions_total` for a result. */
  counted(result: string): Promise<number>;
  end(): Promise<void>;
}

/** Builds the parts in a new folder. */
export async function startSignIns({
  settings,
  storageUrl,
  engineOf,
}: SignInsOptions = {}): Promise<SignIns> {
  const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-sign-ins-'));
  const port = await freePort();
  const { config } = await loadConfig({
    env: environmentOf({
      profile: 'test',
      dataDir,
      'engine.workers': '0',
      ...signinSettings(port),
      ...settings,
    }),
    cwd: dataDir,
  });
  const clock = { now: START };
  const now = (): number => clock.now;
  const store =
    storageUrl === undefined
      ? await openMigratedStore(config.storage)
      : await openStore({ ...config.storage, url: storageUrl });
  await addWalletRoots(store, START);
  const engine = await createEngine(config.engine);
  const metrics = createMetrics();
  const faults: unknown[] = [];
  // Nothing is cached: the clock of a test does not advance by itself, so that no entry would expire.
  const cacheMs = -1;
  const secretKey = new Uint8Array(32);
  const clients = createClients({ apps: store.apps, secretKey, cacheMs, now });
  const keys = await createSigningKeys({ store: store.signingKeys, config, now });
  const addressKeys = createAddressKeys(config);
  const bridgeIds = createBridgeIds(config);
  const options: TransactionsOptions = {
    config,
    store,
    worldId4: undefined,
    engine: engineOf?.(engine) ?? engine,
    keys: createKeyRegistry({ engine, store, profile: config.profile, bindings: config.verify.keys }),
    roots: createRootRegistry(store.roots, cacheMs, now),
    clients,
    responder: createResponder({ tokens: createTokenIssuer({ keys, config, clients, now }), config, now }),
    sessions: createSessions({ config, store: store.sessions, now }),
    metrics,
    addressKeys,
    bridgeIds,
    now,
    onFault: (fault) => faults.push(fault),
  };
  const transactions = createTransactions(options);
  const server = await createHttpServer({
    listener: 'public',
    host: '127.0.0.1',
    port,
    routes: bridgeRoutes({
      bridge: createBridge({
        store: store.bridge,
        limits: config.bridge,
        addressKeys,
        newId: bridgeIds.create,
        now,
      }),
      baseUrl: config.baseUrl,
      hasRootAlias: false,
      canOverwrite: false,
      bodyLimitBytes: config.bridge.bodyLimitBytes,
      metrics,
      guard: createBridgeGuard({}, new Limits().known('bridgeIds'), bridgeIds.isOwn),
    }),
    fallbacks: [],
    renderUnknown: renderSigninError,
    baseUrl: config.baseUrl,
    limits: config.http,
    onEnd: () => undefined,
  });
  const add = (changes?: ClientOptions): Promise<TestClient> => addClient(store, changes, now());
  const web = await add();

  return {
    baseUrl: config.baseUrl,
    config,
    store,
    engine,
    metrics,
    options,
    transactions,
    faults,
    web,
    clock,
    addClient: add,
    async begin(changes = {}, by = transactions) {
      const request: AuthorizationRequest = {
        clientId: web.clientId,
        redirectUri: web.redirectUri,
        responseType: 'code',
        responseMode: 'query',
        scope: ['openid'],
        state: 'af0ifjsldkj',
        requiresOrb: false,
        ...changes,
      };
      const client = await store.apps.findByAppId(request.clientId);
      if (!client) throw new Error('no such client');
      const { txn, cookie } = await by.begin(client, request, ADDRESS);
      return browserOf(txn, cookie, by, store, now);
    },
    async counted(result) {
      const { values } = await metrics.signinTransactionsTotal.get();
      return values.find(({ labels }) => labels.result === result)?.value ?? 0;
    },
    async end() {
      server.closeAll();
      await engine.close();
      await store.close();
      metrics.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const ADDRESS = '192.0.2.7';

/** Returns the browser of a sign-in at a service, which may be another one over the same store. */
export function browserOf(
  txn: string,
  cookie: string,
  transactions: Transactions,
  store: Store,
  now: () => number,
): BrowserSignIn {
  const open = (): Promise<OpenTransaction> => transactions.open(txn, cookie);
  return {
    txn,
    cookie,
    open,
    poll: async () => transactions.poll(await open(), ADDRESS),
    async connectUrl() {
      const { connectUrl, state } = await transactions.poll(await open(), ADDRESS);
      if (connectUrl === undefined) throw new Error(`a sign-in that is ${state} has no connect URL`);
      return connectUrl;
    },
    retry: async () => transactions.retry(await open()),
    cancel: async () => transactions.cancel(await open()),
    async finish() {
      const finish = await transactions.finish(await open(), { session: undefined, known: undefined });
      if (finish.kind === 'pending') throw new Error('the sign-in is pending');
      return Object.fromEntries(finish.response.parameters);
    },
    row: () => store.transactions.find(txn, now()),
  };
}
