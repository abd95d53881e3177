// Rules: spec/sign-in.md#redirect-uris, private schemes without a dot
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf, type RawResponse } from '../../support/server/raw-client.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';
import { getAuthorize, having, type Pairs, readRedirect, without } from '../support/authorize-client.ts';

const SHORT = 'myapp://callback';
const DOTTED = 'com.example.app:/cb';
const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');

const service = opened(useSharedSignin);
/** A confidential client, which need not use PKCE otherwise, with every response type. */
const client = opened(() =>
  service.addClient({
    redirectUris: [SHORT, DOTTED],
    applicationType: 'native',
    allowShortScheme: true,
    namesAllResponseTypes: true,
  }),
);

function requestOf(redirectUri: string, responseType = 'code'): Pairs {
  return [
    ['client_id', client.clientId],
    ['redirect_uri', redirectUri],
    ['response_type', responseType],
    ['scope', 'openid'],
    ['nonce', 'n'],
    ['code_challenge', CHALLENGE],
    ['code_challenge_method', 'S256'],
  ];
}

function errorOf(reply: RawResponse, redirectUri: string): string | undefined {
  const { parameters } = readRedirect(headerOf(reply, 'location'), redirectUri);
  return new Map(parameters).get('error');
}

describe('a client with a private scheme without a dot', () => {
  it('begins a sign-in with a code and PKCE', async () => {
    const reply = await getAuthorize(service.baseUrl, requestOf(SHORT));
    expect(headerOf(reply, 'location')).toContain(`${service.baseUrl}/authorize/`);
  });

  it.each([SHORT, DOTTED])('needs PKCE, at %s too', async (uri) => {
    const bare = without(requestOf(uri), 'code_challenge', 'code_challenge_method');
    expect(errorOf(await getAuthorize(service.baseUrl, bare), uri)).toBe('invalid_request');
  });

  it.each(['id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'])(
    'gets no %s there, which PKCE does not protect, but at its other URIs',
    async (type) => {
      const refused = await getAuthorize(service.baseUrl, requestOf(SHORT, type));
      expect(errorOf(refused, SHORT)).toBe('unauthorized_client');
      const begun = await getAuthorize(service.baseUrl, requestOf(DOTTED, type));
      expect(headerOf(begun, 'location')).toContain(`${service.baseUrl}/authorize/`);
    },
  );

  it('has its URIs compared byte for byte', async () => {
    for (const uri of ['MYAPP://callback', 'myapp://callback/', 'myapp://other']) {
      const reply = await getAuthorize(service.baseUrl, having(requestOf(SHORT), 'redirect_uri', uri));
      expect(reply.status).toBe(400);
    }
  });
});
