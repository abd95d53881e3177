/** A sign-in service in a separate process that can be killed and restarted at any time. */

import { type KillableServer, prepareKillable } from '../server/killable-server.ts';
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
export interface KillableSignin extends KillableServer {
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
  const server = await prepareKillable(dataDir, addWalletRoots, (port) => ({
    PROOFGATE_BASE_URL: `http://127.0.0.1:${port}`,
    PROOFGATE_SERVER_HOST: '127.0.0.1',
    PROOFGATE_SERVER_PORT: port,
    PROOFGATE_APPS_SECRET_HMAC_KEY: SECRET_HMAC_KEY,
    ...settings,
  }));
  const { publicUrl: baseUrl, withStore } = server;
  const client = await withStore((store) => addClient(store));
  const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: client.clientId,
        client_secret: client.clientSecret,
        ...fields,
      }),
    });
  await server.start();
  return {
    ...server,
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
  };
}

/** Status of a response, after its body is read. */
async function statusOf(sent: Promise<Response>): Promise<number> {
  const response = await sent;
  await response.arrayBuffer();
  return response.status;
}
