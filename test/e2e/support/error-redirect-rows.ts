/** Refusals that are redirected to the app. */
import type { TestClient } from '../../support/signin/clients.ts';
import { approve, decline, openRequest } from '../../support/test-wallet.ts';
import { authorize, type ErrorContext, type ErrorRow, type Fields, row } from './error-row.ts';

/** Refusals in a redirect, which carries `error` but not `code`. */
export const REDIRECT_ROWS: readonly ErrorRow[] = [
  ...['response_type', 'scope'].map((name) =>
    row('required', name, 303, 'invalid_request', authorize({ [name]: '' })),
  ),
  row('required', 'nonce', 303, 'invalid_request', authorize({ response_type: 'id_token' })),
  ...Object.entries({
    response_mode: { response_mode: 'x' },
    'PKCE parameter': { code_challenge: 'x', code_challenge_method: 'S256' },
    max_age: { max_age: 'x' },
    prompt: { prompt: 'none login' },
  }).map(([name, fields]) =>
    row('invalid_request', `a bad ${name}`, 303, 'invalid_request', authorize(fields)),
  ),
  ...(
    [
      ['unsupported_response_type', () => ({ response_type: 'token' })],
      ['unauthorized_client', ({ narrow }: ErrorContext) => idTokenRequest(narrow)],
      ['invalid_scope', () => ({ scope: 'email' })],
      ['request_not_supported', () => ({ request: 'x' })],
      ['request_uri_not_supported', () => ({ request_uri: 'x' })],
      ['registration_not_supported', () => ({ registration: 'x' })],
      ['login_required', () => ({ prompt: 'none' })],
    ] as const
  ).map(([code, changes]) => row(code, '/authorize', 303, code, authorize(changes))),
  ...(
    [
      ['environment_not_allowed', { environments: ['production'] }],
      ['protocol_version_not_allowed', { protocols: ['4.0'] }],
      ['credential_not_allowed', { credentials: ['passport'] }],
    ] as const
  ).map(([code, policy]) =>
    row(code, 'a policy without the proofs of sign-in', 303, 'unauthorized_client', async (context) => {
      const { service } = context;
      const { clientId: client_id, redirectUri: redirect_uri } = await service.addClient();
      await service.store.apps.update(client_id, { policy }, Date.now());
      return await authorize({ client_id, redirect_uri })(context);
    }),
  ),
  row('access_denied', 'the wallet declines', 303, 'access_denied', async ({ service }) => {
    const signIn = await service.begin({ state: 's' });
    await decline(signIn.connectUrl);
    await signIn.settle();
    return await signIn.continue();
  }),
  row('access_denied', 'the person leaves', 303, 'access_denied', async ({ service }) => {
    const signIn = await service.begin({ state: 's' });
    await signIn.cancel();
    return await signIn.continue();
  }),
  row(
    'unmet_authentication_requirements',
    'a device proof where orb is required',
    303,
    'unmet_authentication_requirements',
    async (context) => {
      const signIn = await context.service.begin({ acr_values: 'orb', state: 's' });
      await approve(signIn.connectUrl, { tree: 'device' });
      await signIn.settle();
      return await signIn.continue();
    },
  ),
  row('server_error', 'the wallet reports a fault', 303, 'server_error', async ({ service }) => {
    const signIn = await service.begin({ state: 's' });
    const wallet = await openRequest(signIn.connectUrl);
    await wallet.answer({ error_code: 'generic_error' });
    await signIn.settle();
    return await signIn.continue();
  }),
];

function idTokenRequest({ clientId, redirectUri }: TestClient): Fields {
  return { client_id: clientId, redirect_uri: redirectUri, response_type: 'id_token', nonce: 'n' };
}
