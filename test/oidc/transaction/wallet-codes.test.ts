import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decline } from '../../support/test-wallet.ts';
import { type SignIns, startSignIns } from './support/sign-ins.ts';

const REPORTED = 'The wallet reported an error.';

/**
 * The error codes of wallets (spec/sign-in.md#wallet-error-codes), and the error that the relying party
 * receives for each.
 */
const ROWS: readonly (readonly [code: string, error: string, description: string])[] = [
  ['verification_rejected', 'access_denied', 'The person declined in the wallet.'],
  ['credential_unavailable', 'access_denied', 'The wallet holds no suitable credential.'],
  ['inclusion_proof_pending', 'access_denied', 'The identity is not in the tree yet.'],
  ['inclusion_proof_failed', 'access_denied', 'No inclusion proof could be made.'],
  ['invalid_network', 'access_denied', 'The wallet is on another network.'],
  ['max_verifications_reached', 'access_denied', 'The wallet reports too many verifications.'],
  ['connection_failed', 'server_error', REPORTED],
  ['malformed_request', 'server_error', REPORTED],
  ['unexpected_response', 'server_error', REPORTED],
  ['failed_by_host_app', 'server_error', REPORTED],
  ['generic_error', 'server_error', REPORTED],
];

describe('an error code of the wallet', () => {
  let signIns: SignIns;
  beforeAll(async () => {
    signIns = await startSignIns();
  });
  afterAll(() => signIns.end());

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

  it('is an unmet requirement if the wallet has no orb credential and one was required', async () => {
    const signIn = await signIns.begin({ requiresOrb: true });
    await decline(await signIn.connectUrl(), 'credential_unavailable');
    expect(await signIn.poll()).toMatchObject({ state: 'refused', code: 'credential_unavailable' });
    expect(await signIn.finish()).toMatchObject({ error: 'unmet_authentication_requirements' });

    const rejected = await signIns.begin({ requiresOrb: true });
    await decline(await rejected.connectUrl(), 'verification_rejected');
    await rejected.poll();
    expect(await rejected.finish()).toMatchObject({ error: 'access_denied' });
  });

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
