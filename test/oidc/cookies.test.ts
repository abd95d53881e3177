// Rules: spec/sign-in.md#cookies
import { beforeAll, describe, expect, it } from 'vitest';
import { openInteropBrowser } from '../support/interop/browser.ts';
import { opened } from '../support/opened.ts';
import { headerOf, rawRequest } from '../support/server/raw-client.ts';
import { authorize, beginSignIn } from '../support/signin/driver.ts';
import { startSigninService } from '../support/signin/service.ts';
import { signInToStay } from '../support/signin/stay.ts';
import { approve } from '../support/test-wallet.ts';

/** As many as a person may have open in one browser. */
const MOST = 32;
/** Bytes of a head that remain for headers beside the longest query of `/authorize`. */
const HEADER_BYTES = 8192;
let session: string;

const service = opened(() => startSigninService({ settings: { 'signin.sessionSeconds': '3600' } }), 'end');
const signIn = opened(() => service.begin());
beforeAll(async () => {
  session = (await signInToStay(service.baseUrl, service.web)).cookie;
});

/** Sends a request whose header lines are written as bytes. */
async function get(path: string, ...cookieLines: readonly Uint8Array[]) {
  const { host, port } = new URL(service.baseUrl);
  const lines = cookieLines.flatMap((line) => [Buffer.from('Cookie: '), line, Buffer.from('\r\n')]);
  const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n`;
  return await rawRequest(Number(port), Buffer.concat([Buffer.from(head), ...lines, Buffer.from('\r\n')]));
}

const parametersOf = () => ({
  response_type: 'code',
  scope: 'openid',
  client_id: service.web.clientId,
  redirect_uri: service.web.redirectUri,
});

/** Each cookie that the service sets and reads, and whether a request with these lines is served as its browser. */
const COOKIES = [
  {
    name: 'a sign-in, at its status',
    pair: () => signIn.cookie,
    isAccepted: async (...lines: readonly Uint8Array[]) =>
      (await get(`/authorize/${signIn.txn}/status`, ...lines)).status === 200,
  },
  {
    name: 'a sign-in, at its page',
    pair: () => signIn.cookie,
    isAccepted: async (...lines: readonly Uint8Array[]) =>
      (await get(`/authorize/${signIn.txn}`, ...lines)).status === 200,
  },
  {
    name: 'a session, at the authorization endpoint',
    pair: () => session,
    isAccepted: async (...lines: readonly Uint8Array[]) => {
      const query = new URLSearchParams({ ...parametersOf(), prompt: 'none' });
      const answer = await get(`/authorize?${query}`, ...lines);
      return (headerOf(answer, 'location') ?? '').includes('?code=');
    },
  },
  {
    name: 'a session, at sign-out',
    pair: () => session,
    isAccepted: async (...lines: readonly Uint8Array[]) =>
      (await get('/logout', ...lines)).body.includes('/logout/confirm'),
  },
];

const text = (value: string): Uint8Array => Buffer.from(value);
const bytes = (...values: readonly number[]): string => Buffer.from(values).toString('latin1');

/** Header lines with the cookie in another place, as browsers and proxies may write it. */
const READ: readonly [string, (pair: string) => Uint8Array[]][] = [
  ['alone', (pair) => [text(pair)]],
  ['after others', (pair) => [text(`a=b; c="d"; ${pair}`)]],
  ['between tabs', (pair) => [text(`a=b;\t${pair}\t; c=d`)]],
  ['after bytes that are not UTF-8', (pair) => [Buffer.from(`a=\xff\xfe; ${pair}`, 'latin1')]],
  ['in a second line', (pair) => [text('a=b'), text(pair)]],
];

/** Ways of a sibling host, or of a program before the service, to put a cookie beside or in place of the browser's. */
const PLANTED: readonly [string, (pair: string) => Uint8Array[]][] = [
  ...[
    ['U+00A0', bytes(0xc2, 0xa0)],
    ['U+0085', bytes(0xc2, 0x85)],
    ['U+1680', bytes(0xe1, 0x9a, 0x80)],
    ['U+2000', bytes(0xe2, 0x80, 0x80)],
    ['U+2028', bytes(0xe2, 0x80, 0xa8)],
    ['U+202F', bytes(0xe2, 0x80, 0xaf)],
    ['U+3000', bytes(0xe3, 0x80, 0x80)],
    ['U+FEFF', bytes(0xef, 0xbb, 0xbf)],
    ['the Latin-1 byte A0', bytes(0xa0)],
    ['an overlong space', bytes(0xc0, 0xa0)],
    ['half a character', bytes(0xe2)],
    ['a quotation mark', '"'],
    ['a comma and a space', 'x, '],
  ].flatMap(([name = '', space = '']): [string, (pair: string) => Uint8Array[]][] => [
    [`${name} before its name, at the start`, (pair) => [Buffer.from(`${space}${pair}`, 'latin1')]],
    [`${name} before its name`, (pair) => [Buffer.from(`a=b; ${space}${pair}`, 'latin1')]],
    [`${name} behind its name`, (pair) => [Buffer.from(pair.replace('=', `${space}=`), 'latin1')]],
  ]),
  ['no prefix', (pair) => [text(pair.replace('__Host-', ''))]],
  ['another prefix', (pair) => [text(pair.replace('__Host-', '__Secure-'))]],
  ['a prefix in small letters', (pair) => [text(pair.replace('__Host-', '__host-'))]],
  ['a name in capitals', (pair) => [text(pair.replace(/^[^=]*/, (name) => name.toUpperCase()))]],
  ['an escaped name', (pair) => [text(pair.replace('__Host-', '__Host%2D'))]],
  ['no name but a value like it', (pair) => [text(`=${pair}`)]],
  ['its name in the value of another', (pair) => [text(`a=${pair}`)]],
  ['its name twice', (pair) => [text(`${pair}; ${pair}`)]],
  ['a planted one before it', (pair) => [text(`${pair.split('=')[0]}=${'A'.repeat(43)}; ${pair}`)]],
  ['a planted one behind it', (pair) => [text(`${pair}; ${pair.split('=')[0]}=${'A'.repeat(43)}`)]],
  ['an empty one before it', (pair) => [text(`${pair.split('=')[0]}=; ${pair}`)]],
  ['a planted one in a second line', (pair) => [text(pair), text(`${pair.split('=')[0]}=${'A'.repeat(43)}`)]],
];

describe.each(COOKIES)('the cookie of $name', ({ pair, isAccepted }) => {
  it.each(READ)('is read %s', async (_, linesOf) => {
    expect(await isAccepted(...linesOf(pair()))).toBe(true);
  });

  it.each(PLANTED)('does not count with %s', async (_, linesOf) => {
    expect(await isAccepted(...linesOf(pair()))).toBe(false);
  });
});

describe('every cookie that the service sets', () => {
  it('is one of the host alone, for all of its paths', async () => {
    const browser = await beginSignIn(service.baseUrl, parametersOf());
    const begun = (await authorize(service.baseUrl, parametersOf())).headers.getSetCookie();
    await browser.agree(['stay']);
    await approve(browser.connectUrl);
    await browser.settle();
    const ended = (await browser.continue()).headers.getSetCookie();
    const stay = ended.find((line) => line.startsWith('__Host-pg_session_'))?.split(';')[0] ?? '';
    const origin = { Origin: service.baseUrl, 'Content-Type': 'application/x-www-form-urlencoded' };
    const signedOut = await fetch(`${service.baseUrl}/logout/confirm`, {
      method: 'POST',
      redirect: 'manual',
      body: 'request=',
      headers: { ...origin, Cookie: stay },
    });
    const lines = [...begun, ...ended, ...signedOut.headers.getSetCookie()];
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(
        /^__Host-pg_(?:txn|session)_[\w-]+=[\w-]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
      );
    }
  });
});

describe('a browser with many sign-ins', () => {
  it(`keeps ${MOST} open, of which the oldest end first`, async () => {
    const browser = openInteropBrowser(service.baseUrl);
    const address = `${service.baseUrl}/authorize?${new URLSearchParams(parametersOf())}`;
    const pages: string[] = [];
    for (let count = 0; count < MOST + 3; count += 1) {
      pages.push((await browser.visit(address)).url);
      expect(browser.cookieFor(address).length).toBeLessThan(HEADER_BYTES / 3);
    }
    const statuses = await Promise.all(pages.map(async (page) => (await browser.visit(page)).status));
    expect(statuses).toEqual([403, 403, 403, ...Array<number>(MOST).fill(200)]);
  });

  it('is served when it opened more than that at once, and then has fewer of them', async () => {
    const cookies = await Promise.all(Array.from({ length: 80 }, async () => (await service.begin()).cookie));
    const query = new URLSearchParams(parametersOf());
    // As a cookie of the host it also comes with the longest request that is accepted.
    const begun = await get(`/authorize?${query}&x=${'x'.repeat(32_000)}`, text(cookies.join('; ')));
    expect(begun.status).toBe(303);
    const lines = begun.headers.filter(([name]) => name === 'set-cookie').map(([, line]) => line);
    const gone = cookies.slice(0, 8).map((cookie) => `${cookie.split('=')[0]}=; Path=/; Max-Age=0`);
    expect(lines.slice(0, -1).map((line) => line.split('; ').slice(0, 3).join('; '))).toEqual(gone);
    // Some reverse proxies accept no head of more than 4 kB from the service.
    expect(begun.headers.flat().join('').length).toBeLessThan(3500);
  });

  it('loses no cookie of others, nor that of a session', async () => {
    const cookies = await Promise.all(Array.from({ length: 40 }, async () => (await service.begin()).cookie));
    const others = ['a=b', session, `pg_txn_${'A'.repeat(16)}=x`, `__Host-pg_txn_${'A'.repeat(17)}=x`];
    const query = new URLSearchParams({ ...parametersOf(), prompt: 'login' });
    const begun = await get(`/authorize?${query}`, text([...others, ...cookies].join('; ')));
    const removed = begun.headers.flatMap(([name, line]) =>
      name === 'set-cookie' && line.includes('Max-Age=0') ? [line.split('=')[0]] : [],
    );
    expect(removed).toEqual(cookies.slice(0, 8).map((cookie) => cookie.split('=')[0]));
  });
});
