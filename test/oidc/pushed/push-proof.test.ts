// Rules: spec/sign-in.md#dpop, RFC 9449 section 10.1
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { openBackChannel, REDIRECT_URI, type Reply } from '../support/back-channel.ts';
import { makeProof, makeProofKey, type ProofMembers } from '../support/dpop-proofs.ts';

const ADDRESS = 'POST http://localhost:8080/par';
const service = opened(openBackChannel, 'stop');
const client = opened(() => service.addClient());
const key = opened(makeProofKey);

const proofOf = (members: ProofMembers = {}, target = ADDRESS): Promise<string> => {
  const claims = { nonce: service.dpop.nonce(), ...members.claims };
  return makeProof(key, target, service.clock.now, { ...members, claims });
};

const push = (dpop: string, more: Readonly<Record<string, string>> = {}): Promise<Reply> => {
  const request = {
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
  };
  const headers = { authorization: client.basic, dpop };
  return service.call('POST /par', { headers, form: { ...request, ...more } });
};

/** Parameters that the store has for a reference. */
async function storedFor({ status, body }: Reply): Promise<URLSearchParams> {
  expect(status).toBe(201);
  const hash = new Uint8Array(createHash('sha256').update(String(body.request_uri)).digest());
  const row = await service.store.pushedRequests.find(hash);
  return new URLSearchParams(row?.parameters);
}

describe('a pushed request with a proof of possession', () => {
  it('binds its code to the key of the proof, also if dpop_jkt names the key', async () => {
    const reply = await push(await proofOf());
    expect((await storedFor(reply)).get('dpop_jkt')).toBe(key.jkt);
    expect(reply.headers.get('dpop-nonce')).toBe(service.dpop.nonce());
    const named = await push(await proofOf(), { dpop_jkt: key.jkt });
    expect((await storedFor(named)).getAll('dpop_jkt')).toEqual([key.jkt]);
  });

  it('is refused if dpop_jkt names another key, and the proof can be used again', async () => {
    const proof = await proofOf();
    const { jkt } = await makeProofKey();
    const refused = await push(proof, { dpop_jkt: jkt });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect(refused.body.error_description).toContain('its key is not that of dpop_jkt.');
    await storedFor(await push(proof));
  });

  it('is refused with a proof for another endpoint, without a nonce, or that was used', async () => {
    const foreign = await push(await proofOf({}, 'POST http://localhost:8080/token'));
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_dpop_proof']);
    const bare = await push(await proofOf({ claims: { nonce: undefined } }));
    expect([bare.status, bare.body.error]).toEqual([400, 'use_dpop_nonce']);
    expect(bare.headers.get('dpop-nonce')).toBe(service.dpop.nonce());
    const proof = await proofOf();
    await storedFor(await push(proof));
    const again = await push(proof);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_dpop_proof']);
  });
});
