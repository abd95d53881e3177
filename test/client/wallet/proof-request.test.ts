import { describe, expect, it } from 'vitest';
import { nullifierFor, readProofRequest } from '../../../src/client/wallet/sign-in/proof-request.ts';
import type { JsonObject } from '../../../src/json.ts';
import { accountSecretOf } from '../../../src/semaphore/development-account.ts';
import { identityFromSecret } from '../../../src/semaphore/identity.ts';
import { FORMS, itemFor, plaintextFor, proofRequest } from '../../development/support/proof-request.ts';

const RP = 'rp_0234567890abcdef';
const SESSION = `session_${'0a'.repeat(64)}`;
const read = (change: JsonObject = {}) =>
  readProofRequest(plaintextFor(proofRequest(RP, Date.UTC(2026, 5, 1), change)));

describe('what the wallet page shows of a World ID 4.0 request', () => {
  it('is nothing for a request of 3.0', () => {
    expect(readProofRequest({ app_id: 'app_1' })).toBeUndefined();
    expect(readProofRequest({ proof_request: null })).toBeUndefined();
  });

  it.each<[string | undefined, JsonObject]>([
    ['uniqueness', FORMS.uniqueness],
    ['uniqueness', { proof_type: undefined }],
    ['bound', FORMS.bound],
    ['create-session', FORMS['session create']],
    ['create-session', FORMS.create_session],
    ['prove-session', { proof_type: 'session', session_id: SESSION, action: null }],
    [undefined, { proof_type: 'ownership' }],
    [undefined, { proof_type: 'session' }],
    [undefined, { proof_type: 'create_session', session_id: 'create' }],
    [undefined, { session_id: SESSION }],
  ])('has the kind %s: %j', (kind, form) => {
    const request = read(form);
    expect(request).toMatchObject({ kind, rpId: RP, credentials: ['proof_of_human'] });
    expect(request?.sessionId).toBe(kind === 'prove-session' ? SESSION : undefined);
  });

  const names = ['proof_of_human', 'passport', 'mnc'];
  it.each([
    [null, 'proof_of_human and passport and mnc'],
    [{ any: names }, 'proof_of_human or passport or mnc'],
    [{ all: ['mnc', { any: ['passport', 'proof_of_human'] }] }, 'mnc and (passport or proof_of_human)'],
    [{ enumerate: ['passport', 'mnc'] }, 'each that you have of passport, mnc'],
    [{ any: 5 }, 'something that cannot be read'],
  ])('puts the constraints %j into words', (constraints, words) => {
    const items = names.map((name, at) => itemFor(name, at));
    expect(read({ proof_requests: items, constraints })?.requirement).toBe(words);
  });

  it('is shown for any JSON', () => {
    for (const proof_request of [5, [], {}, { proof_requests: [1] }])
      expect(readProofRequest({ proof_request })?.credentials).toEqual([]);
  });

  it('has a nullifier unless it is for a session', () => {
    const secret = accountSecretOf(identityFromSecret('alice'));
    const nullifier = (form: keyof typeof FORMS): string | undefined => {
      const request = read(FORMS[form]);
      return request && nullifierFor(request, secret);
    };
    expect(nullifier('uniqueness')).toMatch(/^nil_00[0-9a-f]{62}$/);
    expect(nullifier('bound')).toBe(nullifier('uniqueness'));
    expect(nullifier('session create')).toBeUndefined();
  });
});
