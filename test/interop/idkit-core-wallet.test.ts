/** The wallet of the tests of IDKit refuses what real wallets and nodes refuse. */
import { any, CredentialRequest, IDKit } from '@worldcoin/idkit-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IdkitApp, SIGNER, startIdkitApp } from '../support/interop/idkit.ts';
import { type Plaintext4, parsePlaintext4, signerOf } from '../support/proof-request4.ts';
import { openRequest4 } from '../support/test-wallet4.ts';

let app: IdkitApp;
beforeAll(async () => {
  app = await startIdkitApp();
});
afterAll(async () => {
  await app?.end();
});

describe('the wallet that answers IDKit in tests', () => {
  let plaintext: Plaintext4;
  beforeAll(async () => {
    const credentials = [CredentialRequest('proof_of_human'), CredentialRequest('passport')];
    const config = { ...app.config('vote'), action: 'vote', allow_legacy_proofs: false };
    const request = await IDKit.request(config).constraints(any(...credentials));
    ({ plaintext } = await openRequest4(request.connectorURI));
  });

  const now = Math.floor(Date.now() / 1000);
  const human = { identifier: 'proof_of_human', issuer_schema_id: 1 };
  /** Members of the request that make it one that a wallet or a node refuses. */
  const REFUSED: readonly [string, object][] = [
    ['an unknown member', { salt: '0x00' }],
    ['another version of the protocol', { version: 2 }],
    ['the key of another relying party', { oprf_key_id: '0x1' }],
    ['an action of a session', { action: `0x02${'0'.repeat(62)}` }],
    ['no action', { action: null }],
    ['a session with an action', { proof_type: 'session', session_id: 'create' }],
    [
      'a uniqueness proof of an existing session',
      { session_id: `session_${'0'.repeat(64)}01${'0'.repeat(62)}` },
    ],
    ['a session id without the byte of the seed', { session_id: `session_${'0'.repeat(128)}` }],
    ['a credential twice', { proof_requests: [human, human] }],
    ['the name of another credential', { proof_requests: [{ ...human, identifier: 'passport' }] }],
    ['an unknown member of an item', { proof_requests: [{ ...human, max_age: 1 }] }],
    ['a signal that is no hex', { proof_requests: [{ ...human, signal: 'yes' }] }],
    ['constraints without a requested credential', { constraints: { any: ['mnc'] } }],
    ['constraints of three levels', { constraints: { any: [{ any: [{ any: ['passport'] }] }] } }],
    ['an old signature', { created_at: now - 400, expires_at: now + 200 }],
    ['a signature for an hour', { created_at: now, expires_at: now + 3600 }],
    ['a short signature', { signature: '0x00' }],
  ];

  it.each(REFUSED)('refuses %s', (_, change) => {
    expect(parsePlaintext4(plaintext)).toBe(plaintext);
    const proof_request = { ...plaintext.proof_request, ...change };
    expect(() => parsePlaintext4({ ...plaintext, proof_request })).toThrow();
  });

  it('refuses an unknown member, a missing one and one of another type', () => {
    const { require_user_presence: _, ...rest } = plaintext;
    for (const changed of [{ ...plaintext, more: 1 }, rest, { ...plaintext, signal: 'yes' }, null, []])
      expect(() => parsePlaintext4(changed)).toThrow();
  });

  it('finds another signer where nonce, times or action are not the signed ones', () => {
    const asked = plaintext.proof_request;
    if (asked === undefined) throw new Error('no proof_request');
    const nonce = app.config().rp_context.nonce;
    const action = `0x00${'1'.repeat(62)}`;
    for (const change of [{ nonce }, { action }, { created_at: 1 }, { expires_at: 1 }])
      expect(signerOf({ ...asked, ...change })).not.toBe(SIGNER);
  });
});
