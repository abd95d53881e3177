import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { SignInConfig } from '../../pages.ts';
import { type Exchange, type StepRequest, type Steps, unexpected } from './steps.ts';

/** Sign-in that the browser has open. */
export interface OpenSignIn {
  /** Address of the sign-in page. */
  readonly page: string;
  /** Name and value of the cookie. */
  readonly cookie: string;
  /** Address of the link to the wallet. */
  readonly connectUrl: string;
  /** Number of the attempt; undefined for World ID 3.0. */
  readonly attempt: number | undefined;
}

const POLL_MS = 1000;
const OPEN_STATES = ['waiting', 'connected', 'verifying'];

/**
 * Goes to the authorization endpoint and opens the sign-in page.
 *
 * @throws ServiceError `login_demo.no_client`, `login_demo.unreachable`, `login_demo.failed`
 */
export async function openSignInPage(steps: Steps, authorizationUrl: string): Promise<OpenSignIn> {
  const headers = { Accept: 'application/json' };
  const sent = await steps.send({ method: 'GET', url: authorizationUrl, headers });
  await steps.show({ actor: 'browser', title: 'brings the request of the app to the service' }, sent);
  if (['app_not_found', 'sign_in_not_enabled', 'invalid_redirect_uri'].includes(String(sent.body.code))) {
    throw new ServiceError('login_demo.no_client', `/authorize answered ${sent.body.code}`);
  }
  const page = sent.headers.get('location');
  const [cookie] = sent.headers.getSetCookie();
  if (sent.status !== 303 || page === null || cookie === undefined) {
    throw unexpected(sent, '303 to the sign-in page, with a cookie');
  }
  return await readSignInPage(steps, page, cookie.split(';', 1)[0] ?? '', 'opens the sign-in page');
}

async function readSignInPage(
  steps: Steps,
  page: string,
  cookie: string,
  title: string,
): Promise<OpenSignIn> {
  const shown = await steps.send(withCookie({ method: 'GET', url: page }, cookie));
  const connectUrl = walletLink(shown.text);
  const words = { actor: 'browser', title } as const;
  await steps.show(
    connectUrl === undefined ? words : { ...words, reads: { wallet_link: linkMembers(connectUrl) } },
    shown,
  );
  if (shown.status !== 200 || connectUrl === undefined)
    throw unexpected(shown, 'a page with a link to the wallet');
  const config = parseConfig(shown.text);
  return { page, cookie, connectUrl, attempt: config.attempt };
}

/**
 * Polls the status as the page does, until the sign-in is decided.
 *
 * @returns The sign-in with its next request, if one follows; undefined if it is completed.
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed` when it is not completed
 */
export async function awaitDecision(
  steps: Steps,
  { page, cookie, attempt }: OpenSignIn,
): Promise<OpenSignIn | undefined> {
  const request = withCookie({ method: 'GET', url: `${page}/status` }, cookie);
  for (;;) {
    const exchange = await steps.send(request);
    const { status, code, detail } = exchange.body;
    if (exchange.status === 200 && status === 'waiting' && exchange.body.attempt !== attempt) {
      await steps.show({ actor: 'browser', title: 'polls the status: another request follows' }, exchange);
      return await readSignInPage(steps, page, cookie, 'loads the sign-in page again');
    }
    if (exchange.status === 200 && OPEN_STATES.includes(String(status))) {
      await wait(POLL_MS);
      continue;
    }
    await steps.show(
      { actor: 'browser', title: 'polls the status: the service has checked the proof' },
      exchange,
    );
    if (exchange.status !== 200) throw unexpected(exchange, 'the status of the sign-in');
    if (status === 'completed') return undefined;
    throw new ServiceError('login_demo.failed', `the sign-in is ${status} (${code}, ${detail})`);
  }
}

/**
 * Continues to the app.
 *
 * @returns The address that the service redirects the browser to, with the response in it.
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed`
 */
export async function goBackToApp(steps: Steps, { page, cookie }: OpenSignIn): Promise<string> {
  const exchange: Exchange = await steps.send(withCookie({ method: 'GET', url: `${page}/continue` }, cookie));
  await steps.show({ actor: 'browser', title: 'is sent back to the app, with a code' }, exchange);
  const location = exchange.headers.get('location');
  if (exchange.status !== 303 || location === null) throw unexpected(exchange, '303 to the app');
  return location;
}

function withCookie(request: Pick<StepRequest, 'method' | 'url'>, cookie: string): StepRequest {
  const name = cookie.split('=', 1)[0];
  return { ...request, headers: { Cookie: cookie }, shownHeaders: { Cookie: `${name}=(as set)` } };
}

/** Reads the data of the page for its script. */
function parseConfig(html: string): Partial<SignInConfig> {
  const text = /data-config="([^"]*)"/.exec(html)?.[1] ?? '{}';
  return JSON.parse(unescaped(text)) as Partial<SignInConfig>;
}

function unescaped(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Finds the link to the wallet in the page. */
function walletLink(html: string): string | undefined {
  const tag = /<a [^>]*id="wallet-link"[^>]*>/.exec(html)?.[0] ?? '';
  const href = /href="([^"]*)"/.exec(tag)?.[1];
  return href === undefined ? undefined : unescaped(href);
}

function linkMembers(connectUrl: string): Readonly<Record<string, string>> {
  const { hash, search } = new URL(connectUrl);
  return Object.fromEntries(new URLSearchParams(hash.length > 1 ? hash.slice(1) : search));
}
