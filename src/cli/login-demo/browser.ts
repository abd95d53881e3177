import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { type Exchange, type StepRequest, type Steps, unexpected } from './steps.ts';

/** Sign-in that the browser has open. */
export interface OpenSignIn {
  /** Address of the sign-in page. */
  readonly page: string;
  /** Name and value of the cookie. */
  readonly cookie: string;
  /** Address of the link to the wallet. */
  readonly connectUrl: string;
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
  const pair = cookie.split(';', 1)[0] ?? '';
  const shown = await steps.send(withCookie({ method: 'GET', url: page }, pair));
  const connectUrl = walletLink(shown.text);
  const words = { actor: 'browser', title: 'opens the sign-in page' } as const;
  await steps.show(
    connectUrl === undefined ? words : { ...words, reads: { wallet_link: linkMembers(connectUrl) } },
    shown,
  );
  if (shown.status !== 200 || connectUrl === undefined)
    throw unexpected(shown, 'a page with a link to the wallet');
  return { page, cookie: pair, connectUrl };
}

/**
 * Polls the status as the page does, until the sign-in is decided.
 *
 * @throws ServiceError `login_demo.unreachable`, `login_demo.failed` when it is not completed
 */
export async function awaitDecision(steps: Steps, { page, cookie }: OpenSignIn): Promise<void> {
  const request = withCookie({ method: 'GET', url: `${page}/status` }, cookie);
  for (;;) {
    const exchange = await steps.send(request);
    const { status, code, detail } = exchange.body;
    if (exchange.status === 200 && OPEN_STATES.includes(String(status))) {
      await wait(POLL_MS);
      continue;
    }
    await steps.show(
      { actor: 'browser', title: 'polls the status: the service has checked the proof' },
      exchange,
    );
    if (exchange.status !== 200) throw unexpected(exchange, 'the status of the sign-in');
    if (status === 'completed') return;
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

/** Finds the link to the wallet in the page. */
function walletLink(html: string): string | undefined {
  const tag = /<a [^>]*id="wallet-link"[^>]*>/.exec(html)?.[0] ?? '';
  return /href="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&');
}

function linkMembers(connectUrl: string): Readonly<Record<string, string>> {
  const { hash, search } = new URL(connectUrl);
  return Object.fromEntries(new URLSearchParams(hash.length > 1 ? hash.slice(1) : search));
}
