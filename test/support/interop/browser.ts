/**
 * A simulated browser and wallet of one person, for relying parties under test: it follows redirects, keeps
 * cookies by host and path, and signs in at the service when a relying party redirects to it.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openSignIn, readAnswer, type SignInAnswer, type SignInCourse } from '../signin/driver.ts';
import { approve, decline } from '../test-wallet.ts';

/** Page of the browser after all redirects. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** Parses the text as JSON. */
  json(): unknown;
}

/** Fields of a form that is posted. */
export type Form = Readonly<Record<string, string>>;

/** A browser profile. */
export interface InteropBrowser {
  /** Opens a URL, by POST if a form is given, and follows each redirect by GET. */
  visit(url: string, form?: Form): Promise<Visit>;
  /**
   * Opens a URL that leads to the sign-in page and signs in there as `course` says. Returns the answer for
   * the relying party. Fails when the URL leads elsewhere.
   */
  signIn(url: string, course?: SignInCourse, form?: Form): Promise<SignInAnswer>;
  /** Opens a URL at which the service answers the relying party without a page. Fails when there is a page. */
  ask(url: string, form?: Form): Promise<SignInAnswer>;
  /** Opens a URL and follows its redirects until one leads to another host than a loopback address; returns that. */
  follow(url: string): Promise<string>;
  /** Value of the header `Cookie` for a URL; empty without cookies. */
  cookieFor(url: string): string;
  /** Delivers an answer to the relying party, as a self-posting page or a redirect does. */
  deliver(answer: SignInAnswer): Promise<Visit>;
}

const MAX_REDIRECTS = 10;
/** More than the default of Node, for URLs with a percent-encoded state of 10 kB. */
const MAX_HEADER_BYTES = 131_072;

/** Opens a browser profile for sign-ins at the service with the issuer `baseUrl`. */
export function openInteropBrowser(baseUrl: string): InteropBrowser {
  const cookies = createCookies();

  async function send(url: URL, form?: Form): Promise<Response> {
    const body = form === undefined ? undefined : new URLSearchParams(form).toString();
    const cookie = cookies.headerFor(url);
    const sent = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    for (const line of answer.headers['set-cookie'] ?? []) cookies.take(url, line);
    const headers = answer.headers.location === undefined ? {} : { location: answer.headers.location };
    return new Response(await buffer(answer), { status: answer.statusCode ?? 0, headers });
  }

  async function visit(address: string, form?: Form): Promise<Visit> {
    let url = new URL(address);
    let response = await send(url, form);
    for (let count = 0; count < MAX_REDIRECTS; count += 1) {
      const location = response.headers.get('location');
      if (location === null) {
        const text = await response.text();
        return { url: url.href, status: response.status, text, json: () => JSON.parse(text) };
      }
      url = new URL(location, url);
      response = await send(url);
    }
    throw new Error(`${address}: expected at most ${MAX_REDIRECTS} redirects, got more`);
  }

  return {
    visit,
    async signIn(address, course = {}, form) {
      const page = await visit(address, form);
      const prefix = `${baseUrl}/authorize/`;
      if (page.status !== 200 || !page.url.startsWith(prefix)) {
        throw new Error(`expected the sign-in page, got ${page.status} ${page.url} ${page.text}`);
      }
      const { declinesWith, agreesTo, ...options } = course;
      const cookie = cookies.headerFor(new URL(page.url));
      const signIn = await openSignIn(baseUrl, page.url.slice(prefix.length), cookie);
      if (agreesTo !== undefined) await signIn.agree(agreesTo);
      if (declinesWith === undefined) await approve(signIn.connectUrl, options);
      else await decline(signIn.connectUrl, declinesWith);
      const { status, code } = await signIn.settle();
      if (status !== 'completed' && status !== 'refused')
        throw new Error(`the sign-in is ${status}: ${code}`);
      return await readAnswer(await send(new URL(`${page.url}/continue`)));
    },
    ask: async (url, form) => await readAnswer(await send(new URL(url), form)),
    async follow(address) {
      let url = new URL(address);
      for (let count = 0; count < MAX_REDIRECTS; count += 1) {
        const location = (await send(url)).headers.get('location');
        if (location === null) throw new Error(`${url.href}: expected a redirect`);
        url = new URL(location, url);
        if (!url.hostname.startsWith('127.')) return url.href;
      }
      throw new Error(`${address}: expected at most ${MAX_REDIRECTS} redirects, got more`);
    },
    cookieFor: (url) => cookies.headerFor(new URL(url)),
    deliver: ({ mode, url, parameters }) =>
      mode === 'form_post' ? visit(url, parameters) : visit(url.split('#')[0] ?? url),
  };
}

interface Cookies {
  /** Stores or deletes the cookie of a `Set-Cookie` header value. */
  take(url: URL, line: string): void;
  /** Value of the header `Cookie`; empty without cookies. */
  headerFor(url: URL): string;
}

// As in a browser, cookies do not depend on the port. `Secure` is ignored, because everything runs on
// loopback.
function createCookies(): Cookies {
  const stored = new Map<string, { readonly host: string; readonly path: string; readonly pair: string }>();
  return {
    take({ hostname }, line) {
      const [pair = '', ...attributes] = line.split(/; */);
      const read = (name: string): string | undefined =>
        attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const path = read('path') ?? '/';
      const key = JSON.stringify([hostname, path, pair.split('=')[0]]);
      const expires = Date.parse(read('expires') ?? '');
      const isExpired = Number(read('max-age') ?? '1') <= 0 || expires < Date.now();
      if (isExpired) stored.delete(key);
      else stored.set(key, { host: hostname, path, pair });
    },
    headerFor({ hostname, pathname }) {
      const isBelow = (path: string): boolean =>
        pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
      return [...stored.values()]
        .filter(({ host, path }) => host === hostname && isBelow(path))
        .map(({ pair }) => pair)
        .join('; ');
    },
  };
}
