// Rules: spec/sign-in.md#checks-answered-to-the-app
import { beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '../../support/error-body.ts';
import { opened } from '../../support/opened.ts';
import { headerOf } from '../../support/server/raw-client.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import {
  getAuthorize,
  having,
  type Pairs,
  postAuthorize,
  readRedirect,
  without,
} from '../support/authorize-client.ts';

const JSON_ONLY = 'Accept: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const REQUIRED = 'This attribute is required.';
let request: Pairs;

const service = opened(useSharedSignin);
beforeAll(async () => {
  const { clientId, redirectUri } = service.web;
  request = [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'id_token'],
    ['response_mode', 'fragment'],
    ['scope', 'openid'],
    ['state', 's'],
    ['nonce', 'n'],
  ];
});

const bodyOf = (attribute: string): object => errorBody('invalid_request', 'required', REQUIRED, attribute);

describe('a required parameter that is missing', () => {
  it.each(['client_id', 'redirect_uri'])(
    'is reported by the service itself, without a redirect: %s',
    async (name) => {
      const reply = await getAuthorize(service.baseUrl, without(request, name), [JSON_ONLY]);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.body.toString())).toEqual(bodyOf(name));
    },
  );

  it.each(['response_type', 'scope', 'nonce'])(
    'is reported to the relying party, and in the body to a caller that accepts JSON: %s',
    async (name) => {
      for (const send of [
        () => getAuthorize(service.baseUrl, without(request, name), [JSON_ONLY]),
        () => postAuthorize(service.baseUrl, without(request, name), [JSON_ONLY, FORM]),
      ]) {
        const reply = await send();
        expect(reply.status).toBe(303);
        expect(readRedirect(headerOf(reply, 'location'), service.web.redirectUri).parameters).toEqual([
          ['error', 'invalid_request'],
          ['error_description', `${name}: ${REQUIRED}`],
          ['state', 's'],
          ['iss', service.baseUrl],
        ]);
        expect(headerOf(reply, 'content-type')).toBe('application/json');
        expect(headerOf(reply, 'vary')).toBe('Accept');
        expect(headerOf(reply, 'cache-control')).toBe('no-store');
        expect(JSON.parse(reply.body.toString())).toEqual(bodyOf(name));
      }
    },
  );

  it.each([[], ['Accept: */*'], ['Accept: text/html, application/json;q=0.9']])(
    'is answered to a browser without a body: %j',
    async (...headers) => {
      const reply = await getAuthorize(service.baseUrl, without(request, 'scope'), headers);
      expect([reply.status, reply.body.length]).toEqual([303, 0]);
      expect(headerOf(reply, 'content-type')).toBeUndefined();
    },
  );

  it('is answered with the self-submitting page for response_mode form_post', async () => {
    const query = having(without(request, 'scope'), 'response_mode', 'form_post');
    const reply = await getAuthorize(service.baseUrl, query, [JSON_ONLY]);
    expect(reply.status).toBe(200);
    expect(headerOf(reply, 'content-type')).toMatch(/^text\/html/);
    expect(reply.body.toString()).not.toContain('name="code"');
  });
});

describe('any other error for the relying party', () => {
  it('has the same five members for a caller that accepts JSON', async () => {
    const refusals: readonly (readonly [Pairs, object])[] = [
      [
        having(request, 'scope', 'email'),
        { error: 'invalid_scope', code: 'invalid_scope', attribute: 'scope' },
      ],
      [having(request, 'prompt', 'none'), { error: 'login_required', code: 'login_required' }],
      [having(request, 'response_type', 'token'), { code: 'unsupported_response_type' }],
    ];
    for (const [query, expected] of refusals) {
      const reply = await getAuthorize(service.baseUrl, query, [JSON_ONLY]);
      const body = JSON.parse(reply.body.toString()) as Readonly<Record<string, unknown>>;
      expect(body).toMatchObject(expected);
      expect(Object.keys(body)).toEqual(['error', 'error_description', 'code', 'detail', 'attribute']);
      const { parameters } = readRedirect(headerOf(reply, 'location'), service.web.redirectUri);
      expect(parameters.map(([name]) => name)).toEqual(['error', 'error_description', 'state', 'iss']);
    }
  });
});
