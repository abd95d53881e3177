// Rules: spec/sign-in.md#dpop, RFC 9449 section 5
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { openBackChannel, REDIRECT_URI, type Reply, type TestClient } from '../support/back-channel.ts';
import { makeProof, makeProofKey, type ProofKey } from '../support/dpop-proofs.ts';
import { badRequest, expectRefusal } from '../support/refusals.ts';

// RFC 7636 appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const SCOPE = ['openid', 'offline_access'];
const service = opened(openBackChannel, 'stop');
const key = opened(makeProofKey);
const other = opened(() => makeProofKey('EdDSA'));

const proofBy = (by: ProofKey): Promise<string> =>
  makeProof(by, 'POST http://localhost:8080/token', service.clock.now, {
    claims: { nonce: service.dpop.nonce() },
  });

/** Sends a token request as a client, with a proof if there is one. */
const send = (
  { id, secret }: TestClient,
  form: Readonly<Record<string, string>>,
  proof?: string,
): Promise<Reply> =>
  service.call('POST /token', {
    headers: proof === undefined ? {} : { dpop: proof },
    form: { client_id: id, ...(secret === '' ? {} : { client_secret: secret }), ...form },
  });

/** Signs in with offline_access and a proof by `key`; returns the refresh token. */
async function begin(client: TestClient): Promise<string> {
  const code = await service.issueCode(client, { scope: SCOPE, codeChallenge: CHALLENGE });
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  };
  const { body } = await send(client, form, await proofBy(key));
  expect(body).toMatchObject({ token_type: 'DPoP', scope: SCOPE.join(' ') });
  return String(body.refresh_token);
}

const refresh = (client: TestClient, token: string, proof?: string): Promise<Reply> =>
  send(client, { grant_type: 'refresh_token', refresh_token: token }, proof);

describe('a refresh token that was issued with a proof', () => {
  it('is bound to the key of a public client, and stays in force after a refusal', async () => {
    const client = {
      ...(await service.addClient({ refreshTokens: true, tokenEndpointAuthMethod: 'none' })),
      secret: '',
    };
    const token = await begin(client);
    for (const proof of [undefined, await proofBy(other)]) {
      expectRefusal(
        await refresh(client, token, proof),
        badRequest('invalid_grant', 'The refresh token is bound to another key.', 'refresh_token'),
      );
    }
    const first = await refresh(client, token, await proofBy(key));
    expect(first.body.token_type).toBe('DPoP');
    expect(decodeJwt(String(first.body.access_token)).cnf).toEqual({ jkt: key.jkt });
    expect(first.headers.get('dpop-nonce')).toBe(service.dpop.nonce());
    // the tokens that replace it are bound too
    const next = String(first.body.refresh_token);
    expect((await refresh(client, next)).body.error).toBe('invalid_grant');
    expect((await refresh(client, next, await proofBy(key))).status).toBe(200);
  });

  it('is not bound to the key of a confidential client, whose access tokens have the key of the request', async () => {
    const client = await service.addClient({ refreshTokens: true });
    const changed = await refresh(client, await begin(client), await proofBy(other));
    expect(decodeJwt(String(changed.body.access_token)).cnf).toEqual({ jkt: other.jkt });
    const plain = await refresh(client, String(changed.body.refresh_token));
    expect(plain.body.token_type).toBe('Bearer');
    expect(decodeJwt(String(plain.body.access_token))).not.toHaveProperty('cnf');
  });

  it('is not used up by a proof that was used before', async () => {
    const client = await service.addClient({ refreshTokens: true });
    const token = await begin(client);
    const proof = await proofBy(key);
    const next = String((await refresh(client, token, proof)).body.refresh_token);
    const replayed = await refresh(client, next, proof);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await refresh(client, next, await proofBy(key))).status).toBe(200);
  });

  it('needs a proof where the client must send one', async () => {
    const client = await service.addClient({ refreshTokens: true, dpopBoundAccessTokens: true });
    const token = await begin(client);
    const refused = await refresh(client, token);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await refresh(client, token, await proofBy(key))).status).toBe(200);
  });
});
