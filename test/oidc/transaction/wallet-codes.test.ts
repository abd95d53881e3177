import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TEXTS } from '../../../src/http/pages/texts/page-texts.ts';
import { LANGUAGES } from '../../../src/oidc/languages.ts';
import { opened } from '../../support/opened.ts';
import { decline, openRequest, proveRequest } from '../../support/test-wallet.ts';
import { startSignIns } from './support/sign-ins.ts';

const REPORTED = 'The wallet reported an error.';
const WRONG_VERSION = 'The wallet does not have the version of World ID that this sign-in asks for.';

/**
 * The error codes of wallets (spec/sign-in.md#wallet-error-codes), and the error that the relying party
 * receives for each.
 */
const ROWS: readonly (readonly [code: string, error: string, description: string])[] = [
  ['user_rejected', 'access_denied', 'The person declined in the wallet.'],
  ['verification_rejected', 'access_denied', 'The person declined in the wallet.'],
  ['timeout', 'access_denied', 'The person did not answer in the wallet in time.'],
  ['user_presence_failed', 'access_denied', 'The wallet could not confirm that the person is present.'],
  ['credential_unavailable', 'access_denied', 'The wallet holds no suitable credential.'],
  ['feature_unavailable', 'access_denied', 'The wallet lacks a feature that this sign-in needs.'],
  ['world_id_3_not_available', 'access_denied', WRONG_VERSION],
  ['world_id_4_not_available', 'access_denied', WRONG_VERSION],
  ['inclusion_proof_pending', 'access_denied', 'The identity is not in the tree yet.'],
  ['inclusion_proof_failed', 'access_denied', 'No inclusion proof could be made.'],
  ['invalid_network', 'access_denied', 'The wallet is on another network.'],
  ['max_verifications_reached', 'access_denied', 'The wallet reports too many verifications.'],
  ['nullifier_replayed', 'access_denied', 'The wallet has proved this before and does not prove it again.'],
  [
    'identity_attributes_not_matched',
    'access_denied',
    'The attributes of the person are not those asked for.',
  ],
  ...[
    'connection_failed',
    'malformed_request',
    'unexpected_response',
    'failed_by_host_app',
    'invalid_rp_id_format',
    'invalid_rp_signature',
    'unknown_rp',
    'inactive_rp',
    'duplicate_nonce',
    'timestamp_too_old',
    'timestamp_too_far_in_future',
    'invalid_timestamp',
    'rp_signature_expired',
    'generic_error',
  ].map((code) => [code, 'server_error', REPORTED] as const),
];

/** Further names of codes, as wallets send them. */
const ALIASES = [
  ['cancelled', 'user_rejected'],
  ['nullifier_replay', 'nullifier_replayed'],
  ['identity_attribute_mismatch', 'identity_attributes_not_matched'],
] as const;

/** The answers of wallets that report an error, around its code. */
const FORMS: readonly (readonly [name: string, answerOf: (code: string) => object])[] = [
  ['error_code', (error_code) => ({ error_code })],
  ['a proof response', (error) => ({ id: randomUUID(), version: 1, error, responses: [] })],
  [
    'a wrapped proof response',
    (error) => ({ proof_response: { id: randomUUID(), version: 1, error, responses: [] } }),
  ],
];

describe('an error code of the wallet', () => {
  const signIns = opened(startSignIns, 'end');

  it.each(ROWS)('%s ends the sign-in with %s', async (code, error, description) => {
    const before = await signIns.counted('refused');
    const signIn = await signIns.begin();
    await decline(await signIn.connectUrl(), code);
    expect(await signIn.poll()).toMatchObject({ state: 'refused', code, detail: description });
    expect(await signIn.finish()).toEqual({
      error,
      error_description: description,
      state: 'af0ifjsldkj',
      iss: signIns.baseUrl,
    });
    expect(await signIns.counted('refused')).toBe(before + 1);
  });

  it.each(FORMS)('is read from %s, under each of its names', async (_name, answerOf) => {
    const names = ROWS.map(([code]) => [code, code] as const);
    for (const [sent, code] of [...names, ...ALIASES, ['other_error', 'generic_error'] as const]) {
      const signIn = await signIns.begin();
      const request = await openRequest(await signIn.connectUrl());
      expect(await request.answer(answerOf(sent))).toBe(201);
      expect(await signIn.poll()).toMatchObject({ state: 'refused', code });
    }
  });

  it('ends the sign-in although the answer has a proof', async () => {
    const signIn = await signIns.begin();
    const request = await openRequest(await signIn.connectUrl());
    await request.answer({ ...(await proveRequest(request.plaintext)), error: 'user_rejected' });
    expect(await signIn.poll()).toMatchObject({ state: 'refused', code: 'user_rejected' });
  });

  it('is absent from an answer whose error is null', async () => {
    const signIn = await signIns.begin();
    const request = await openRequest(await signIn.connectUrl());
    await request.answer({ ...(await proveRequest(request.plaintext)), error: null });
    expect(await signIn.poll()).toMatchObject({ state: 'completed' });
  });

  it.each(ROWS)('%s has a sentence of its own in every language if it ends with %s', (code, error) => {
    for (const language of LANGUAGES) {
      const texts: Readonly<Record<string, string>> = TEXTS[language];
      expect(texts[`state.refused.${code}`] !== undefined).toBe(error === 'access_denied');
    }
  });

  it.each(['credential_unavailable', 'world_id_3_not_available'])(
    '%s is an unmet requirement if a proof of an orb was required',
    async (code) => {
      const signIn = await signIns.begin({ requiresOrb: true });
      await decline(await signIn.connectUrl(), code);
      expect(await signIn.poll()).toMatchObject({ state: 'refused', code });
      expect(await signIn.finish()).toMatchObject({ error: 'unmet_authentication_requirements' });

      const rejected = await signIns.begin({ requiresOrb: true });
      await decline(await rejected.connectUrl(), 'verification_rejected');
      await rejected.poll();
      expect(await rejected.finish()).toMatchObject({ error: 'access_denied' });
    },
  );

  it.each(['something_else', '', 'constructor', 'transaction.proof_spent', '<script>', 'x'.repeat(10_000)])(
    'that is unknown is a generic error, and its text appears nowhere',
    async (code) => {
      const signIn = await signIns.begin();
      await decline(await signIn.connectUrl(), code);
      expect(await signIn.poll()).toMatchObject({
        state: 'refused',
        code: 'generic_error',
        detail: REPORTED,
      });
      expect((await signIn.row())?.code).toBe('generic_error');
      expect(await signIn.finish()).toMatchObject({ error: 'server_error', error_description: REPORTED });
    },
  );
});
