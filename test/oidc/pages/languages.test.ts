// Rules: spec/sign-in.md#languages
import { describe, expect, it } from 'vitest';
import { TEXTS } from '../../../src/http/pages/texts/page-texts.ts';
import { LANGUAGES, type Language } from '../../../src/oidc/languages.ts';
import { errorBody } from '../../support/error-body.ts';
import { opened } from '../../support/opened.ts';
import { type PendingSignIn, redeemCode } from '../../support/signin/driver.ts';
import { startSigninOfTest, useSharedSignin } from '../../support/signin/shared-service.ts';
import { approve, decline } from '../../support/test-wallet.ts';

describe('the language of the sign-in pages', () => {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${service.baseUrl}${path}`, { headers, redirect: 'manual' });
  const pageOf = (signIn: PendingSignIn, acceptLanguage?: string): Promise<Response> =>
    get(`/authorize/${signIn.txn}`, {
      cookie: signIn.cookie,
      ...(acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }),
    });
  const title = (language: Language): string =>
    TEXTS[language]['signin.title'].replace('{client}', 'Demo Shop');

  const service = opened(useSharedSignin);

  /** Expects a page in a language, by its attribute, its headers and its heading. */
  async function expectPage(response: Response, language: Language, heading: string): Promise<string> {
    const html = await response.text();
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`<h1>${heading}</h1>`);
    expect(response.headers.get('content-language')).toBe(language);
    expect(response.headers.get('vary')).toMatch(/(^|, )Accept-Language$/);
    return html;
  }

  it.each(LANGUAGES)('is %s if ui_locales names it, whatever the browser prefers', async (language) => {
    const signIn = await service.begin({ ui_locales: `zh ${language}-419 en` });
    const html = await expectPage(await pageOf(signIn, 'fr;q=0.9, de;q=0.8'), language, title(language));
    expect(html).toContain(`>${TEXTS[language]['state.waiting']}</p>`);
    expect(html).toContain(`<button>${TEXTS[language]['signin.cancel']}</button>`);
  });

  it('is that of the browser if ui_locales names no supported language', async () => {
    for (const parameters of [{}, { ui_locales: 'zh ko' }]) {
      const signIn = await service.begin(parameters);
      await expectPage(await pageOf(signIn, 'zh, ja;q=0.8, de;q=0.9'), 'de', title('de'));
      await expectPage(await pageOf(signIn), 'en', title('en'));
    }
  });

  it('applies to the sentences of the script too, including refusals and failures', async () => {
    const signIn = await service.begin({ ui_locales: 'pt' });
    const html = await (await pageOf(signIn)).text();
    const [, json = ''] = /data-config="([^"]*)"/.exec(html) ?? [];
    const config = JSON.parse(
      json.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    );
    const { sentences, unreachable } = config as {
      readonly sentences: Readonly<Record<string, string>>;
      readonly unreachable: string;
    };
    expect(unreachable).toBe(TEXTS.pt['signin.unreachable']);
    expect(sentences['refused.verification_rejected']).toBe(TEXTS.pt['state.refused.verification_rejected']);
    expect(sentences.completed).toBe('Identidade confirmada. Voltando para Demo Shop…');
    expect(
      Object.values(sentences).filter((text) => Object.values(TEXTS.en).includes(text as never)),
    ).toEqual([]);
  });

  it('applies to the reasons of failures and refusals', async () => {
    const failed = await service.begin({ ui_locales: 'de' });
    await approve(failed.connectUrl, { isFalse: true });
    await failed.settle();
    expect(await failed.page()).toContain(`>${TEXTS.de['state.failed.invalid_proof']}</p>`);
    const refused = await service.begin({ ui_locales: 'ja' });
    await decline(refused.connectUrl);
    await refused.settle();
    expect(await refused.page()).toContain(`>${TEXTS.ja['state.refused.verification_rejected']}</p>`);
  });

  it('applies to the form_post page', async () => {
    const signIn = await service.begin({ ui_locales: 'es', response_mode: 'form_post' });
    await signIn.cancel();
    const response = await signIn.continue();
    const html = await response.text();
    expect(html).toContain('<html lang="es">');
    expect(html).toContain(TEXTS.es['formPost.text']);
    expect(response.headers.get('content-language')).toBe('es');
  });

  it('is that of the browser for a finished sign-in and for a browser without the cookie', async () => {
    const signIn = await service.begin({ ui_locales: 'fr' });
    await approve(signIn.connectUrl);
    await signIn.settle();
    const { code } = (await signIn.finish()).parameters;
    expect((await redeemCode(service.baseUrl, service.web, code)).status).toBe(200);
    // A sign-in whose code is redeemed has no request, so that the language of the browser applies.
    await expectPage(await pageOf(signIn, 'de'), 'de', TEXTS.de['finished.title']);
    // Without the cookie the page discloses nothing of the sign-in, not even its language.
    const html = await expectPage(
      await get(`/authorize/${signIn.txn}`, { 'accept-language': 'de' }),
      'de',
      TEXTS.de['lost.title'],
    );
    expect(html).toContain('Die Anmeldung hat länger als 15 Minuten gedauert.');
  });

  describe('of an error page', () => {
    const wrong = { client_id: 'app_unknown', redirect_uri: 'https://shop.example/cb' };

    it('is that of ui_locales, by GET and by POST', async () => {
      const query = new URLSearchParams({ ...wrong, ui_locales: 'se ja' });
      const headers = { 'accept-language': 'de' };
      const byGet = await get(`/authorize?${query}`, headers);
      const byPost = await fetch(`${service.baseUrl}/authorize`, { method: 'POST', body: query, headers });
      for (const response of [byGet, byPost]) {
        expect(response.status).toBe(400);
        const html = await expectPage(response, 'ja', TEXTS.ja['error.title']);
        expect(html).toContain(TEXTS.ja['error.app_not_found']);
        expect(html).toContain('<span lang="en">No app has this client_id.</span>');
      }
    });

    it('is that of the browser without ui_locales, and for a query that cannot be decoded', async () => {
      for (const query of [new URLSearchParams(wrong).toString(), 'ui_locales=%zz&client_id=%zz']) {
        const response = await get(`/authorize?${query}`, { 'accept-language': 'pt-BR' });
        expect(response.status).toBe(400);
        await expectPage(response, 'pt', TEXTS.pt['error.title']);
      }
    });

    it('does not change the JSON body', async () => {
      const query = new URLSearchParams({ ...wrong, ui_locales: 'ja' });
      const response = await get(`/authorize?${query}`, { accept: 'application/json' });
      expect(response.headers.get('content-language')).toBeNull();
      expect(await response.json()).toMatchObject({ detail: 'No app has this client_id.' });
    });
  });

  it('does not change what the relying party receives', async () => {
    const signIn = await service.begin({ ui_locales: 'de' });
    await approve(signIn.connectUrl, { isFalse: true });
    expect(await signIn.settle()).toMatchObject({
      code: 'invalid_proof',
      detail: 'The proof is not valid for this sign-in. Please try again.',
    });
    await signIn.cancel();
    expect((await signIn.finish()).parameters).toMatchObject({
      error: 'access_denied',
      error_description: 'The proof is not valid for this sign-in. Please try again.',
    });
  });

  it('is listed in the metadata', async () => {
    const metadata = (await (await get('/.well-known/openid-configuration')).json()) as object;
    expect(metadata).toMatchObject({ ui_locales_supported: LANGUAGES });
  });

  it('is chosen among a bounded number of tags, however many are sent', async () => {
    const many = `${'zh '.repeat(9_000)}de`;
    const signIn = await service.begin({ ui_locales: many });
    await expectPage(await pageOf(signIn, `${'zh,'.repeat(9_000)}de`), 'en', title('en'));
  });
});

describe('a request over its limit', () => {
  it('by a form of the sign-in page leads back to that page', async () => {
    const service = await startSigninOfTest({ settings: { 'rateLimits.page': '1' } });
    const signIn = await service.begin();
    const answer = await signIn.cancel();
    expect(answer.status).toBe(429);
    const html = await answer.text();
    const link = /<a class="button" href="([^"]*)">/.exec(html)?.[1] ?? '';
    const form = `${service.baseUrl}/authorize/${signIn.txn}/cancel`;
    expect(new URL(link, form).href).toBe(`${service.baseUrl}/authorize/${signIn.txn}`);
    expect(html).not.toContain('http-equiv');
    expect(html).toContain(`&quot;goesOn&quot;:true,&quot;next&quot;:&quot;../${signIn.txn}&quot;`);
    const forged = await fetch(`${service.baseUrl}/authorize/%22%3E%3Cb%3E/cancel`, { method: 'POST' });
    expect(forged.status).toBe(429);
    const text = await forged.text();
    expect(text).not.toMatch(/"><b>|class="button"|&quot;next&quot;/);
    expect(text).toContain('&quot;goesOn&quot;:false');
  });

  it('is answered with the time to wait, in its language and without naming a setting', async () => {
    const service = await startSigninOfTest({ settings: { 'rateLimits.authorize': '1' } });
    const { clientId, redirectUri } = service.web;
    const query = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      client_id: clientId,
      redirect_uri: redirectUri,
      ui_locales: 'de',
    });
    const ask = (method: 'GET' | 'POST'): Promise<Response> =>
      fetch(`${service.baseUrl}/authorize${method === 'GET' ? `?${query}` : ''}`, {
        method,
        redirect: 'manual',
        headers: { 'accept-language': 'es' },
        ...(method === 'GET' ? {} : { body: query }),
      });
    expect((await ask('GET')).status).toBe(303);
    const byGet = await ask('GET');
    expect(byGet.status).toBe(429);
    const seconds = Number(byGet.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    const html = await byGet.text();
    expect(html).toContain('<html lang="de">');
    expect(html).toContain(
      `In <b id="wait-left">${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'}</b> können Sie es erneut versuchen.`,
    );
    expect(html).toContain(`<noscript><meta http-equiv="refresh" content="${seconds + 1}"></noscript>`);
    expect(html).toMatch(/<a class="button" href="">/);
    expect(html).not.toMatch(/rateLimits|rate_limit|Retry-After|proofgate /i);
    // This page does not resend a form, and its parameters are unknown because its body was not read.
    const byPost = await ask('POST');
    expect(byPost.status).toBe(429);
    const form = await byPost.text();
    expect(form).toContain('<html lang="es">');
    expect(form).not.toContain('http-equiv');
    expect(form).not.toContain('href=""');
    const json = await fetch(`${service.baseUrl}/authorize?${query}`, {
      headers: { accept: 'application/json' },
    });
    expect(await json.json()).toEqual(
      errorBody('temporarily_unavailable', 'rate_limit', 'Too many requests. Please try again later.'),
    );
  });
});
