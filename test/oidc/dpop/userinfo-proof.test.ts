// Rules: spec/sign-in.md#bound-tokens-at-userinfo, RFC 9449 section 7
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import {
  type BackChannel,
  openBackChannel,
  REDIRECT_URI,
  type Reply,
  STARTED_AT,
  SUB,
  startBackChannel,
  type TestClient,
} from '../support/back-channel.ts';
import { athOf, makeProof, makeProofKey, type ProofKey, type ProofMembers } from '../support/dpop-proofs.ts';
import { expectNoStore, expectRefusal, REFUSALS, type Refusal } from '../support/refusals.ts';

const ADDRESS = 'http://localhost:8080/userinfo';
const ALGS = 'algs="ES256 ES384 EdDSA Ed25519 RS256 PS256"';
const SUBJECT = { sub: SUB, level: 'orb', authTime: STARTED_AT / 1000 - 3 } as const;
let token: string;
let nonce: string;
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());
const key = opened(makeProofKey);
beforeAll(async () => {
  token = await boundToken(key.jkt);
});
beforeEach(() => {
  nonce = service.dpop.nonce();
});

/** Issues an access token that is bound to a key. */
async function boundToken(jkt: string, at: BackChannel = service, by: TestClient = client): Promise<string> {
  const grant = { clientId: by.id, scope: ['openid'], subject: SUBJECT, jkt };
  return (await at.tokens.accessToken(grant, randomUUID())).token;
}

/** Makes a proof for `GET /userinfo` that is right but for the members. */
const proofOf = ({ header = {}, claims = {} }: ProofMembers = {}, by: ProofKey = key): Promise<string> =>
  makeProof(by, `GET ${ADDRESS}`, service.clock.now, {
    header,
    claims: { nonce, ath: athOf(token), ...claims },
  });

const get = (authorization: string, proof?: string, line = 'GET /userinfo'): Promise<Reply> =>
  service.call(line, { headers: { authorization, ...(proof === undefined ? {} : { dpop: proof }) } });

/** Returns a refusal with the challenge of the scheme DPoP. */
function refusal(error: string, text: string): Refusal {
  const challenge = `DPoP realm="http://localhost:8080", error="${error}", error_description="${text}", ${ALGS}`;
  return { status: 401, error, code: error, text, challenge };
}
const invalidProof = (reason: string): Refusal =>
  refusal('invalid_dpop_proof', `The DPoP proof is not valid: ${reason}`);

describe('/userinfo with a bound token', () => {
  it('returns the claims for a proof, by GET and by POST, and the scheme in any case', async () => {
    for (const [method, scheme] of [
      ['GET', 'DPoP'],
      ['POST', 'dpop'],
    ]) {
      const proof = await proofOf({ claims: { htm: method } });
      const reply = await get(`${scheme} ${token}`, proof, `${method} /userinfo`);
      expect([reply.status, reply.body.sub]).toEqual([200, SUB]);
      expectNoStore(reply);
      expect(reply.headers.get('dpop-nonce')).toBe(nonce);
    }
  });

  it('refuses the token as Bearer, with or without a proof', async () => {
    const text = 'The token is bound to a key: send it with scheme DPoP and a proof.';
    const bearer = 'Bearer realm="http://localhost:8080", error="invalid_token"';
    const refused: Refusal = {
      status: 401,
      error: 'invalid_token',
      code: 'invalid_token',
      text,
      attribute: 'token',
      challenge: `${bearer}, error_description="Token is invalid or expired.", DPoP ${ALGS}`,
    };
    expectRefusal(await get(`Bearer ${token}`), refused);
    expectRefusal(await get(`Bearer ${token}`, await proofOf()), refused);
  });

  it('refuses a token that is bound to no key, which works as Bearer', async () => {
    const unbound = await service.accessToken(client);
    const text = 'The token is bound to no key: send it with scheme Bearer.';
    const proof = await proofOf({ claims: { ath: athOf(unbound) } });
    expectRefusal(await get(`DPoP ${unbound}`, proof), {
      ...refusal('invalid_token', text),
      attribute: 'token',
    });
    expect((await get(`Bearer ${unbound}`, proof)).status).toBe(200);
  });

  it('refuses a proof by another key', async () => {
    const other = await makeProofKey();
    const text = 'The DPoP proof is by another key than that of the token.';
    expectRefusal(await get(`DPoP ${token}`, await proofOf({}, other)), {
      ...refusal('invalid_token', text),
      attribute: 'token',
    });
  });

  it.each<[string, ProofMembers, string]>([
    ['ath', { claims: { ath: undefined } }, 'ath is not the hash of the access token.'],
    ['ath', { claims: { ath: athOf('a') } }, 'ath is not the hash of the access token.'],
    ['htm', { claims: { htm: 'POST' } }, 'htm is not the method of the request.'],
    ['htu', { claims: { htu: 'http://localhost:8080/token' } }, 'htu is not the address of the request.'],
    ['typ', { header: { typ: 'jwt' } }, 'typ is not dpop+jwt.'],
  ])('refuses a wrong %s %#', async (_name, members, reason) => {
    expectRefusal(await get(`DPoP ${token}`, await proofOf(members)), invalidProof(reason));
  });

  it('refuses a missing proof, and asks for its nonce', async () => {
    const missing = await get(`DPoP ${token}`);
    expectRefusal(missing, refusal('invalid_dpop_proof', 'The DPoP proof is missing.'));
    const old = await get(`DPoP ${token}`, await proofOf({ claims: { nonce: undefined } }));
    expectRefusal(old, refusal('use_dpop_nonce', 'The DPoP proof needs the nonce of the DPoP-Nonce header.'));
    for (const { headers } of [missing, old]) expect(headers.get('dpop-nonce')).toBe(nonce);
  });

  it('takes a proof once, and one of many at once', async () => {
    const proof = await proofOf();
    expect((await get(`DPoP ${token}`, proof)).status).toBe(200);
    expectRefusal(await get(`DPoP ${token}`, proof), invalidProof('it was used before.'));
    const shared = await proofOf();
    const replies = await Promise.all(Array.from({ length: 8 }, () => get(`DPoP ${token}`, shared)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('refuses an invalid token before it looks at the proof', async () => {
    const challenge = refusal('invalid_token', 'Token is invalid or expired.').challenge ?? '';
    expectRefusal(await get('DPoP garbage', 'x'), { ...REFUSALS.inactive, challenge });
    const ended = await boundToken(key.jkt);
    const form = { token: ended };
    await service.call('POST /revoke', { headers: { authorization: client.basic }, form });
    const proof = await proofOf({ claims: { ath: athOf(ended) } });
    expectRefusal(await get(`DPoP ${ended}`, proof), { ...REFUSALS.inactive, challenge });
  });

  it('challenges for both schemes if none was tried', async () => {
    for (const authorization of ['DPoP', 'DPoP ', 'Basic a']) {
      const reply = await get(authorization);
      expect(reply.headers.get('www-authenticate')).toBe(
        `Bearer realm="http://localhost:8080", DPoP ${ALGS}`,
      );
    }
  });

  it('limits the requests with a proof of a person at a client, not bearer tokens', async () => {
    const limited = await startBackChannel({ 'rateLimits.token': '1' });
    const own = await limited.addClient();
    const bound = await boundToken(key.jkt, limited, own);
    const send = async (): Promise<Reply> => {
      const claims = { nonce: limited.dpop.nonce(), ath: athOf(bound) };
      const proof = await makeProof(key, `GET ${ADDRESS}`, limited.clock.now, { claims });
      return limited.call('GET /userinfo', { headers: { authorization: `DPoP ${bound}`, dpop: proof } });
    };
    expect((await send()).status).toBe(200);
    const refused = await send();
    expectRefusal(refused, REFUSALS.rateLimited);
    expect((await limited.store.rowCounts()).dpop_proofs).toBe(1);
    const bearer = { headers: { authorization: `Bearer ${await limited.accessToken(own)}` } };
    expect((await limited.call('GET /userinfo', bearer)).status).toBe(200);
  });
});

it('/introspect and /revoke show the key of a bound token, and end it', async () => {
  const headers = { authorization: client.basic };
  const bound = await boundToken(key.jkt);
  const introspect = (): Promise<Reply> =>
    service.call('POST /introspect', { headers, form: { token: bound } });
  expect((await introspect()).body).toMatchObject({
    active: true,
    token_type: 'DPoP',
    cnf: { jkt: key.jkt },
  });
  await service.call('POST /revoke', { headers, form: { token: bound } });
  expect((await introspect()).body).toMatchObject({ active: false });
  const plain = await service.call('POST /introspect', {
    headers,
    form: { token: await service.accessToken(client) },
  });
  expect(plain.body).toMatchObject({ active: true, token_type: 'Bearer' });
  expect(plain.body).not.toHaveProperty('cnf');
});

it('two nodes with one master key accept each other’s nonces', async () => {
  const settings = { 'keys.masterKey': Buffer.alloc(32, 7).toString('base64') };
  const [one, other] = [await startBackChannel(settings), await startBackChannel(settings)];
  const own = await other.addClient();
  const claims = { nonce: one.dpop.nonce() };
  const proof = await makeProof(key, 'POST http://localhost:8080/token', other.clock.now, { claims });
  const reply = await other.call('POST /token', {
    headers: { authorization: own.basic, dpop: proof },
    form: { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code: await other.issueCode(own) },
  });
  expect(reply.body.token_type).toBe('DPoP');
  expect(one.dpop.nonce()).not.toBe(nonce);
});
