// Rules: spec/sign-in.md#checks-answered-to-the-app (dpop-jkt, response-type), RFC 9449 section 10
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { headerOf } from '../../support/server/raw-client.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { redeemCode } from '../../support/signin/driver.ts';
import { useSharedSignin } from '../../support/signin/shared-service.ts';

import { getAuthorize, type Pairs } from '../support/authorize-client.ts';
import { makeProof, makeProofKey } from '../support/dpop-proofs.ts';

const JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I';
const service = opened(useSharedSignin);

/** Sends an authorization request with a nonce; returns the address of the answer. */
async function locationOf({ clientId, redirectUri }: TestClient, ...more: Pairs): Promise<string> {
  const base = [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['scope', 'openid'],
    ['nonce', 'n'],
  ] as const;
  return headerOf(await getAuthorize(service.baseUrl, [...base, ...more]), 'location') ?? '';
}

/** Returns the stored request of the transaction at an address. */
async function requestAt(location: string): Promise<unknown> {
  const row = await service.store.transactions.find(location.split('/').at(-1) ?? '', Date.now());
  return JSON.parse(row?.request ?? '');
}

describe('dpop_jkt', () => {
  it('is stored with the request if its type has a code, and only checked otherwise', async () => {
    const code = await locationOf(service.web, ['response_type', 'code'], ['dpop_jkt', JKT]);
    expect(await requestAt(code)).toMatchObject({ dpopJkt: JKT });
    const implicit = await locationOf(service.web, ['response_type', 'id_token'], ['dpop_jkt', JKT]);
    expect(await requestAt(implicit)).not.toHaveProperty('dpopJkt');
    const bad = await locationOf(service.web, ['response_type', 'id_token'], ['dpop_jkt', 'a']);
    expect(bad).toContain('error=invalid_request');
  });

  it.each([JKT.slice(1), `${JKT}A`, `${JKT}=`, `${JKT.slice(1)}+`, `${JKT.slice(1)} `])(
    'is refused as %j',
    async (jkt) => {
      const location = await locationOf(service.web, ['response_type', 'code'], ['dpop_jkt', jkt]);
      expect(location).toContain('error=invalid_request&error_description=dpop_jkt');
    },
  );

  it('binds the code of a whole sign-in to the key', async () => {
    const [key, other] = [await makeProofKey(), await makeProofKey('EdDSA')];
    const target = `POST ${service.baseUrl}/token`;
    const redeem = async (code: string, by: typeof key): Promise<Record<string, unknown>> => {
      const send = async (nonce?: string): Promise<Response> =>
        redeemCode(service.baseUrl, service.web, code, {
          dpop: await makeProof(by, target, Date.now(), { claims: { nonce } }),
        });
      const asked = await send();
      expect([asked.status, (await asked.json()).error]).toEqual([400, 'use_dpop_nonce']);
      return (await send(asked.headers.get('dpop-nonce') ?? '')).json();
    };
    const codeOf = async (): Promise<string> =>
      (await service.complete({ dpop_jkt: key.jkt })).parameters.code ?? '';
    expect(await redeem(await codeOf(), other)).toMatchObject({ error: 'invalid_grant' });
    expect(await redeem(await codeOf(), key)).toMatchObject({ token_type: 'DPoP' });
  });
});

describe('a client with dpop_bound_access_tokens', () => {
  it('is refused response types that have an access token, and no others', async () => {
    const client = await service.addClient({ dpopBoundAccessTokens: true });
    for (const type of ['id_token token', 'code token', 'code id_token token']) {
      expect(await locationOf(client, ['response_type', type])).toContain(
        'error=unauthorized_client&error_description=The%20client%20takes%20access%20tokens',
      );
    }
    for (const type of ['code', 'id_token', 'code id_token']) {
      expect(await locationOf(client, ['response_type', type])).toContain('/authorize/');
    }
  });
});
