/**
 * The browser and the wallet of one person, without a window, for relying parties under test: it goes where answers
 * send it, keeps cookies by host and path, and signs in at the service wherever a relying party sends it there.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openSignIn, readAnswer, type SignInAnswer, type SignInCourse } from '../signin/driver.ts';
import { approve, decline } from '../test-wallet.ts';

/** Where the browser is after it went where it was sent. */
export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** The text as JSON. */
  json(): unknown;
}

/** Fields of a form that is posted. */
export type Form = Readonly<Record<string, string>>;

/** A browser profile. */
export interface InteropBrowser {
  /** Opens an address, by POST where a form is given, and follows each redirect by GET. */
  visit(url: string, form?: Form): Promise<Visit>;
  /**
   * Opens an address that leads to the sign-in page, signs in there as `course` says, and gives what goes to the
   * relying party. Fails when it leads elsewhere.
   */
  signIn(url: string, course?: SignInCourse, form?: Form): Promise<SignInAnswer>;
  /** Brings an answer to the relying party, as a page that posts itself or a redirect does. */
  deliver(answer: SignInAnswer): Promise<Visit>;
}

const MAX_REDIRECTS = 10;
/** More than the default of Node, for addresses that hold a state of 10 kB in percent code. */
const MAX_HEADER_BYTES = 131_072;

/** Opens a browser profile for sign-ins at the service with this issuer. */
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
    throw new Error(`${address} leads from redirect to redirect`);
  }

  return {
    visit,
    async signIn(address, course = {}, form) {
      const page = await visit(address, form);
      const prefix = `${baseUrl}/authorize/`;
      if (page.status !== 200 || !page.url.startsWith(prefix)) {
        throw new Error(`no sign-in page but ${page.status} ${page.url} ${page.text}`);
      }
      const { declinesWith, ...wish } = course;
      const cookie = cookies.headerFor(new URL(page.url));
      const signIn = await openSignIn(baseUrl, page.url.slice(prefix.length), cookie);
      if (declinesWith === undefined) await approve(signIn.connectUrl, wish);
      else await decline(signIn.connectUrl, declinesWith);
      const { status, code } = await signIn.settle();
      if (status !== 'completed' && status !== 'refused')
        throw new Error(`the sign-in is ${status}: ${code}`);
      return await readAnswer(await send(new URL(`${page.url}/continue`)));
    },
    deliver: ({ mode, url, parameters }) =>
      mode === 'form_post' ? visit(url, parameters) : visit(url.split('#')[0] ?? url),
  };
}

interface Cookies {
  /** Keeps what a `Set-Cookie` line says. */
  take(url: URL, line: string): void;
  /** Value of the header `Cookie`; empty for none. */
  headerFor(url: URL): string;
}

// The port is no part of whose a cookie is, as in a browser. `Secure` is not looked at: all is on the loopback.
function createCookies(): Cookies {
  const kept = new Map<string, { readonly host: string; readonly path: string; readonly pair: string }>();
  return {
    take({ hostname }, line) {
      const [pair = '', ...attributes] = line.split(/; */);
      const read = (name: string): string | undefined =>
        attributes.find((text) => text.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const path = read('path') ?? '/';
      const key = JSON.stringify([hostname, path, pair.split('=')[0]]);
      const expires = Date.parse(read('expires') ?? '');
      const isOver = Number(read('max-age') ?? '1') <= 0 || expires < Date.now();
      if (isOver) kept.delete(key);
      else kept.set(key, { host: hostname, path, pair });
    },
    headerFor({ hostname, pathname }) {
      const isBelow = (path: string): boolean =>
        pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
      return [...kept.values()]
        .filter(({ host, path }) => host === hostname && isBelow(path))
        .map(({ pair }) => pair)
        .join('; ');
    },
  };
}
