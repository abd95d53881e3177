import { beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/index.ts';
import type { SharedSignin } from '../../support/signin/service.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { approve, negated, nullifierOf, openRequest, proveRequest } from '../../support/test-wallet.ts';

describe('a whole sign-in over sockets', () => {
  let service: SharedSignin;
  beforeAll(async () => {
    service = await useSharedSignin();
  });

  /** Returns the claims of an ID token without a check of its signature, which other tests verify. */
  function claimsOf(token: string | undefined): Record<string, unknown> {
    return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
  }

  it.each([
    ['code', 'query'],
    ['code', 'form_post'],
    ['id_token', 'fragment'],
    ['code id_token token', 'form_post'],
  ])('with response_type %s reaches the app by %s', async (response_type, response_mode) => {
    const answer = await service.complete({
      response_type,
      response_mode,
      nonce: 'n-0S6_WzA2Mj',
      state: 'a b&c=é',
    });
    expect(answer.mode).toBe(response_mode);
    const { parameters } = answer;
    expect(parameters).toMatchObject({ state: 'a b&c=é', iss: service.baseUrl });
    expect(parameters.code !== undefined).toBe(response_type.includes('code'));
    if (response_type.includes('id_token')) {
      const { clientId } = service.web;
      expect(claimsOf(parameters.id_token)).toMatchObject({
        iss: service.baseUrl,
        aud: clientId,
        sub: toHex(await nullifierOf('alice', clientId)),
        acr: 'orb',
        nonce: 'n-0S6_WzA2Mj',
      });
    }
  });

  it('that the wallet declines reaches the app as access_denied, with state and issuer, in each mode', async () => {
    for (const response_mode of ['query', 'fragment', 'form_post']) {
      const answer = await service.complete(
        { response_mode, state: 'xyz' },
        { declinesWith: 'verification_rejected' },
      );
      expect(answer).toMatchObject({
        mode: response_mode,
        parameters: {
          error: 'access_denied',
          error_description: 'The person declined in the wallet.',
          state: 'xyz',
          iss: service.baseUrl,
        },
      });
    }
  });

  it('of a public native client reaches the port at which it listens', async () => {
    const { clientId } = service.native;
    const answer = await service.complete({
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:54321/cb',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    expect(answer.url.startsWith('http://127.0.0.1:54321/cb?code=')).toBe(true);
  });

  it('fails with a bad proof, is tried again, and completes', async () => {
    const signIn = await service.begin();
    await approve(signIn.connectUrl, { isFalse: true });
    expect(await signIn.settle()).toMatchObject({ status: 'failed', code: 'invalid_proof' });
    expect((await signIn.retry()).status).toBe(303);
    await approve(await signIn.readConnectUrl(), { tree: 'device' });
    expect(await signIn.settle()).toMatchObject({ status: 'completed', code: null });
    expect((await signIn.finish()).parameters.code).toBeDefined();
    expect((await signIn.continue()).status).toBe(403);
  });

  it('is counted by its result, and leaves no personal data or secrets in log and metrics', async () => {
    const signIn = await service.begin({ state: 'planted-state', nonce: 'planted-nonce' });
    const request = await openRequest(signIn.connectUrl);
    const answer = await proveRequest(request.plaintext);
    await request.answer({ ...answer, proof: negated(answer.proof) });
    await signIn.settle();
    const { parameters } = await signIn.finish();
    const metrics = await (await fetch(`${service.app.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^proofgate_signin_transactions_total\{result="completed"\} [1-9]/m);
    expect(metrics).toMatch(/^proofgate_signin_proof_seconds_count\{result="accepted"\} [1-9]/m);
    const said = `${service.app.log()}${metrics}`.toLowerCase();
    const row = { txn: signIn.txn, cookie: signIn.cookie.split('=')[1] ?? '', key: request.link.requestId };
    for (const secret of [
      ...['planted-state', 'planted-nonce', parameters.code ?? '', row.txn, row.cookie, row.key],
      ...[answer.nullifier_hash.slice(2), answer.proof.slice(2, 66), request.plaintext.signal.slice(2)],
    ]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(said).not.toContain(secret.toLowerCase());
    }
  });
});
