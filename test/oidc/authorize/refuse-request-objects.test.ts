// Rules: spec/sign-in.md#mode-of-an-error-response
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf } from '../../support/server/raw-client.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import {
  getAuthorize,
  having,
  type Pairs,
  postAuthorize,
  readRedirect,
} from '../support/authorize-client.ts';

const STATE = 'state of the object & more = 100% + ä🙂';
let code: Pairs;
let idToken: Pairs;

const service = opened(useSharedSignin);
beforeAll(async () => {
  const { clientId, redirectUri } = service.web;
  code = [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['scope', 'openid'],
  ];
  idToken = [...having(code, 'response_type', 'id_token'), ['nonce', 'n']];
});

/** An unsigned request object with this payload: JSON of a value, or text as it is. */
function objectOf(payload: unknown): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const header = JSON.stringify({ alg: 'none' });
  return `${Buffer.from(header).toString('base64url')}.${Buffer.from(text).toString('base64url')}.`;
}

interface Delivered {
  readonly mode: 'query' | 'fragment' | 'form_post';
  readonly error: string | undefined;
  readonly state: string | undefined;
}

/** Sends a request by both methods and reads where its refusal goes. */
async function refusalOf(request: Pairs): Promise<Delivered> {
  const [first, second] = await Promise.all([read(request, getAuthorize), read(request, postAuthorize)]);
  expect(second).toEqual(first);
  return first;
}

async function read(request: Pairs, send: typeof getAuthorize | typeof postAuthorize): Promise<Delivered> {
  const reply = await send(service.baseUrl, request);
  const { redirectUri } = service.web;
  if (reply.status === 303) {
    const { mode, parameters } = readRedirect(headerOf(reply, 'location'), redirectUri);
    const { error, state } = Object.fromEntries(parameters);
    return { mode, error, state };
  }
  const html = reply.body.toString();
  expect(html).toContain(`<form method="post" action="${redirectUri}">`);
  const inputOf = (name: string): string | undefined =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&');
  return { mode: 'form_post', error: inputOf('error'), state: inputOf('state') };
}

const error = 'request_not_supported';

describe('the refusal of a request object', () => {
  it.each([
    ['query', 'code', 'query'],
    ['fragment', 'code', 'fragment'],
    ['form_post', 'code', 'form_post'],
    ['query', 'id_token', 'fragment'],
    ['fragment', 'id_token', 'fragment'],
    ['form_post', 'id_token', 'form_post'],
    ['Fragment', 'code', 'query'],
    [['fragment'], 'code', 'query'],
    [undefined, 'id_token', 'fragment'],
  ])(
    'goes out by mode %j of the object where type %s allows it, with its state',
    async (sent, type, mode) => {
      const object = objectOf({ response_mode: sent, state: STATE });
      const request = type === 'code' ? code : idToken;
      expect(await refusalOf([...request, ['request', object]])).toEqual({ mode, error, state: STATE });
    },
  );

  it('prefers mode and state of the request, each on its own', async () => {
    const object = ['request', objectOf({ response_mode: 'form_post', state: 'o' })] as const;
    const withMode: Pairs = [...code, object, ['response_mode', 'fragment']];
    expect(await refusalOf(withMode)).toEqual({ mode: 'fragment', error, state: 'o' });
    expect(await refusalOf([...code, object, ['state', 's']])).toEqual({
      mode: 'form_post',
      error,
      state: 's',
    });
    expect(await refusalOf([...withMode, ['state', 's']])).toEqual({ mode: 'fragment', error, state: 's' });
  });

  it.each([
    ['is empty', ''],
    ['is a number', 7],
    ['is too long', 'x'.repeat(4097)],
    ['has an unpaired surrogate', '\ud800'],
  ])('has no state if that of the object %s', async (_name, state) => {
    const object = objectOf({ response_mode: 'fragment', state });
    expect(await refusalOf([...code, ['request', object]])).toEqual({
      mode: 'fragment',
      error,
      state: undefined,
    });
  });

  it('has the longest state that is taken from an object', async () => {
    const state = 'x'.repeat(4096);
    expect(await refusalOf([...code, ['request', objectOf({ state })]])).toMatchObject({ state });
  });

  it.each([
    ['no JWT', 'x'],
    ['no JSON', objectOf('{')],
    ['no object', objectOf('[{"response_mode":"fragment","state":"s"}]')],
    ['encrypted', 'a.b.c.d.e'],
    ['nested deeply', objectOf('['.repeat(20_000))],
  ])('has the default mode and no state if the object is %s', async (_name, object) => {
    expect(await refusalOf([...code, ['request', object]])).toEqual({
      mode: 'query',
      error,
      state: undefined,
    });
  });

  it('never goes to a redirect URI of the object, nor reads a client from it', async () => {
    const { clientId, redirectUri } = service.web;
    const object = objectOf({ client_id: clientId, redirect_uri: redirectUri, state: STATE });
    for (const name of ['client_id', 'redirect_uri']) {
      const request: Pairs = code.filter(([other]) => other !== name);
      const reply = await getAuthorize(service.baseUrl, [...request, ['request', object]]);
      expect([reply.status, headerOf(reply, 'location')]).toEqual([400, undefined]);
    }
  });
});

describe('any other refusal of a request with an object', () => {
  it.each([
    ['unsupported_response_type', 'response_type', 'token'],
    ['invalid_request', 'response_mode', 'x'],
  ])('%s does not read the object', async (expected, name, value) => {
    const object = objectOf({ response_mode: 'form_post', state: STATE });
    const { state, mode, ...rest } = await refusalOf([...having(code, name, value), ['request', object]]);
    expect({ state, ...rest }).toEqual({ state: undefined, error: expected });
    expect(mode).not.toBe('form_post');
  });
});
