/** Simulates the browser of a sign-in over HTTP: it keeps the cookie and follows redirects of the service. */
import { unescapeHtml } from '../server/html.ts';
import { approve, decline, type ProofOptions } from '../test-wallet.ts';
import type { TestClient } from './clients.ts';

/** Parameters of an authorization request. */
export type SignInParameters = Readonly<Record<string, string>>;

/** Body of `…/status`. */
export interface SignInStatus {
  readonly status: string;
  readonly expires_in: number;
  readonly code: string | null;
  readonly detail: string | null;
}

/** Authorization response to the relying party. */
export interface SignInAnswer {
  readonly mode: 'query' | 'fragment' | 'form_post';
  /** Target URL, with the parameters of query and fragment. */
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A sign-in that is open in a browser. */
export interface PendingSignIn {
  readonly txn: string;
  /** Value of the header `Cookie`. */
  readonly cookie: string;
  /** Content of the QR code of the first attempt. */
  readonly connectUrl: string;
  /** Fetches the current page. Throws unless the status is 200. */
  page(): Promise<string>;
  /** Reads the connect URL from the current page. */
  readConnectUrl(): Promise<string>;
  status(): Promise<SignInStatus>;
  /** Polls until the status is final. @throws Error after the limit, if one is given */
  settle(limitMs?: number): Promise<SignInStatus>;
  retry(): Promise<Response>;
  cancel(): Promise<Response>;
  /** Sends the boxes that are ticked, `stay` or `offline`. */
  agree(choices: readonly string[]): Promise<Response>;
  /** Requests `…/continue` without following the redirect. */
  continue(): Promise<Response>;
  /** Continues and reads the answer for the relying party. */
  finish(): Promise<SignInAnswer>;
}

/** Redeems a code, with the secret of the client in the form. */
export async function redeemCode(
  baseUrl: string,
  { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri }: TestClient,
  code = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, client_secret };
  return await fetch(`${baseUrl}/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
}

/** Sends an authorization request. Returns the response without following redirects. */
export async function authorize(baseUrl: string, parameters: SignInParameters): Promise<Response> {
  return await fetch(`${baseUrl}/authorize?${new URLSearchParams(parameters)}`, { redirect: 'manual' });
}

/** Starts a sign-in and opens its page. Throws when the request is refused. */
export async function beginSignIn(baseUrl: string, parameters: SignInParameters): Promise<PendingSignIn> {
  const response = await authorize(baseUrl, parameters);
  const text = await response.text();
  const location = response.headers.get('location') ?? '';
  const page = `${baseUrl}/authorize/`;
  if (response.status !== 303 || !location.startsWith(page)) {
    throw new Error(`/authorize: ${response.status} ${location} ${text}`);
  }
  const [cookie = ''] = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return await openSignIn(baseUrl, location.slice(page.length), cookie);
}

/** Reopens an existing sign-in, such as after a restart of the service. */
export async function openSignIn(baseUrl: string, txn: string, cookie: string): Promise<PendingSignIn> {
  const base = `${baseUrl}/authorize/${txn}`;
  const go = (path: string, method = 'GET'): Promise<Response> =>
    fetch(`${base}${path}`, { method, redirect: 'manual', headers: { cookie } });
  const page = async (): Promise<string> => {
    const response = await go('');
    const html = await response.text();
    if (response.status !== 200) throw new Error(`the page of the sign-in: ${response.status} ${html}`);
    return html;
  };
  const readConnectUrl = async (): Promise<string> => connectUrlOf(await page());
  const status = async (): Promise<SignInStatus> => {
    const response = await go('/status');
    if (response.status !== 200) throw new Error(`…/status: ${response.status} ${await response.text()}`);
    return (await response.json()) as SignInStatus;
  };
  return {
    txn,
    cookie,
    connectUrl: await readConnectUrl().catch(() => ''),
    page,
    readConnectUrl,
    status,
    async settle(limitMs = Number.POSITIVE_INFINITY) {
      const start = performance.now();
      for (;;) {
        const now = await status();
        if (!['waiting', 'connected', 'verifying'].includes(now.status)) return now;
        if (performance.now() - start > limitMs) throw new Error(`the sign-in is still ${now.status}`);
      }
    },
    retry: () => go('/retry', 'POST'),
    cancel: () => go('/cancel', 'POST'),
    agree: (choices) =>
      fetch(`${base}/agree`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams(choices.map((choice) => [choice, 'on'])),
      }),
    continue: () => go('/continue'),
    async finish() {
      return await readAnswer(await go('/continue'));
    },
  };
}

/** Course of a sign-in: with a proof, or declined with an error code of the wallet. */
export interface SignInCourse extends ProofOptions {
  readonly declinesWith?: string;
  /** Boxes that the person ticks. */
  readonly agreesTo?: readonly string[];
}

/** Runs a complete sign-in, from the request to the answer for the relying party. */
export async function completeSignIn(
  baseUrl: string,
  parameters: SignInParameters,
  course: SignInCourse = {},
): Promise<SignInAnswer> {
  const signIn = await beginSignIn(baseUrl, parameters);
  const { declinesWith, agreesTo, ...options } = course;
  if (agreesTo !== undefined) await signIn.agree(agreesTo);
  if (declinesWith === undefined) await approve(signIn.connectUrl, options);
  else await decline(signIn.connectUrl, declinesWith);
  const { status, code } = await signIn.settle();
  if (status !== 'completed' && status !== 'refused') throw new Error(`the sign-in is ${status}: ${code}`);
  return await signIn.finish();
}

/** Reads an authorization response in any mode. */
export async function readAnswer(response: Response): Promise<SignInAnswer> {
  const body = await response.text();
  if (response.status === 200) {
    const url = unescapeHtml(/<form [^>]*action="([^"]*)"/.exec(body)?.[1] ?? '');
    const inputs = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const parameters = Object.fromEntries(
      inputs.map(([, name = '', value = '']) => [unescapeHtml(name), unescapeHtml(value)]),
    );
    return { mode: 'form_post', url, parameters };
  }
  const url = response.headers.get('location') ?? '';
  if (response.status !== 303 || !URL.canParse(url)) {
    throw new Error(`expected an authorization response, got ${response.status} ${url} ${body}`);
  }
  const { hash, search } = new URL(url);
  const mode = hash === '' ? 'query' : 'fragment';
  return { mode, url, parameters: Object.fromEntries(new URLSearchParams(hash.slice(1) || search)) };
}

function connectUrlOf(html: string): string {
  const link = /<a [^>]*id="wallet-link"[^>]*>/.exec(html)?.[0] ?? '';
  const href = /href="([^"]*)"/.exec(link)?.[1];
  if (href === undefined) throw new Error('expected a page with a link to the wallet');
  return unescapeHtml(href);
}
