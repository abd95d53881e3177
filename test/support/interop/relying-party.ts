/** Helpers of relying-party tests: a service with clients and a person, and the delivery of answers. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { StartAppOptions } from '../server/start-app.ts';
import type { TestClient } from '../signin/clients.ts';
import type { SignInAnswer } from '../signin/driver.ts';
import { type SigninService, startSigninService } from '../signin/service.ts';
import { nullifierOf } from '../test-wallet.ts';
import { type InteropBrowser, openInteropBrowser } from './browser.ts';

/** A running service, and a person with a browser and a wallet. */
export interface Interop {
  readonly service: SigninService;
  readonly browser: InteropBrowser;
  /** Issuer of the service. */
  readonly issuer: string;
  /** A confidential client, whose first redirect URI has a host that is never called. */
  readonly web: TestClient;
  /** `sub` of `alice`, the person of the wallet, for a client, by default `web`. */
  subFor(client?: TestClient): Promise<string>;
  end(): Promise<void>;
}

/** Starts the service, with clients and the roots of the test wallet. */
export async function startInterop(options?: StartAppOptions): Promise<Interop> {
  const service = await startSigninService(options);
  const { baseUrl: issuer, web } = service;
  return {
    service,
    browser: openInteropBrowser(issuer),
    issuer,
    web,
    subFor: async ({ clientId } = web) => toHex(await nullifierOf('alice', clientId)),
    end: () => service.end(),
  };
}

/** What the server of a relying party receives: the opened URL, or the posted form. */
export function callbackOf({ mode, url, parameters }: SignInAnswer): URL | Request {
  if (mode !== 'form_post') return new URL(url);
  return new Request(url, { method: 'POST', body: new URLSearchParams(parameters) });
}

/** Reason that a promise was rejected with. Throws when it was fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, but the promise was fulfilled');
}

/** A running server of a relying party. */
export interface ListeningApp {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  end(): Promise<void>;
}

/**
 * Starts the server of a relying party on loopback.
 *
 * @param make - Receives the origin, for redirect URIs, and returns the request listener.
 */
export async function listenApp(
  make: (origin: string) => RequestListener | Promise<RequestListener>,
): Promise<ListeningApp> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', await make(origin));
  return {
    origin,
    async end() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
