// Rules: spec/sign-in.md#pkce-check
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import { calculatePKCECodeChallenge } from 'openid-client';
import { describe, expect, it } from 'vitest';
import { checkPkce } from '../../../src/oidc/endpoints/exchange-code.ts';
import {
  type BackChannel,
  basicOf,
  counterOf,
  REDIRECT_URI,
  type Reply,
  STARTED_AT,
  SUB,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import {
  badRequest,
  expectNoStore,
  expectRefusal,
  missing,
  REFUSALS,
  type Refusal,
  repeated,
  wrongMethod,
} from '../support/refusals.ts';

// RFC 7636 appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const GRANT = 'grant_type=authorization_code';
const REDIRECT = `redirect_uri=${encodeURIComponent(REDIRECT_URI)}`;
const PUBLIC = { tokenEndpointAuthMethod: 'none' } as const;

const INVALID_CODE: Refusal = badRequest('invalid_grant', 'Invalid authorization code.', 'code');
const OTHER_REDIRECT_URI: Refusal = {
  ...INVALID_CODE,
  text: 'redirect_uri differs from the one of the authorization request.',
  attribute: 'redirect_uri',
};
function verifierRefusal(text: string): Refusal {
  return { ...INVALID_CODE, text: `code_verifier ${text}`, attribute: 'code_verifier' };
}
const NO_GRANT_TYPE: Refusal = badRequest(
  'invalid_request',
  'Invalid grant type. Only authorization_code and refresh_token are supported.',
  'grant_type',
  'invalid_grant_type',
);

describe('POST /token', () => {
  it('exchanges a code for tokens, with Basic authentication', async () => {
    const service = await startBackChannel();
    const client = await service.addClient();
    const code = await service.issueCode(client, { scope: ['openid', 'email'] });
    const reply = await service.exchange(client, code);
    expect(reply.status).toBe(200);
    expectNoStore(reply);
    expect(reply.headers.get('content-type')).toBe('application/json');
    const { access_token: accessToken, id_token: idToken, ...rest } = reply.body;
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: 'openid email' });
    const access = decodeJwt(String(accessToken));
    expect(access).toMatchObject({ sub: SUB, client_id: client.id, scope: 'openid email' });
    expect(access.exp).toBe(STARTED_AT / 1000 + 3600);
    const id = decodeJwt(String(idToken));
    const half = createHash('sha256').update(String(accessToken)).digest().subarray(0, 16);
    expect(id).toMatchObject({
      sub: SUB,
      aud: client.id,
      iss: service.baseUrl,
      at_hash: half.toString('base64url'),
      auth_time: Math.floor((STARTED_AT - 2500) / 1000),
    });
    expect(id).not.toHaveProperty('nonce');
    expect(id).not.toHaveProperty('c_hash');
    expect(await counterOf(service.metrics, 'tokenIssuedTotal', { grant: 'authorization_code' })).toBe(1);
  });

  it.each(['n-1', 'a\u0000b"\\ü\u{1F600}', ' '])(
    'copies the nonce %j unchanged into the ID token',
    async (nonce) => {
      const service = await startBackChannel();
      const client = await service.addClient();
      const { body } = await service.exchange(client, await service.issueCode(client, { nonce }));
      expect(decodeJwt(String(body.id_token)).nonce).toBe(nonce);
      expect(decodeJwt(String(body.access_token))).not.toHaveProperty('nonce');
    },
  );

  it('accepts credentials in the body and in the header, whichever the client registered', async () => {
    const service = await startBackChannel();
    for (const tokenEndpointAuthMethod of ['client_secret_basic', 'client_secret_post'] as const) {
      const client = await service.addClient({ tokenEndpointAuthMethod });
      const inBody = await service.call('POST /token', {
        form: {
          grant_type: 'authorization_code',
          code: await service.issueCode(client),
          redirect_uri: REDIRECT_URI,
          client_id: client.id,
          client_secret: client.secret,
        },
        contentType: 'Application/X-WWW-Form-URLencoded; charset=UTF-8',
      });
      expect(inBody.status).toBe(200);
      expect((await service.exchange(client, await service.issueCode(client))).status).toBe(200);
    }
  });

  it('accepts a public client with PKCE, also with an empty secret', async () => {
    const service = await startBackChannel();
    const client = await service.addClient(PUBLIC);
    for (const more of ['', '&client_secret=']) {
      const code = await service.issueCode(client, { codeChallenge: CHALLENGE });
      const form = `${GRANT}&${REDIRECT}&code=${code}&client_id=${client.id}&code_verifier=${VERIFIER}${more}`;
      const reply = await service.call('POST /token', { form });
      expect([more, reply.status]).toEqual([more, 200]);
    }
  });

  it('ignores unknown parameters, even repeated ones', async () => {
    const service = await startBackChannel();
    const client = await service.addClient();
    const code = await service.issueCode(client);
    const reply = await service.call('POST /token', {
      headers: { authorization: client.basic },
      form: `foo=1&foo=2&scope=x&${GRANT}&code=${code}&${REDIRECT}`,
    });
    expect(reply.status).toBe(200);
  });

  it('is served below the path of the base address', async () => {
    const service = await startBackChannel({ baseUrl: 'http://localhost:8080/deep/er' });
    const client = await service.addClient();
    expect(service.url).toMatch(/\/deep\/er$/);
    expect((await service.exchange(client, await service.issueCode(client))).status).toBe(200);
    expect((await service.call('POST //token')).status).toBe(404);
  });
});

/** A request that breaks a check and all later ones; the answer is that of the check. */
interface Broken {
  readonly check: string;
  readonly line?: string;
  readonly contentType?: string;
  readonly authorization?: (client: TestClient) => string;
  readonly form: string;
  readonly expected: Refusal;
}

const OVERSIZE = 'a'.repeat(16_385);
const WRONG = (client: TestClient): string => basicOf(client.id, 'sk_wrong');
const RIGHT = (client: TestClient): string => client.basic;

/**
 * In the order of spec/sign-in.md#token-endpoint; `CODE` is replaced by a valid code of the client that has a
 * challenge.
 */
const ORDER: readonly Broken[] = [
  {
    check: 'method',
    line: 'PUT /token',
    contentType: 'text/plain',
    authorization: WRONG,
    form: OVERSIZE,
    expected: wrongMethod('PUT'),
  },
  {
    check: 'content type',
    contentType: 'application/json',
    authorization: (client) => `${WRONG(client)}${OVERSIZE}`,
    form: `%zz${OVERSIZE}`,
    expected: REFUSALS.notAForm,
  },
  {
    check: 'content type, absent',
    contentType: '',
    authorization: WRONG,
    form: `%zz${OVERSIZE}`,
    expected: REFUSALS.notAForm,
  },
  {
    check: 'size of the header',
    authorization: () => `Basic ${'A'.repeat(8192)}`,
    form: `%zz${OVERSIZE}`,
    expected: REFUSALS.authorizationTooLarge,
  },
  { check: 'size', authorization: WRONG, form: `%zz${OVERSIZE}`, expected: REFUSALS.bodyTooLarge },
  {
    check: 'parsing, of an escape',
    authorization: WRONG,
    form: 'code=1&code=%zz',
    expected: REFUSALS.malformed,
  },
  { check: 'parsing, of UTF-8', authorization: WRONG, form: 'code=1&code=%ff', expected: REFUSALS.malformed },
  {
    check: 'repeated parameter',
    authorization: WRONG,
    form: 'code=CODE&code=CODE&grant_type=password',
    expected: repeated('code'),
  },
  {
    check: 'repeated parameter, empty',
    authorization: WRONG,
    form: 'code_verifier=&code_verifier=&grant_type=password',
    expected: repeated('code_verifier'),
  },
  {
    check: 'client authentication',
    authorization: WRONG,
    form: 'grant_type=password&code=CODE&redirect_uri=https%3A%2F%2Fevil.example',
    expected: {
      ...REFUSALS.wrongCredentials,
      challenge: 'Basic realm="http://localhost:8080", charset="UTF-8"',
    },
  },
  {
    check: 'two ways of client authentication',
    authorization: RIGHT,
    form: 'client_secret=sk_x&grant_type=password&code=CODE',
    expected: badRequest(
      'invalid_request',
      'Only one way of client authentication may be used: the Authorization header or the body.',
      'client_secret',
    ),
  },
  {
    check: 'another client_id',
    authorization: RIGHT,
    form: 'client_id=app_1&grant_type=password&code=CODE',
    expected: badRequest(
      'invalid_request',
      'client_id differs from the one of the Authorization header.',
      'client_id',
    ),
  },
  { check: 'grant_type, absent', authorization: RIGHT, form: 'foo=1', expected: NO_GRANT_TYPE },
  {
    check: 'grant_type',
    authorization: RIGHT,
    form: 'grant_type=password',
    expected: { ...NO_GRANT_TYPE, error: 'unsupported_grant_type' },
  },
  {
    check: 'grant_type, in another case',
    authorization: RIGHT,
    form: 'grant_type=Authorization_Code&code=CODE',
    expected: { ...NO_GRANT_TYPE, error: 'unsupported_grant_type' },
  },
  { check: 'code', authorization: RIGHT, form: GRANT, expected: missing('code') },
  { check: 'code, empty', authorization: RIGHT, form: `${GRANT}&code=`, expected: missing('code') },
  {
    check: 'redirect_uri',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&code_verifier=x`,
    expected: missing('redirect_uri'),
  },
  {
    check: 'the code is known',
    authorization: RIGHT,
    form: `${GRANT}&code=unknown&redirect_uri=https%3A%2F%2Fevil.example&code_verifier=x`,
    expected: INVALID_CODE,
  },
];

/** Checks that run after the code is consumed. */
const AFTER_USE: readonly Broken[] = [
  {
    check: 'redirect_uri is that of the request',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&${REDIRECT}%20&code_verifier=x`,
    expected: OTHER_REDIRECT_URI,
  },
  {
    check: 'PKCE, absent',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&${REDIRECT}`,
    expected: verifierRefusal('is missing: the authorization request had a code_challenge.'),
  },
  {
    check: 'PKCE, too short',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&${REDIRECT}&code_verifier=${VERIFIER.slice(1)}`,
    expected: verifierRefusal('is malformed: expected 43 to 128 unreserved characters.'),
  },
  {
    check: 'PKCE, too long',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&${REDIRECT}&code_verifier=${'a'.repeat(129)}`,
    expected: verifierRefusal('is malformed: expected 43 to 128 unreserved characters.'),
  },
  {
    check: 'PKCE, another verifier',
    authorization: RIGHT,
    form: `${GRANT}&code=CODE&${REDIRECT}&code_verifier=${VERIFIER.slice(1)}x`,
    expected: verifierRefusal('does not match the code_challenge.'),
  },
];

function send(service: BackChannel, client: TestClient, code: string, broken: Broken): Promise<Reply> {
  const { line = 'POST /token', contentType, authorization, form } = broken;
  return service.call(line, {
    ...(contentType === undefined ? {} : { contentType }),
    headers: authorization === undefined ? {} : { authorization: authorization(client) },
    form: form.replaceAll('CODE', code),
  });
}

describe('the checks of /token', () => {
  it('run in the specified order, and leave the code usable until it is looked up', async () => {
    const service = await startBackChannel();
    const client = await service.addClient();
    const code = await service.issueCode(client, { codeChallenge: CHALLENGE });
    for (const broken of ORDER) {
      const reply = await send(service, client, code, broken);
      expect(() => expectRefusal(reply, broken.expected), `${broken.check}: ${reply.text}`).not.toThrow();
    }
    expect((await service.exchange(client, code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  it.each(AFTER_USE)('refuse a request after the code is consumed: $check', async (broken) => {
    const service = await startBackChannel();
    const client = await service.addClient();
    const code = await service.issueCode(client, { codeChallenge: CHALLENGE });
    expectRefusal(await send(service, client, code, broken), broken.expected);
    expectRefusal(await service.exchange(client, code, { code_verifier: VERIFIER }), INVALID_CODE);
  });

  it('refuse a verifier if no challenge was stored', async () => {
    const service = await startBackChannel();
    const client = await service.addClient();
    const code = await service.issueCode(client);
    expectRefusal(
      await service.exchange(client, code, { code_verifier: VERIFIER }),
      verifierRefusal('is unexpected: the authorization request had no code_challenge.'),
    );
    expectRefusal(await service.exchange(client, code), INVALID_CODE);
  });

  it('begin with the method, then the rate limit', async () => {
    const service = await startBackChannel({ 'rateLimits.token': '2' });
    for (const _ of [1, 2]) expect((await service.call('POST /token', { contentType: '' })).status).toBe(400);
    const reply = await service.call('POST /token', { form: OVERSIZE, contentType: 'text/plain' });
    expectRefusal(reply, REFUSALS.rateLimited);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await service.call('POST /token');
    expectRefusal(await service.call('PUT /token'), wrongMethod('PUT'));
    expect((await service.call('OPTIONS /token')).status).toBe(204);
    expect(service.log().filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await counterOf(service.metrics, 'rateLimitedTotal', { endpoint: '/token' })).toBe(2);
    expect((await service.call('POST /introspect')).status).toBe(400);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('refuse %s', async (method) => {
    const service = await startBackChannel();
    const reply = await service.call(`${method} /token`);
    expect(reply.headers.get('allow')).toBe('POST, OPTIONS');
    expectNoStore(reply);
    expect(reply.status).toBe(405);
  });
});

describe('a code', () => {
  it('is valid until it expires', async () => {
    const service = await startBackChannel({ 'signin.codeTtlSeconds': '60' });
    const client = await service.addClient();
    const [first, second] = [await service.issueCode(client), await service.issueCode(client)];
    service.clock.now += 59_999;
    expect((await service.exchange(client, first)).status).toBe(200);
    service.clock.now += 1;
    expectRefusal(await service.exchange(client, second), INVALID_CODE);
  });

  it('of another client is unknown, and stays valid for its own', async () => {
    const service = await startBackChannel();
    const [mine, other, open] = [
      await service.addClient(),
      await service.addClient(),
      await service.addClient(PUBLIC),
    ];
    const code = await service.issueCode(mine);
    expectRefusal(await service.exchange(other, code), INVALID_CODE);
    const form = `${GRANT}&${REDIRECT}&code=${code}&client_id=${open.id}`;
    expectRefusal(await service.call('POST /token', { form }), INVALID_CODE);
    expect((await service.exchange(mine, code)).status).toBe(200);
    expectRefusal(await service.exchange(other, code), INVALID_CODE);
    expect(await counterOf(service.metrics, 'codeReplayTotal')).toBe(0);
  });
});

const UNRESERVED = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'];

function codeOf(challenge: string | null, verifier: string | undefined): unknown {
  try {
    checkPkce(challenge, verifier);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ details: { path: 'code_verifier' } });
    return (error as { code?: unknown }).code;
  }
}

describe('checkPkce', () => {
  it('accepts the verifier of RFC 7636, and no verifier if there is no challenge', () => {
    expect(codeOf(CHALLENGE, VERIFIER)).toBeUndefined();
    expect(codeOf(null, undefined)).toBeUndefined();
  });

  it.each([
    [CHALLENGE, undefined, 'token.verifier_missing'],
    [null, VERIFIER, 'token.verifier_unexpected'],
    [null, 'x', 'token.verifier_unexpected'],
    [CHALLENGE, VERIFIER.slice(1), 'token.verifier_malformed'],
    [CHALLENGE, 'a'.repeat(129), 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}+`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}\n`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}é`, 'token.verifier_malformed'],
    [CHALLENGE, `${VERIFIER}a`, 'token.verifier_differs'],
    [CHALLENGE, CHALLENGE, 'token.verifier_differs'],
    // a digest of another length, for which timingSafeEqual would throw
    [CHALLENGE.slice(4), VERIFIER, 'token.verifier_differs'],
  ])('refuses challenge %s with verifier %s: %s', (challenge, verifier, code) => {
    expect(codeOf(challenge, verifier)).toBe(code);
  });

  it('accepts the challenge of openid-client for any verifier, and refuses any other verifier', async () => {
    const verifiers = fc
      .array(fc.constantFrom(...UNRESERVED), { minLength: 43, maxLength: 128 })
      .map((letters) => letters.join(''));
    await fc.assert(
      fc.asyncProperty(verifiers, verifiers, async (verifier, other) => {
        const challenge = await calculatePKCECodeChallenge(verifier);
        expect(codeOf(challenge, verifier)).toBeUndefined();
        if (other !== verifier) expect(codeOf(challenge, other)).toBe('token.verifier_differs');
      }),
    );
  });
});
