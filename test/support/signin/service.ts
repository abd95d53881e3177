/** A sign-in service with clients and the roots of the test wallet, at its own address. */

import type { Store } from '../../../src/storage/store.ts';
import { freePort } from '../free-port.ts';
import { type StartAppOptions, type StartedApp, startApp } from '../server/start-app.ts';
import { addWalletRoots } from '../test-wallet.ts';
import { addClient, type ClientOptions, PUBLIC_CLIENT, SECRET_HMAC_KEY, type TestClient } from './clients.ts';
import {
  beginSignIn,
  completeSignIn,
  type PendingSignIn,
  type SignInAnswer,
  type SignInCourse,
  type SignInParameters,
} from './driver.ts';

/** A running sign-in service with clients of a test file. */
export interface SharedSignin {
  readonly app: StartedApp;
  /** Issuer, and address of the service. */
  readonly baseUrl: string;
  /** A second connection to the store of the service. */
  readonly store: Store;
  /** A confidential web client of the staging trees, with all response types by name. */
  readonly web: TestClient;
  /** A public native client of the staging trees. */
  readonly native: TestClient;
  addClient(options?: ClientOptions): Promise<TestClient>;
  /**
   * Starts a sign-in to the web client with `response_type=code` and `scope=openid`; `parameters` override or
   * add.
   */
  begin(parameters?: SignInParameters): Promise<PendingSignIn>;
  /** Starts a sign-in as `begin` does and completes it. */
  complete(parameters?: SignInParameters, course?: SignInCourse): Promise<SignInAnswer>;
}

/** A running sign-in service of one test file. */
export interface SigninService extends SharedSignin {
  end(): Promise<void>;
}

/** Settings of a service without rate limits whose issuer is its own address at this port. */
export function signinSettings(port: number): Readonly<Record<string, string>> {
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    'server.host': '127.0.0.1',
    'server.port': String(port),
    'apps.secretHmacKey': SECRET_HMAC_KEY,
    // all requests of a test come from one address
    'rateLimits.authorize': '0',
    'rateLimits.status': '0',
    'rateLimits.par': '0',
    'rateLimits.token': '0',
    'rateLimits.introspect': '0',
    'rateLimits.revoke': '0',
    'rateLimits.bridge': '0',
  };
}

/** Starts the service in this process. */
export async function startSigninService(options: StartAppOptions = {}): Promise<SigninService> {
  const settings = { ...signinSettings(await freePort()), ...options.settings };
  const app = await startApp({ ...options, settings });
  const store = await app.openStore();
  const signin = await withClients(app, store, String(settings.baseUrl), options.now ?? Date.now);
  return {
    ...signin,
    async end() {
      await store.close();
      await app.stop();
    },
  };
}

/** Adds clients of their own to a running service. */
export async function withClients(
  app: StartedApp,
  store: Store,
  baseUrl: string,
  now: () => number,
): Promise<SharedSignin> {
  await addWalletRoots(store, now());
  const add = (options?: ClientOptions): Promise<TestClient> => addClient(store, options, now());
  // Its operator has named the response types, so that a session answers each of them.
  const web = await add({ namesAllResponseTypes: true });
  const native = await add({ ...PUBLIC_CLIENT, name: 'Demo App' });
  const withDefaults = (parameters: SignInParameters = {}): SignInParameters => ({
    response_type: 'code',
    scope: 'openid',
    client_id: web.clientId,
    redirect_uri: web.redirectUri,
    ...parameters,
  });
  return {
    app,
    baseUrl,
    store,
    web,
    native,
    addClient: add,
    begin: (parameters) => beginSignIn(baseUrl, withDefaults(parameters)),
    complete: (parameters, course) => completeSignIn(baseUrl, withDefaults(parameters), course),
  };
}
