/** A sign-in service in a separate process that can be killed and restarted at any time. */

import { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../free-port.ts';
import { type ServerProcess, startServer } from '../server/server-process.ts';
import { addWalletRoots } from '../test-wallet.ts';
import { addClient, type ClientOptions, SECRET_HMAC_KEY, type TestClient } from './clients.ts';
import { beginSignIn, openSignIn, type PendingSignIn, type SignInParameters } from './driver.ts';

/** Answer of `/token`. */
export interface Redeemed {
  readonly status: number;
  /** Absent in a refusal. */
  readonly accessToken: string | undefined;
  /** The registered error code of a refusal. */
  readonly error: string | undefined;
}

/** The service, which keeps its address over restarts. */
export interface KillableSignin {
  readonly baseUrl: string;
  readonly client: TestClient;
  /** Starts a sign-in with `response_type=code`; `parameters` override or add. */
  begin(parameters?: SignInParameters): Promise<PendingSignIn>;
  /** Reopens a sign-in that was started before a restart, with its cookie. */
  reopen(signIn: PendingSignIn): Promise<PendingSignIn>;
  /** Pushes a request with `response_type=code`; returns its reference. */
  push(parameters?: SignInParameters): Promise<string>;
  redeem(code: string): Promise<Redeemed>;
  /** Calls `/token` as a client. */
  token(
    client: TestClient,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, string>> }>;
  /** Status of `/userinfo`. */
  userinfo(accessToken: string): Promise<number>;
  /** Status of `/revoke`. */
  revoke(accessToken: string): Promise<number>;
  addClient(options: ClientOptions): Promise<TestClient>;
  /** Opens the store for `work` and closes it again, so that after a kill only the service recovers it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Prepares a data folder with the roots of the wallet and a client, and starts the service on it.
 *
 * @param settings - Further variables of its environment.
 */
export async function startKillableSignin(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<KillableSignin> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    PROOFGATE_BASE_URL: baseUrl,
    PROOFGATE_SERVER_HOST: '127.0.0.1',
    PROOFGATE_SERVER_PORT: String(port),
    PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
    ...settings,
  };
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const url = `libsql:${dataDir}/proofgate.db`;
    const store = await openStore({ url, groupMaxRows: 512, groupMaxDelayMs: 0 });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const client = await withStore(async (store) => {
    await store.migrate();
    await addWalletRoots(store);
    return await addClient(store);
  });
  const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        ...fields,
      }),
    });
  let server: ServerProcess = await startServer(dataDir, env);
  return {
    baseUrl,
    client,
    begin: (parameters) =>
      beginSignIn(baseUrl, {
        response_type: 'code',
        scope: 'openid',
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        ...parameters,
      }),
    reopen: ({ txn, cookie }) => openSignIn(baseUrl, txn, cookie),
    async push(parameters) {
      const response = await post('/par', {
        response_type: 'code',
        scope: 'openid',
        redirect_uri: client.redirectUri,
        ...parameters,
      });
      if (response.status !== 201) throw new Error(`/par: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { readonly request_uri: string }).request_uri;
    },
    async redeem(code) {
      const response = await post('/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: client.redirectUri,
      });
      const body = (await response.json()) as { access_token?: string; error?: string };
      return { status: response.status, accessToken: body.access_token, error: body.error };
    },
    async token({ clientId, clientSecret }, fields) {
      const response = await post('/token', { ...fields, client_id: clientId, client_secret: clientSecret });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    },
    userinfo: (accessToken) =>
      statusOf(fetch(`${baseUrl}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })),
    revoke: (accessToken) => statusOf(post('/revoke', { token: accessToken })),
    addClient: (options) => withStore((store) => addClient(store, options)),
    withStore,
    async kill() {
      await server.end('SIGKILL');
    },
    async start() {
      server = await startServer(dataDir, env);
    },
    async stop() {
      return (await server.end('SIGTERM')).code;
    },
  };
}

/** Status of a response, after its body is read. */
async function statusOf(sent: Promise<Response>): Promise<number> {
  const response = await sent;
  await response.arrayBuffer();
  return response.status;
}
