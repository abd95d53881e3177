import { beforeAll, describe, expect, it } from 'vitest';
import {
  encode,
  getAuthorize,
  having,
  type Pairs,
  postAuthorize,
  readRedirect,
  twice,
} from '../../oidc/support/authorize-client.ts';
import { PLANS } from '../../support/interop/conformance.ts';
import { headerOf, type RawResponse, rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openSignIn } from '../../support/signin/driver.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { approve, decline } from '../../support/test-wallet.ts';

const CALLBACK = 'https://shop.example/cb?shop=1&x=%20%2F';
const STATES = [
  ['10 kB', 'state_'.repeat(1700)],
  ['10 kB of UTF-8', 'é🙂 &=+%'.repeat(800)],
  ['U+0000', 'a\u0000b\u0000'],
] as const;
const SEND = { GET: getAuthorize, POST: postAuthorize } as const;
let base: Pairs;

import { opened } from '../../support/opened.ts';

const service = opened(useSharedSignin);
const client = opened(() => service.addClient({ redirectUris: [CALLBACK] }));
beforeAll(async () => {
  base = [
    ['client_id', client.clientId],
    ['redirect_uri', CALLBACK],
    ['scope', 'openid'],
    ['nonce', 'n'],
  ];
});

/** Follows an accepted request to its page; the answers are too long for the HTTP client of `PendingSignIn`. */
async function beginFrom(reply: RawResponse) {
  expect(reply.status, headerOf(reply, 'location')).toBe(303);
  const location = headerOf(reply, 'location') ?? '';
  expect(location.startsWith(`${service.baseUrl}/authorize/`)).toBe(true);
  const cookie = headerOf(reply, 'set-cookie')?.split(';')[0] ?? '';
  const signIn = await openSignIn(service.baseUrl, location.split('/').at(-1) ?? '', cookie);
  const proceed = (): Promise<RawResponse> =>
    rawRequest(
      Number(new URL(service.baseUrl).port),
      requestText(`GET /authorize/${signIn.txn}/continue`, [`Cookie: ${cookie}`]),
    );
  return { signIn, proceed };
}

/** Returns the parameters that an answer delivers to the app, in any response mode. */
function delivered(reply: RawResponse): Readonly<Record<string, string>> {
  if (reply.status === 200) {
    const html = reply.body.toString();
    expect(html).toContain(`action="${CALLBACK.replaceAll('&', '&amp;')}"`);
    const inputs = html.matchAll(/name="([^"]*)" value="([^"]*)"(?: data-json="([^"]*)")?/g);
    return Object.fromEntries(
      [...inputs].map(([, name = '', value = '', json]) => [
        name,
        // the page's script inserts what HTML cannot express (U+0000)
        json === undefined ? unescapeHtml(value) : (JSON.parse(unescapeHtml(json)) as string),
      ]),
    );
  }
  expect(reply.status).toBe(303);
  return Object.fromEntries(readRedirect(headerOf(reply, 'location'), CALLBACK).parameters);
}

describe('the state of an app', () => {
  const cases = STATES.flatMap(([name, state]) =>
    (['GET', 'POST'] as const).map((method) => [name, method, state] as const),
  );
  it.each(cases)(
    'of %s comes back with the code in each mode after a request by %s, and the registered query is kept',
    async (_name, method, state) => {
      for (const mode of ['query', 'fragment', 'form_post']) {
        const pairs: Pairs = [...base, ['response_type', 'code'], ['response_mode', mode], ['state', state]];
        const { signIn, proceed } = await beginFrom(await SEND[method](service.baseUrl, pairs));
        await approve(signIn.connectUrl);
        expect(await signIn.settle()).toMatchObject({ status: 'completed' });
        const parameters = delivered(await proceed());
        expect(parameters.state === state, `state by ${mode}`).toBe(true);
        expect(Object.keys(parameters)).toEqual(['code', 'state', 'iss']);
      }
    },
  );
});

describe('a wallet that declines', () => {
  it.each(PLANS)(
    'returns access_denied, state and iss only to a request for %s by %s',
    async (type, mode) => {
      const pairs: Pairs = [...base, ['response_type', type], ['response_mode', mode], ['state', 'sté&']];
      const { signIn, proceed } = await beginFrom(await getAuthorize(service.baseUrl, pairs));
      await decline(signIn.connectUrl);
      expect(await signIn.settle()).toMatchObject({ status: 'refused', code: 'verification_rejected' });
      expect(delivered(await proceed())).toEqual({
        error: 'access_denied',
        error_description: 'The person declined in the wallet.',
        state: 'sté&',
        iss: service.baseUrl,
      });
    },
  );
});

describe('a parameter that is sent twice', () => {
  it('is refused by each client endpoint, with the name of the parameter', async () => {
    const fields = [
      ['client_id', client.clientId],
      ['client_secret', client.clientSecret],
      ['grant_type', 'authorization_code'],
      ['code', 'c'],
      ['redirect_uri', CALLBACK],
      ['token', 't'],
    ] as const;
    const known = {
      '/token': ['client_id', 'client_secret', 'grant_type', 'code', 'redirect_uri', 'code_verifier'],
      '/introspect': ['client_id', 'client_secret', 'token', 'token_type_hint'],
      '/revoke': ['client_id', 'client_secret', 'token', 'token_type_hint'],
    };
    for (const [path, names] of Object.entries(known)) {
      for (const name of names) {
        const response = await fetch(`${service.baseUrl}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: encode(twice(fields, name)),
        });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          error: 'invalid_request',
          code: 'invalid_request',
          attribute: name,
        });
      }
    }
  });

  it('is refused by /authorize even with the same value, unless the parameter is unknown', async () => {
    const request: Pairs = [...base, ['response_type', 'code']];
    const refused = await getAuthorize(service.baseUrl, [...request, ['nonce', 'n']]);
    expect(headerOf(refused, 'location')).toContain('error=invalid_request');
    await beginFrom(await getAuthorize(service.baseUrl, twice(having(request, 'state', 's'), 'other')));
  });
});

function unescapeHtml(text: string): string {
  return text
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, digits: string) =>
      String.fromCodePoint(Number.parseInt(digits, hex === '' ? 10 : 16)),
    )
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
