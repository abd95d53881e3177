// Rules: spec/sign-in.md#sign-in-page
import { createHash } from 'node:crypto';
import { create } from 'qrcode';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { inlineCode } from '../../support/inline-code.ts';
import { opened } from '../../support/opened.ts';
import { signinSettings } from '../../support/signin/service.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import { approve, openRequest } from '../../support/test-wallet.ts';

/** Returns the rows of a QR code with its dark modules as `#`, reconstructed from the path of its SVG. */
function modulesOf(svg: string): string[] {
  const edge = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const rows = Array.from({ length: edge }, () => Array.from({ length: edge }, () => '.'));
  const path = /stroke="#000000" d="([^"]*)"/.exec(svg)?.[1] ?? '';
  let [x, y] = [0, 0];
  for (const [, command, first, second] of path.matchAll(/([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    if (command === 'M') [x, y] = [Number(first), Math.floor(Number(second))];
    else if (command === 'm') x += Number(first);
    else for (let end = x + Number(first); x < end; x++) rows[y]?.splice(x, 1, '#');
  }
  return rows.map((row) => row.join(''));
}

describe('the page of a sign-in', () => {
  let html: string;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${service.baseUrl}${path}`, { headers, redirect: 'manual' });
  const part = (pattern: RegExp): string => pattern.exec(html)?.[1] ?? '';

  const service = opened(useSharedSignin);
  const signIn = opened(() => service.begin({ scope: 'openid email profile' }));
  beforeAll(async () => {
    html = await signIn.page();
  });

  it('names the app and its host, and marks staging and development', () => {
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>Sign in to Demo Shop</title>');
    expect(html).toContain('<h1>Sign in to Demo Shop</h1>');
    expect(html).toContain('<b>shop.example</b>');
    expect(html).toContain('<span class="badge">staging</span>');
    expect(html).toContain('<header class="banner">development</header>');
    expect(part(/class="logo initials" aria-hidden="true">([^<]*)</)).toBe('DS');
  });

  it('lists what the app gets, scope by scope', async () => {
    expect(html).toContain('<h2 id="shared">What Demo Shop gets</h2>');
    expect([...html.matchAll(/<li>([^<]*)</g)].map(([, item]) => item)).toEqual([
      'An identifier for this app only',
      'How you were verified',
      'A stand-in e-mail address',
      'A stand-in name',
    ]);
    const bare = await (await service.begin({ acr_values: 'orb' })).page();
    expect([...bare.matchAll(/<li>([^<]*)</g)].map(([, item]) => item)).toEqual([
      'An identifier for this app only',
      'That you were verified at an Orb',
    ]);
  });

  it('has the headers of every page, is never cached, and contains nothing that its policy blocks', async () => {
    const page = await get(`/authorize/${signIn.txn}`, { cookie: signIn.cookie });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const [guard, script = ''] = /<script data-[^>]*>([^<]*)<\/script>/.exec(html) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('pragma')).toBe('no-cache');
    expect(page.headers.get('cross-origin-opener-policy')).toBeNull();
    // one script of its own, which loads a page again of which a part did not arrive
    expect(inlineCode(html)).toEqual([guard]);
  });

  it('loads one script, one stylesheet and one icon of its own origin, all immutable', async () => {
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, url]) => url ?? '');
    const loaded = files.filter((url) => !url.startsWith('/authorize/'));
    expect(loaded).toEqual([
      expect.stringMatching(/^\/signin\/assets\/favicon\.[0-9a-f]{16}\.svg$/),
      expect.stringMatching(/^\/signin\/assets\/sign-in\.[0-9a-f]{16}\.css$/),
      expect.stringMatching(/^\/signin\/assets\/sign-in-page\.[0-9a-f]{16}\.js$/),
    ]);
    for (const url of loaded) {
      const file = await get(url);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('shows a QR code of 280 pixels with its quiet zone, which encodes the link of the button', () => {
    expect(signIn.connectUrl).toMatch(/\/wallet#t=wld&i=[0-9a-f-]{36}&k=[^&]+&b=/);
    const label = 'role="img" aria-label="QR code that opens this sign-in in a wallet"';
    const [svg = ''] = /<svg[^>]*>.*?<\/svg>/s.exec(html.slice(html.indexOf(label))) ?? [];
    expect(svg).toContain('width="280" height="280"');
    expect(svg).toContain('<path fill="#ffffff" d="M0 0h');
    const bytes = { data: Buffer.from(signIn.connectUrl), mode: 'byte' } as const;
    const { modules } = create([bytes], { errorCorrectionLevel: 'M' });
    const edge = modules.size + 8;
    const drawn = modulesOf(svg);
    expect(drawn).toHaveLength(edge);
    for (const [y, row] of drawn.entries()) {
      const expected = Array.from({ length: edge }, (_, x) => {
        const isInside = [x, y].every((at) => at >= 4 && at < modules.size + 4);
        return isInside && modules.get(y - 4, x - 4) ? '#' : '.';
      });
      expect(row).toBe(expected.join(''));
    }
  });

  it('offers simulators the same request as a link for World App', () => {
    const url = part(/id="simulator-link" readonly value="([^"]*)"/).replaceAll('&amp;', '&');
    expect(new URL(url).origin).toBe('https://staging.world.org');
    expect(url.slice(url.indexOf('?') + 1)).toBe(signIn.connectUrl.slice(signIn.connectUrl.indexOf('#') + 1));
  });

  it('has a status that screen readers read out, headings, and forms without a script', () => {
    expect(html).toMatch(/<p id="status" class="status" role="status" aria-live="polite"[^>]*>Waiting for/);
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="3"></noscript>');
    expect(html).toContain(`<form method="post" action="/authorize/${signIn.txn}/cancel"`);
    expect([...html.matchAll(/<(h[1-6])/g)].map(([, level]) => level)).toEqual(['h1', 'h2', 'h2']);
    expect(html).toContain('<main id="sign-in"');
  });

  it('shows the name of a client as text, whatever is in it', async () => {
    const client = await service.addClient({ name: '<img src="x"> & \'Söhne\'' });
    const page = await (
      await service.begin({ client_id: client.clientId, redirect_uri: client.redirectUri })
    ).page();
    expect(inlineCode(page)).toEqual([
      expect.stringMatching(/^<script data-seconds="3" data-probe="[^"]*">\n/),
    ]);
    expect(page).not.toContain('<img');
    expect(page).toContain('<h1>Sign in to &lt;img src=&quot;x&quot;&gt; &amp; &#39;Söhne&#39;</h1>');
  });

  it('has no badge for a client of the production trees', async () => {
    const client = await service.addClient({ isProduction: true });
    const page = await (
      await service.begin({ client_id: client.clientId, redirect_uri: client.redirectUri })
    ).page();
    expect(page).not.toContain('class="badge"');
  });

  it('shows in turn that it waits, that the wallet is connected, and that the wallet refused', async () => {
    const own = await service.begin({ state: 's' });
    expect(await own.status()).toMatchObject({ status: 'waiting', code: null, detail: null });
    const request = await openRequest(own.connectUrl);
    expect(await own.status()).toMatchObject({ status: 'connected' });
    const connected = await own.page();
    expect(connected).toContain('>Confirm in your wallet.</p>');
    expect(connected).not.toContain('<svg');
    expect(connected).toContain('content="3"');
    await request.answer({ error_code: 'verification_rejected' });
    expect(await own.settle()).toMatchObject({
      status: 'refused',
      code: 'verification_rejected',
      detail: 'The person declined in the wallet.',
    });
    const refused = await own.page();
    expect(refused).toContain('role="alert" tabindex="-1" data-mood="bad">You declined in your wallet.</p>');
    expect(refused).toContain('<title>You declined in your wallet. – Sign in to Demo Shop</title>');
    expect(refused).not.toContain('http-equiv="refresh"');
    const links = [...refused.matchAll(/<a class="button primary" href="([^"]*)">([^<]*)</g)];
    expect(links.map(([, url, text]) => [url, text])).toContainEqual([
      `/authorize/${own.txn}/continue`,
      'Back to Demo Shop',
    ]);
    expect((await own.finish()).parameters).toMatchObject({ error: 'access_denied', state: 's' });
  });

  describe('for an app with a private scheme', () => {
    const begin = async (redirectUri = 'com.example.shop:/cb') => {
      const client = await service.addClient({ applicationType: 'native', redirectUris: [redirectUri] });
      return await service.begin({ client_id: client.clientId, redirect_uri: redirectUri });
    };
    const linkOf = (page: string): string =>
      /<p data-show="(?:completed|refused)"><a class="button primary" href="([^"]*)">/.exec(page)?.[1] ?? '';

    it('stays with a link when the person is confirmed, without a script, too, before and after the link was followed', async () => {
      const own = await begin();
      await approve(own.connectUrl);
      await own.settle();
      for (let time = 0; time < 2; time++) {
        const page = await own.page();
        expect(page).toContain('>Identity confirmed. Use the button to return to Demo Shop.</p>');
        expect(page).toContain('if the app does not appear, use the button again.</p>');
        expect(page).not.toContain('http-equiv="refresh"');
        expect(linkOf(page)).toBe(`/authorize/${own.txn}/continue`);
        expect((await own.continue()).headers.get('location')).toMatch(/^com\.example\.shop:\/cb\?code=/);
      }
    });

    it('stays with a link when the person has cancelled', async () => {
      const own = await begin();
      await own.cancel();
      const page = await own.page();
      expect(page).toContain('>This sign-in was cancelled.</p>');
      expect(linkOf(page)).toBe(`/authorize/${own.txn}/continue`);
    });

    it('leads on at once if the app has an address of http instead', async () => {
      const own = await begin('http://127.0.0.1/cb');
      await own.cancel();
      const page = await get(`/authorize/${own.txn}`, { cookie: own.cookie });
      expect([page.status, page.headers.get('location')]).toEqual([303, `/authorize/${own.txn}/continue`]);
    });
  });

  describe('with a logo', () => {
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );

    it('shows it, and serves its bytes unchanged', async () => {
      const client = await service.addClient({ logo: { contentType: 'image/png', bytes } });
      const page = await (
        await service.begin({ client_id: client.clientId, redirect_uri: client.redirectUri })
      ).page();
      const src = /<img class="logo" src="([^"]*)" alt="" width="64" height="64">/.exec(page)?.[1] ?? '';
      expect(src).toBe(`/signin/logo/${client.clientId}`);
      expect(page).not.toContain('initials');
      const logo = await get(src);
      expect(logo.status).toBe(200);
      expect(logo.headers.get('content-type')).toBe('image/png');
      expect(logo.headers.get('x-content-type-options')).toBe('nosniff');
      expect(logo.headers.get('cache-control')).toBe('public, max-age=300');
      const sent = createHash('sha256')
        .update(Buffer.from(await logo.arrayBuffer()))
        .digest('hex');
      expect(sent).toBe(createHash('sha256').update(bytes).digest('hex'));
    });

    it('answers 404 for the logo of a client that has none, is disabled or unknown', async () => {
      const disabled = await service.addClient({
        status: 'disabled',
        logo: { contentType: 'image/png', bytes },
      });
      for (const id of [service.web.clientId, disabled.clientId, 'app_unknown', '%20']) {
        const answer = await get(`/signin/logo/${id}`);
        expect(answer.status, id).toBe(404);
        expect(await answer.json()).toMatchObject({ code: 'not_found' });
      }
    });
  });
});

describe('the page of a service with a path', () => {
  it('is below that path, with all that it loads and calls', async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}/a/id`;
    const service = await startSigninOfTest({ settings: { ...signinSettings(port), baseUrl } });
    const signIn = await service.begin();
    const html = await signIn.page();
    const addresses = [...html.matchAll(/(?:src|href|action)="(\/[^"]*)"/g)].map(([, url]) => url ?? '');
    expect(addresses.length).toBeGreaterThan(4);
    for (const address of addresses) expect(address).toMatch(/^\/a\/id\//);
    expect(html).toContain(`/a/id/authorize/${signIn.txn}/status`);
    const cancelled = await signIn.cancel();
    expect(cancelled.headers.get('location')).toBe(`/a/id/authorize/${signIn.txn}/continue`);
    expect((await signIn.finish()).parameters.error).toBe('access_denied');
  });
});
