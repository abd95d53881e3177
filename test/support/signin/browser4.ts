/** A browser with cookies of its own, in which people sign in to clients by World ID 4.0. */

import { decodeJwt, type JWTPayload } from 'jose';
import { unescapeHtml } from '../server/html.ts';
import type { TestClient } from './clients.ts';
import { redeemCode } from './driver.ts';

/** Body of `…/status`. */
export interface Status4 {
  readonly status: string;
  readonly code: string | null;
  readonly attempt?: number;
}

/** A sign-in that is open in a browser. */
export interface SignIn4 {
  readonly path: string;
  page(): Promise<string>;
  /** Link of the current attempt to the wallet on the same device. */
  link(): Promise<string>;
  status(): Promise<Status4>;
  /** Polls until the answer to the link that was read last is judged: the sign-in is decided, or there is another attempt. */
  settle(): Promise<Status4>;
  /** Sends a form of the page. */
  post(form: string, fields?: Readonly<Record<string, string>>): Promise<Response>;
  /** Ends the sign-in; returns the parameters of the answer to the app. */
  finish(): Promise<Readonly<Record<string, string>>>;
  /** Ends the sign-in and redeems its code; returns the claims of the ID token. */
  claims(): Promise<JWTPayload>;
  /** Like `claims`, with the token itself, and its renewal by the refresh token. */
  tokens(): Promise<Tokens4>;
}

/** Tokens of a sign-in. */
export interface Tokens4 {
  readonly token: string;
  readonly claims: JWTPayload;
  readonly sub: string;
  /** Returns the claims of the next ID token, or the error. */
  refresh(): Promise<JWTPayload>;
}

const OPEN = ['waiting', 'connected', 'verifying'];

/** A browser. */
export class Browser4 {
  /** Cookies by name. */
  readonly jar: Map<string, string> = new Map();
  readonly #baseUrl: string;
  readonly #client: TestClient;

  constructor(baseUrl: string, client: TestClient) {
    this.#baseUrl = baseUrl;
    this.#client = client;
  }

  /** Requests a page or sends a form with the cookies of the browser, and keeps those of the answer. */
  async go(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (/Max-Age=0/.test(line)) this.jar.delete(name);
      else this.jar.set(name, pair.slice(at + 1));
    }
    return response;
  }

  /** Sends an authorization request, which is not followed. */
  authorize(
    parameters: Readonly<Record<string, string>> = {},
    client: TestClient = this.#client,
  ): Promise<Response> {
    const query = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      ...parameters,
    });
    return this.go(`${this.#baseUrl}/authorize?${query}`);
  }

  /** Begins a sign-in. */
  async begin(
    parameters: Readonly<Record<string, string>> = {},
    client: TestClient = this.#client,
  ): Promise<SignIn4> {
    const response = await this.authorize(parameters, client);
    const path = response.headers.get('location') ?? '';
    if (!path.startsWith(`${this.#baseUrl}/authorize/`)) {
      throw new Error(`/authorize: ${response.status} ${path} ${await response.text()}`);
    }
    return this.#open(path, client);
  }

  /** Sends an authorization request that a session answers; returns the claims of the ID token. */
  async silent(parameters: Readonly<Record<string, string>>): Promise<JWTPayload> {
    const response = await this.authorize(parameters);
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code');
    if (code === null) throw new Error(`not answered: ${response.headers.get('location')}`);
    return (await this.#redeem(code, this.#client)).claims;
  }

  async #redeem(code: string, client: TestClient): Promise<Tokens4> {
    type Sent = { readonly id_token: string; readonly refresh_token?: string };
    let sent = (await (await redeemCode(this.#baseUrl, client, code)).json()) as Sent;
    const claims = decodeJwt(sent.id_token);
    return {
      token: sent.id_token,
      claims,
      sub: String(claims.sub),
      refresh: async () => {
        const { clientId: client_id, clientSecret: client_secret } = client;
        const { refresh_token = '' } = sent;
        const form = { grant_type: 'refresh_token', refresh_token, client_id, client_secret };
        const response = await fetch(`${this.#baseUrl}/token`, {
          method: 'POST',
          body: new URLSearchParams(form),
        });
        if (!response.ok) return (await response.json()) as JWTPayload;
        sent = (await response.json()) as Sent;
        return decodeJwt(sent.id_token);
      },
    };
  }

  #open(path: string, client: TestClient): SignIn4 {
    /** Attempt of the page that was read last. */
    let shown: number | undefined;
    const page = async (): Promise<string> => (await this.go(path)).text();
    const status = async (): Promise<Status4> => (await this.go(`${path}/status`)).json() as Promise<Status4>;
    const post = (form: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> =>
      this.go(`${path}/${form}`, { method: 'POST', body: new URLSearchParams(fields) });
    const finish = async (): Promise<Readonly<Record<string, string>>> => {
      const response = await this.go(`${path}/continue`);
      const location = response.headers.get('location') ?? '';
      if (!location.startsWith(client.redirectUri)) {
        throw new Error(`…/continue: ${response.status} ${location} ${await response.text()}`);
      }
      return Object.fromEntries(new URL(location).searchParams);
    };
    const tokens = async (): Promise<Tokens4> => {
      const { code, error, error_description: text } = await finish();
      if (code === undefined) throw new Error(`the app was told ${error}: ${text}`);
      return await this.#redeem(code, client);
    };
    return {
      path,
      page,
      async link() {
        const html = await page();
        const href = /id="wallet-link"[^>]*href="([^"]*)"/.exec(html)?.[1];
        const config = JSON.parse(unescapeHtml(/data-config="([^"]*)"/.exec(html)?.[1] ?? '{}')) as Status4;
        shown = config.attempt;
        if (href === undefined) throw new Error(`no link to a wallet: ${html}`);
        return unescapeHtml(href);
      },
      status,
      async settle() {
        for (;;) {
          const now = await status();
          if (!OPEN.includes(now.status) || now.attempt !== shown) return now;
        }
      },
      post,
      finish,
      claims: async () => (await tokens()).claims,
      tokens,
    };
  }
}
