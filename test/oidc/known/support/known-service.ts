/** A sign-in service that takes passkeys, and people who sign in to it by World ID 4.0. */
import { freePort } from '../../../support/free-port.ts';
import { unescapeHtml } from '../../../support/server/html.ts';
import { Browser4, type SignIn4 } from '../../../support/signin/browser4.ts';
import type { TestClient } from '../../../support/signin/clients.ts';
import { type SigninService, startSigninService } from '../../../support/signin/service.ts';
import type { Wallet4 } from '../../../support/signin/wallet4.ts';
import { addWallet4State } from '../../../support/test-wallet4.ts';
import { type Offer, SoftPasskey } from './soft-passkey.ts';

/** A running service whose clock the test sets. */
export interface KnownService extends SigninService {
  readonly clock: { offsetMs: number };
  browser(client: TestClient): Browser4;
  /** Lets a wallet answer until the sign-in is decided, and returns its last answer. */
  prove(signIn: SignIn4, wallet: Wallet4): Promise<string>;
  /** Signs a person in to a client, up to the recognition page, and saves a passkey there. */
  savePasskey(signIn: SignIn4, browser: Browser4): Promise<SoftPasskey>;
}

/** Starts a service at `localhost`, where browsers take passkeys over http. */
export async function startKnownService(
  settings: Readonly<Record<string, string>> = {},
): Promise<KnownService> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const clock = { offsetMs: 0 };
  const service = await startSigninService({
    now: () => Date.now() + clock.offsetMs,
    settings: {
      baseUrl,
      'server.port': String(port),
      'verify.worldid4.enabled': 'true',
      'signin.worldid4.rpId': 'rp_0123456789abcdef',
      ...settings,
    },
  });
  await addWallet4State(service.store);
  return {
    ...service,
    clock,
    browser: (client) => new Browser4(baseUrl, client),
    async prove(signIn, wallet) {
      for (;;) {
        const answered = await wallet.answer(await signIn.link(), service.store);
        const { status } = await signIn.settle();
        if (status !== 'waiting') return 'error' in answered ? answered.error : answered.protocol;
      }
    },
    async savePasskey(signIn, browser) {
      const passkey = new SoftPasskey(baseUrl);
      const offer = await offerOf(signIn, browser);
      const { status } = await postJson(browser, offer.url, passkey.make(offer));
      if (status !== 204) throw new Error(`${offer.url}: ${status}`);
      return passkey;
    },
  };
}

/** Returns the data of the button about passkeys on a page; undefined if there is none. */
export function passkeyConfigOf<T>(html: string): T | undefined {
  const text = /data-passkey="([^"]*)"/.exec(html)?.[1];
  return text === undefined ? undefined : (JSON.parse(unescapeHtml(text)) as T);
}

/** Reads the offer of a new passkey on the recognition page, with an absolute address. */
export async function offerOf(signIn: SignIn4, browser: Browser4): Promise<Offer> {
  const html = await (await browser.go(`${signIn.path}/known`)).text();
  const offer = passkeyConfigOf<Offer>(html);
  if (offer === undefined) throw new Error(`no passkey is offered: ${html}`);
  return { ...offer, url: new URL(offer.url, signIn.path).href };
}

/** Reads the challenge for the use of a passkey on the page of a sign-in. */
export async function challengeOf(signIn: SignIn4): Promise<string> {
  const config = passkeyConfigOf<{ readonly challenge: string }>(await signIn.page());
  if (config === undefined) throw new Error('the page asks for no passkey');
  return config.challenge;
}

/** Posts JSON as the script of a page does. */
export function postJson(
  browser: Browser4,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.go(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
