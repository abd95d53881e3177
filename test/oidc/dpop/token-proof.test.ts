// Rules: spec/sign-in.md#dpop, RFC 9449 sections 4 to 10
import { createHmac } from 'node:crypto';
import { type CryptoKey, decodeJwt, exportJWK, importJWK, type JWK, SignJWT } from 'jose';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { opened } from '../../support/opened.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';
import { openBackChannel, REDIRECT_URI, type Reply, type TestClient } from '../support/back-channel.ts';
import { makeProof, makeProofKey, type ProofKey, type ProofMembers } from '../support/dpop-proofs.ts';
import { badRequest, expectRefusal, type Refusal } from '../support/refusals.ts';
import RSA_4096 from '../support/rsa-4096.json' with { type: 'json' };

const TARGET = 'POST http://localhost:8080/token';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
let nonce: string;
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());
const key = opened(makeProofKey);
beforeEach(() => {
  nonce = service.dpop.nonce();
});

/** Makes a proof for /token that is right but for the members. */
const proofOf = ({ header = {}, claims = {} }: ProofMembers = {}, by: ProofKey = key): Promise<string> =>
  makeProof(by, TARGET, service.clock.now, { header, claims: { nonce, ...claims } });

/** Exchanges a code, a new one unless given, with a proof. */
const exchange = async (proof: string, code?: string, by: TestClient = client): Promise<Reply> =>
  service.call('POST /token', {
    headers: { authorization: by.basic, dpop: proof },
    form: {
      grant_type: 'authorization_code',
      code: code ?? (await service.issueCode(by)),
      redirect_uri: REDIRECT_URI,
    },
  });

function invalid(reason: string): Refusal {
  const text = `The DPoP proof is not valid: ${reason}`;
  return { status: 400, error: 'invalid_dpop_proof', code: 'invalid_dpop_proof', text };
}
const USE_NONCE: Refusal = badRequest(
  'use_dpop_nonce',
  'The DPoP proof needs the nonce of the DPoP-Nonce header.',
);

describe('POST /token with a proof', () => {
  it.each(['ES256', 'ES384', 'EdDSA', 'Ed25519', 'RS256', 'PS256'])(
    'binds the access token to a key of %s',
    async (alg) => {
      const own = await makeProofKey(alg);
      const reply = await exchange(await proofOf({}, own));
      expect(reply.body).toMatchObject({ token_type: 'DPoP', expires_in: 3600 });
      expect(decodeJwt(String(reply.body.access_token)).cnf).toEqual({ jkt: own.jkt });
      expect(decodeJwt(String(reply.body.id_token))).not.toHaveProperty('cnf');
      expect(reply.headers.get('dpop-nonce')).toBe(nonce);
    },
  );

  it('issues a bearer token without a proof, and no nonce', async () => {
    const reply = await service.exchange(client, await service.issueCode(client));
    expect(reply.body.token_type).toBe('Bearer');
    expect(decodeJwt(String(reply.body.access_token))).not.toHaveProperty('cnf');
    expect(reply.headers.has('dpop-nonce')).toBe(false);
  });

  it.each<[string, ProofMembers]>([
    ['a query and a fragment in htu', { claims: { htu: 'http://localhost:8080/token?a=1#b' } }],
    ['scheme and host of htu in upper case', { claims: { htu: 'HTTP://LOCALHOST:8080/token' } }],
    ['dots and escapes in htu', { claims: { htu: 'http://localhost:8080/a/../%74oken' } }],
    ['iat 5 minutes ago', { claims: { iat: 1_790_000_000 - 300 } }],
    ['iat in 5 minutes', { claims: { iat: 1_790_000_000 + 300 } }],
    ['iat with a fraction', { claims: { iat: 1_790_000_000.5 } }],
    ['a jti of 1 character', { claims: { jti: 'a' } }],
    ['a jti of 128 characters', { claims: { jti: 'b'.repeat(128) } }],
    ['further claims', { claims: { exp: 1_790_000_060, nbf: 1_790_000_000, foo: [1] } }],
    ['further members of the header', { header: { kid: 'a', x5t: 'b' } }],
  ])('accepts %s', async (_name, members) => {
    expect((await exchange(await proofOf(members))).status).toBe(200);
  });

  it.each<[string, ProofMembers, string]>([
    ['another typ', { header: { typ: 'JWT' } }, 'typ is not dpop+jwt.'],
    ['no typ', { header: { typ: undefined } }, 'typ is not dpop+jwt.'],
    ['no jwk', { header: { jwk: undefined } }, 'jwk is missing.'],
    ['a text as jwk', { header: { jwk: 'a' } }, 'jwk is missing.'],
    [
      'a critical extension',
      { header: { crit: ['more'], more: 1 } },
      'its signature does not verify, or it has ended.',
    ],
    ['no jti', { claims: { jti: undefined } }, 'jti is not 1 to 128 characters.'],
    ['an empty jti', { claims: { jti: '' } }, 'jti is not 1 to 128 characters.'],
    ['a jti of 129 characters', { claims: { jti: 'b'.repeat(129) } }, 'jti is not 1 to 128 characters.'],
    ['a number as jti', { claims: { jti: 1 } }, 'jti is not 1 to 128 characters.'],
    ['no htm', { claims: { htm: undefined } }, 'htm is not the method of the request.'],
    ['another htm', { claims: { htm: 'GET' } }, 'htm is not the method of the request.'],
    ['htm in lower case', { claims: { htm: 'post' } }, 'htm is not the method of the request.'],
    ...[
      undefined,
      7,
      '/token',
      'http://localhost:8080/userinfo',
      'http://localhost:8080/token/',
      'http://localhost:8080/Token',
      'http://localhost/token',
      'https://localhost:8080/token',
      'http://a@localhost:8080/token',
      'http://localhost:8080/%2Ftoken',
    ].map((htu): [string, ProofMembers, string] => [
      `htu ${htu}`,
      { claims: { htu } },
      'htu is not the address of the request.',
    ]),
    ...[undefined, '1790000000', 1_790_000_000 - 301, 1_790_000_000 + 301, 1e300].map(
      (iat): [string, ProofMembers, string] => [
        `iat ${iat}`,
        { claims: { iat } },
        'iat is not within 5 minutes of the time of the service.',
      ],
    ),
    [
      'an exp that has passed',
      { claims: { exp: 1_790_000_000 - 301 } },
      'its signature does not verify, or it has ended.',
    ],
    ['a number as nonce', { claims: { nonce: 1 } }, 'nonce is not a text.'],
  ])('refuses %s', async (_name, members, reason) => {
    const reply = await exchange(await proofOf(members));
    expectRefusal(reply, invalid(reason));
    expect(reply.headers.get('dpop-nonce')).toBe(nonce);
  });

  it('uses up neither code nor proof of a refused request', async () => {
    const code = await service.issueCode(client);
    const proof = await proofOf({ claims: { jti: 'kept' } });
    expect((await exchange(await proofOf({ claims: { htm: 'GET', jti: 'kept' } }), code)).status).toBe(400);
    expect((await exchange(proof, 'no code')).body.error).toBe('invalid_grant');
    expect((await exchange(proof, code)).status).toBe(200);
  });

  it('refuses what is not one JWT, and a longer one than 4,096 characters', async () => {
    const proof = await proofOf();
    const [head = '', claims = ''] = proof.split('.');
    for (const text of [
      '',
      'a',
      'a.b',
      'a.b.c',
      `${head}.${claims}.`,
      `${proof}.a`,
      `${proof},${proof}`,
      `${proof}=`,
    ]) {
      expectRefusal(await exchange(text), invalid('not one JWT.'));
    }
    const long = await proofOf({ claims: { more: 'a'.repeat(4000) } });
    expectRefusal(await exchange(long), invalid('longer than 4096 characters.'));
    const fits = await proofOf({ claims: { more: 'a'.repeat(2000) } });
    expect([fits.length < 4096, (await exchange(fits)).status]).toEqual([true, 200]);
  });

  it('refuses two headers, even of the same proof', async () => {
    const proof = await proofOf();
    const form = `grant_type=authorization_code&code=${await service.issueCode(client)}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`;
    const head = [
      `Authorization: ${client.basic}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
    ];
    const send = async (lines: readonly string[]): Promise<unknown[]> => {
      const reply = await rawRequest(service.port, requestText('POST /token', [...head, ...lines], form));
      return [reply.status, JSON.parse(reply.body.toString()).error];
    };
    expect(await send([`DPoP: ${proof}`, `DPoP: ${proof}`])).toEqual([400, 'invalid_dpop_proof']);
    expect(await send([`DPoP: ${proof}`])).toEqual([200, undefined]);
  });

  it('refuses a changed or foreign signature', async () => {
    const [head, claims, signature = ''] = (await proofOf()).split('.');
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    const other = await makeProofKey();
    for (const bad of [`${head}.${claims}.${flipped}`, await proofOf({ header: { jwk: other.jwk } })]) {
      expectRefusal(await exchange(bad), invalid('its signature does not verify, or it has ended.'));
    }
  });

  it('refuses algorithms that are symmetric, none or not listed', async () => {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { htm: 'POST', htu: 'http://localhost:8080/token', iat: 1_790_000_000, jti: 'j', nonce };
    const none = `${encode({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk })}.${encode(claims)}.AA`;
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk: key.jwk })
      .sign(createHmac('sha256', 'k').digest());
    const unlisted = await proofOf({}, await makeProofKey('ES512'));
    const inherited = `${encode({ typ: 'dpop+jwt', alg: 'toString', jwk: key.jwk })}.${encode(claims)}.AA`;
    for (const bad of [none, symmetric, unlisted, inherited]) {
      expectRefusal(
        await exchange(bad),
        invalid('alg is none of ES256, ES384, EdDSA, Ed25519, RS256, PS256.'),
      );
    }
  });

  it('refuses a private key, and a key that does not fit the algorithm', async () => {
    const secret = await exportJWK(key.privateKey);
    expectRefusal(
      await exchange(await proofOf({ header: { jwk: secret } })),
      invalid('jwk has a private member.'),
    );
    const rsa = await makeProofKey('RS256');
    const { x, y, kty, crv } = key.jwk;
    const jwks: (JWK | Record<string, unknown>)[] = [
      rsa.jwk,
      { kty, crv, x },
      { kty, crv: 'P-384', x, y },
      { kty: 'OKP', crv, x, y },
      { kty, crv, x: `${x}A`, y },
      { kty, crv, x: `${x}=`, y },
      { kty, crv, x: 1, y },
      {},
    ];
    for (const jwk of jwks) {
      expectRefusal(
        await exchange(await proofOf({ header: { jwk } })),
        invalid('jwk is not a public key for alg.'),
      );
    }
    const off = { kty, crv, x, y: x };
    expectRefusal(
      await exchange(await proofOf({ header: { jwk: off } })),
      invalid('its signature does not verify, or it has ended.'),
    );
    const own = { kid: 'k', use: 'sig', alg: key.alg, key_ops: ['sign', 'verify'] };
    expect((await exchange(await proofOf({ header: { jwk: { ...key.jwk, ...own } } }))).status).toBe(200);
  });

  it.each([
    [{ alg: 'ES384' }],
    [{ use: 'enc' }],
    [{ use: 1 }],
    [{ key_ops: ['sign'] }],
    [{ key_ops: [] }],
    [{ key_ops: 'verify' }],
  ])('refuses a key that is for something else: %j', async (members) => {
    const bad = await proofOf({ header: { jwk: { ...key.jwk, ...members } } });
    expectRefusal(await exchange(bad), invalid('jwk is for another alg or use.'));
  });

  it('accepts RSA keys of 2,048 to 4,096 bits, with small exponents only', async () => {
    const small = await makeProofKey('PS256');
    // The search for its primes would take a second.
    const { kty, n: largeModulus, e } = RSA_4096;
    const privateKey = (await importJWK(RSA_4096, 'RS256')) as CryptoKey;
    const large = { alg: 'RS256', privateKey, jwk: { kty, n: largeModulus, e }, jkt: '' };
    expect((await exchange(await proofOf({}, small))).status).toBe(200);
    expect((await exchange(await proofOf({}, large))).status).toBe(200);
    const modulus = (bits: number): string => {
      const bytes = Buffer.alloc(Math.ceil(bits / 8), 0xff);
      if (bits % 8 > 0) bytes[0] = (1 << (bits % 8)) - 1;
      return bytes.toString('base64url');
    };
    const { n } = small.jwk;
    for (const jwk of [
      { kty: 'RSA', n: modulus(2047), e: 'AQAB' },
      { kty: 'RSA', n: modulus(4097), e: 'AQAB' },
      {
        kty: 'RSA',
        n: Buffer.concat([Buffer.alloc(1), Buffer.from(String(n), 'base64url')]).toString('base64url'),
        e: 'AQAB',
      },
      { kty: 'RSA', n, e: 'AQAAAAE' },
      { kty: 'RSA', n, e: 'AQ' },
      { kty: 'RSA', n, e: 'BA' },
      { kty: 'RSA', n, e: 'AAEAAQ' },
    ]) {
      expectRefusal(
        await exchange(await proofOf({ header: { jwk } }, small)),
        invalid('jwk is not a public key for alg.'),
      );
    }
  });

  it('takes a proof once, and one of two at once', async () => {
    const proof = await proofOf();
    expect((await exchange(proof)).status).toBe(200);
    const code = await service.issueCode(client);
    expectRefusal(await exchange(proof, code), invalid('it was used before.'));
    expect((await exchange(await proofOf(), code)).status).toBe(200);
    const codes = await Promise.all(Array.from({ length: 8 }, () => service.issueCode(client)));
    const shared = await proofOf();
    const replies = await Promise.all(codes.map((each) => exchange(shared, each)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
  });

  it('takes one jti once per key', async () => {
    const other = await makeProofKey();
    const same = { claims: { jti: 'same' } };
    expect((await exchange(await proofOf(same))).status).toBe(200);
    expect((await exchange(await proofOf(same, other))).status).toBe(200);
    expectRefusal(await exchange(await proofOf(same)), invalid('it was used before.'));
  });

  it('asks for its nonce, which is valid in its window and the next', async () => {
    const from = service.clock.now;
    const begin = Math.floor(from / 300_000) * 300_000;
    const at = async (now: number, given: string | undefined): Promise<Reply> => {
      service.clock.now = now;
      return exchange(await proofOf({ claims: { nonce: given } }));
    };
    onTestFinished(() => {
      service.clock.now = from;
    });
    for (const given of [undefined, '', 'a', `${nonce}A`]) {
      const refused = await at(from, given);
      expectRefusal(refused, USE_NONCE);
      expect(refused.headers.get('dpop-nonce')).toBe(nonce);
    }
    expect((await at(begin + 599_999, nonce)).status).toBe(200);
    const old = await at(begin + 600_000, nonce);
    expectRefusal(old, USE_NONCE);
    const fresh = String(old.headers.get('dpop-nonce'));
    expect(fresh).not.toBe(nonce);
    expect((await at(begin + 600_000, fresh)).status).toBe(200);
    // none of a later window
    expectRefusal(await at(begin + 599_999, fresh), USE_NONCE);
  });

  it('keeps the use of a proof for longer than its nonce is valid', async () => {
    await service.store.sweep(Number.MAX_SAFE_INTEGER, 1000);
    const code = await service.issueCode(client);
    expect((await exchange(await proofOf(), code)).status).toBe(200);
    const end = (Math.floor(service.clock.now / 300_000) + 2) * 300_000;
    for (const [at, count] of [
      [end + 299_999, 1],
      [end + 300_000, 0],
    ] as const) {
      await service.store.sweep(at, 1000);
      expect((await service.store.rowCounts()).dpop_proofs).toBe(count);
    }
  });

  it('authenticates the client before it looks at the proof', async () => {
    const reply = await exchange('x', undefined, { ...client, basic: 'Basic YTpi' });
    expect([reply.status, reply.body.error]).toEqual([401, 'invalid_client']);
  });

  it('sends a nonce with every refusal of a request that has a proof', async () => {
    const reply = await exchange(await proofOf(), 'no code');
    expect([reply.body.error, reply.headers.get('dpop-nonce')]).toEqual(['invalid_grant', nonce]);
  });
});

it('a client with dpop_bound_access_tokens gets no tokens without a proof, and a nonce for it', async () => {
  const bound = await service.addClient({ dpopBoundAccessTokens: true });
  const code = await service.issueCode(bound);
  const refused = await service.exchange(bound, code);
  expectRefusal(refused, {
    ...invalid(''),
    text: 'The client must send a DPoP proof.',
  });
  const given = String(refused.headers.get('dpop-nonce'));
  expect((await exchange(await proofOf({ claims: { nonce: given } }), code, bound)).body.token_type).toBe(
    'DPoP',
  );
});

describe('a code that is bound to a key', () => {
  const DIFFERS: Refusal = badRequest('invalid_grant', 'The authorization code is bound to another key.');

  it('is exchanged with a proof by that key', async () => {
    const code = await service.issueCode(client, { dpopJkt: key.jkt });
    expect((await exchange(await proofOf(), code)).body.token_type).toBe('DPoP');
  });

  it('is used up by a request without a proof, or with one by another key', async () => {
    const other = await makeProofKey();
    for (const present of [
      (code: string) => service.exchange(client, code),
      async (code: string) => exchange(await proofOf({}, other), code),
    ]) {
      const code = await service.issueCode(client, { dpopJkt: key.jkt });
      expectRefusal(await present(code), DIFFERS);
      expect((await exchange(await proofOf(), code)).body.error_description).toBe(
        'Invalid authorization code.',
      );
    }
  });

  it('is checked after the verifier', async () => {
    const code = await service.issueCode(client, { dpopJkt: key.jkt, codeChallenge: CHALLENGE });
    expect((await service.exchange(client, code)).body.attribute).toBe('code_verifier');
  });
});
