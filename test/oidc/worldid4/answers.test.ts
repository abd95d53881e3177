// Rules: spec/sign-in.md#proof-checks-of-world-id-40 and spec/sign-in.md#wallet-error-codes
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { parsePlaintext4, signerAddress, signerOf } from '../../support/proof-request4.ts';
import type { SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4 } from '../../support/signin/wallet4.ts';
import { openRequest, proveRequest, type WalletRequest } from '../../support/test-wallet.ts';
import { type ProofResponse4, proveRequest4 } from '../../support/test-wallet4.ts';
import { type People, RP_ID, startPeople } from './support/people.ts';

const SIGNING_KEY = 'ab'.repeat(32);

let people: People;
const clients = new Map<string, TestClient>();

beforeAll(async () => {
  people = await startPeople({ 'signin.worldid4.signingKey': `0x${SIGNING_KEY}` });
  for (const binding of ['bound', 'paired', 'session'] as const) {
    clients.set(binding, await people.client({ binding }, { protocols: ['4.0'] }));
    clients.set(`${binding} both`, await people.client({ binding }));
  }
});

afterAll(() => people.service.end());

function clientOf(name: string): TestClient {
  const client = clients.get(name);
  if (client === undefined) throw new Error(`no client ${name}`);
  return client;
}

interface Opened {
  readonly signIn: SignIn4;
  readonly link: string;
  readonly request: WalletRequest;
  readonly response: ProofResponse4;
}

/** Opens a sign-in whose wallet has made a true answer, which is not sent. */
async function opened(name: string, person = 'ann'): Promise<Opened> {
  const signIn = await people.browser(clientOf(name)).begin();
  const link = await signIn.link();
  const request = await openRequest(link);
  const { proof_request: asked } = parsePlaintext4(request.plaintext);
  if (asked === undefined) throw new Error('expected a request of World ID 4.0');
  const isBound = name.startsWith('bound');
  return {
    signIn,
    link,
    request,
    response: await proveRequest4(asked, people.service.store, { person, isBound }),
  };
}

async function settleWith({ signIn, request }: Opened, answer: unknown) {
  expect(await request.answer(answer)).toBe(201);
  return await signIn.settle();
}

describe('a request of World ID 4.0', () => {
  it('is signed by the registered signer and has what IDKit 4 sends', async () => {
    const { signIn, request, link } = await opened('bound both');
    const { plaintext } = request;
    const parsed = parsePlaintext4(plaintext);
    expect(parsed).toMatchObject({
      app_id: clientOf('bound both').clientId,
      action: '',
      verification_level: 'device',
      allow_legacy_proofs: true,
      require_user_presence: false,
      environment: 'staging',
      return_to_url: signIn.path,
      proof_request: {
        version: 1,
        proof_type: 'uniqueness',
        session_id: 'create',
        rp_id: RP_ID,
        oprf_key_id: '0x123456789abcdef',
        proof_requests: [
          {
            identifier: 'proof_of_human',
            issuer_schema_id: 1,
            genesis_issued_at_min: null,
            expires_at_min: null,
          },
        ],
      },
    });
    const asked = parsed.proof_request;
    if (asked === undefined) throw new Error('no request');
    expect(signerOf(asked)).toBe(signerAddress(Buffer.from(SIGNING_KEY, 'hex')));
    expect(asked.expires_at - asked.created_at).toBe(300);
    const signal = Buffer.from(asked.proof_requests[0]?.signal?.slice(2) ?? '', 'hex').toString();
    expect(signal).toMatch(/^siwi:[A-Za-z0-9_-]{43}$/);
    expect(link).toContain(`&return_to=${encodeURIComponent(signIn.path)}`);
  });

  it('has the action of its client where 4.0 alone is asked for', async () => {
    const actions = new Set<string>();
    for (const name of ['bound', 'bound both']) {
      const { request } = await opened(name);
      const { action, proof_request: asked } = parsePlaintext4(request.plaintext);
      expect(action).toBe(name === 'bound' ? `sign-in ${clientOf(name).clientId}` : '');
      actions.add(String(asked?.action));
    }
    expect(actions.size).toBe(2);
  });

  it('asks for the credentials of the policy, the strongest first, one of which is enough', async () => {
    const client = await people.client(
      { binding: 'bound' },
      { credentials: ['passport', 'proof_of_human', 9310] },
    );
    const signIn = await people.browser(client).begin();
    const { plaintext } = await openRequest(await signIn.link());
    const { proof_request: asked, allow_legacy_proofs: takes3 } = parsePlaintext4(plaintext);
    expect(takes3).toBe(false);
    expect(asked?.proof_requests.map(({ identifier }) => identifier)).toEqual([
      'proof_of_human',
      'passport',
      'mnc',
    ]);
    expect(asked?.constraints).toEqual({ any: ['proof_of_human', 'passport', 'mnc'] });
    const again = await people.browser(client).begin();
    const wallet = new Wallet4({ person: 'traveller', holds: ['passport'] });
    await people.prove(again, wallet);
    expect(await again.claims()).toMatchObject({
      acr: 'device',
      [`${people.service.baseUrl}/v1`]: { credential: 'passport', verification_level: 'device' },
    });
    const strict = await people.browser(client).begin({ acr_values: 'orb' });
    expect(await people.prove(strict, wallet.installAnew())).toEqual(['credential_unavailable']);
    expect(await strict.finish()).toMatchObject({ error: 'unmet_authentication_requirements' });
  });
});

type Change = (response: ProofResponse4) => object;
const item =
  (change: object): Change =>
  (response) => ({
    ...response,
    responses: [{ ...response.responses[0], ...change }],
  });
const OTHER_SESSION = `session_${'00'.repeat(31)}01${'01'.padEnd(64, '0')}`;
const proofWith =
  (at: number, byte: string): Change =>
  (response) => {
    const proof = response.responses[0]?.proof ?? '';
    return item({ proof: proof.slice(0, at) + byte + proof.slice(at + 2) })(response);
  };

/** Answers that are not those of the request, and the code of the page. */
const WRONG: readonly (readonly [what: string, change: Change, code: string])[] = [
  ['another id', (response) => ({ ...response, id: 'other' }), 'invalid_format'],
  ['another version', (response) => ({ ...response, version: 2 }), 'invalid_format'],
  ['no proof', (response) => ({ ...response, responses: [] }), 'invalid_format'],
  [
    'a proof twice',
    (response) => ({ ...response, responses: [...response.responses, ...response.responses] }),
    'invalid_format',
  ],
  [
    'responses that are no list',
    (response) => ({ ...response, responses: { 0: response.responses[0] } }),
    'invalid_format',
  ],
  ['an identifier that was not asked for', item({ identifier: 'passport' }), 'invalid_format'],
  ['another issuer', item({ issuer_schema_id: 9303 }), 'invalid_format'],
  ['another time', item({ expires_at_min: 1_790_000_000 }), 'invalid_format'],
  [
    'a nullifier in capitals',
    (response) =>
      item({
        nullifier: response.responses[0]?.nullifier?.toUpperCase(),
        session_nullifier: response.responses[0]?.session_nullifier?.toUpperCase(),
      })(response),
    'invalid_format',
  ],
  ['no nullifier', item({ nullifier: undefined, session_nullifier: undefined }), 'invalid_format'],
  [
    'a nullifier above the field',
    item({
      nullifier: `nil_${'ff'.repeat(32)}`,
      session_nullifier: `snil_${'ff'.repeat(32)}02${'00'.repeat(31)}`,
    }),
    'invalid_format',
  ],
  [
    'another nullifier',
    item({
      nullifier: `nil_${'00'.repeat(31)}07`,
      session_nullifier: `snil_${'00'.repeat(31)}0702${'00'.repeat(31)}`,
    }),
    'invalid_proof',
  ],
  ['a proof of another length', item({ proof: '00'.repeat(159) }), 'invalid_format'],
  ['a false proof', item({ proof: '00'.repeat(160) }), 'invalid_merkle_root'],
  ['a proof with another point', proofWith(20, '00'), 'invalid_proof'],
  ['an unknown root', proofWith(318, '99'), 'invalid_merkle_root'],
  ['another session', (response) => ({ ...response, session_id: OTHER_SESSION }), 'invalid_proof'],
  ['no session', (response) => ({ ...response, session_id: undefined }), 'invalid_format'],
  [
    'a session without its domain',
    (response) => ({
      ...response,
      session_id: `${response.session_id?.slice(0, -64)}${'02'.padEnd(64, '0')}`,
    }),
    'invalid_format',
  ],
  [
    'a commitment of 0',
    (response) => ({
      ...response,
      session_id: `session_${'00'.repeat(32)}${response.session_id?.slice(-64)}`,
    }),
    'invalid_proof',
  ],
  ['a session as a number', (response) => ({ ...response, session_id: '7' }), 'invalid_format'],
];

describe.each(['bound', 'session'])('an answer to a %s request', (name) => {
  it.each(WRONG)('is refused with %s', async (_, change, code) => {
    const sign = await opened(name, `wrong ${name}`);
    const settled = await settleWith(sign, { proof_response: change(sign.response) });
    expect(settled).toMatchObject({ status: 'failed', code });
    await sign.signIn.post('cancel');
    expect(await sign.signIn.finish()).toMatchObject({ error: 'access_denied' });
  });

  it('counts bare, wrapped and with extra members, once', async () => {
    for (const wrap of [
      (response: ProofResponse4): object => response,
      (response: ProofResponse4): object => ({ proof_response: response, identity_attested: true, more: 1 }),
      (response: ProofResponse4): object => ({ ...response, user_presence_completed: true }),
    ]) {
      const sign = await opened(name, `right ${name}`);
      expect(await settleWith(sign, wrap(sign.response))).toMatchObject({ status: 'completed' });
    }
  });

  it('is no answer to another request', async () => {
    const [one, other] = [await opened(name, 'mover'), await opened(name, 'mover')];
    const moved = { ...one.response, id: other.response.id };
    const settled = await settleWith(other, { proof_response: moved });
    // Times are equal within a second, so the nonce decides.
    expect(['invalid_proof', 'invalid_format']).toContain(settled.code);
    expect(settled.status).toBe('failed');
  });
});

describe('the version of an answer', () => {
  it('is checked whatever was asked: 3.0 for 4.0 alone is refused', async () => {
    const { signIn, request } = await opened('bound');
    expect(await request.answer(await proveRequest(request.plaintext))).toBe(201);
    expect(await signIn.settle()).toMatchObject({ status: 'refused', code: 'protocol_version_not_allowed' });
    expect(await signIn.finish()).toMatchObject({ error: 'unauthorized_client' });
  });

  it('may be 3.0 where both are accepted, also as a list, with the sub of before', async () => {
    const client = clientOf('bound both');
    const subs = new Set<unknown>();
    for (const wrap of [(one: object) => one, (one: object) => ({ legacy_responses: [one] })]) {
      const signIn = await people.browser(client).begin();
      const request = await openRequest(await signIn.link());
      await request.answer(wrap(await proveRequest(request.plaintext, { person: 'of old' })));
      await signIn.settle();
      subs.add((await signIn.claims()).sub);
    }
    const three = await people.client({ clientId: `app_staging_${'3'.repeat(32)}` }, { protocols: ['3.0'] });
    expect(three.clientId).not.toBe(client.clientId);
    expect(subs.size).toBe(1);
  });

  it('unasked 3.0 leads to a request for it where it is accepted', async () => {
    const { signIn, request } = await opened('session both');
    await request.answer(await proveRequest(request.plaintext));
    expect(await signIn.settle()).toMatchObject({ status: 'waiting' });
    expect(await people.prove(signIn, new Wallet4({ person: 'late', has: ['3.0'] }))).toEqual(['3.0']);
    expect(await signIn.claims()).not.toHaveProperty('amr');
  });
});

/** Codes of a wallet: status of the page, and the error for an app whose person leaves. */
const CODES: readonly (readonly [sent: string, status: string, error: string])[] = [
  ['user_rejected', 'failed', 'access_denied'],
  ['verification_rejected', 'failed', 'access_denied'],
  ['user_presence_failed', 'failed', 'access_denied'],
  ['nullifier_replayed', 'failed', 'access_denied'],
  ['nullifier_replay', 'failed', 'access_denied'],
  ['malformed_request', 'failed', 'access_denied'],
  ['unexpected_response', 'failed', 'access_denied'],
  ['connection_failed', 'failed', 'access_denied'],
  ['generic_error', 'failed', 'access_denied'],
  ['unheard_of', 'failed', 'access_denied'],
  ['timestamp_too_far_in_future', 'failed', 'access_denied'],
  ['invalid_timestamp', 'failed', 'access_denied'],
  ['credential_unavailable', 'refused', 'unmet_authentication_requirements'],
  ['world_id_4_not_available', 'refused', 'unmet_authentication_requirements'],
  ['feature_unavailable', 'refused', 'access_denied'],
  ['invalid_network', 'refused', 'access_denied'],
  ['inclusion_proof_pending', 'refused', 'access_denied'],
  ['inclusion_proof_failed', 'refused', 'access_denied'],
  ['max_verifications_reached', 'refused', 'access_denied'],
  ['identity_attributes_not_matched', 'refused', 'access_denied'],
  ['failed_by_host_app', 'refused', 'server_error'],
  ['invalid_rp_signature', 'refused', 'server_error'],
  ['unknown_rp', 'refused', 'server_error'],
  ['inactive_rp', 'refused', 'server_error'],
];
const ALARMS = [
  'malformed_request',
  'invalid_rp_signature',
  'unknown_rp',
  'inactive_rp',
  'timestamp_too_far_in_future',
  'invalid_timestamp',
];

describe('a code of the wallet', () => {
  it.each(CODES)('%s: the page is %s, the app is told %s', async (sent, status, error) => {
    const { signIn, request } = await opened('bound');
    const alarms = (): number => people.service.app.logLines('signin.worldid4_refused').length;
    const before = alarms();
    await request.answer({ proof_response: { id: 'x', version: 1, error: sent, responses: [] } });
    expect(await signIn.settle()).toMatchObject({ status });
    expect(alarms() - before).toBe(ALARMS.includes(sent) ? 1 : 0);
    if (status === 'failed') {
      expect(await signIn.page()).toContain('/retry');
      await signIn.post('cancel');
    }
    expect(await signIn.finish()).toMatchObject({ error });
  });

  it.each(['duplicate_nonce', 'timestamp_too_old', 'rp_signature_expired'])(
    '%s is followed by a new request',
    async (sent) => {
      const { signIn } = await opened('bound');
      await signIn.post('retry');
      const nonces = new Set<unknown>();
      for (let round = 0; round < 4; round++) {
        const request = await openRequest(await signIn.link());
        nonces.add(parsePlaintext4(request.plaintext).proof_request?.nonce);
        await request.answer({ error_code: sent });
        const { status } = await signIn.settle();
        expect(status).toBe(round < 3 ? 'waiting' : 'failed');
      }
      expect(nonces.size).toBe(4);
    },
  );
});

it('the nonce is the signal again where World ID 3.0 is asked for after the first step of a pair', async () => {
  const client = await people.client({ binding: 'paired', signalIsNonce: true });
  const signIn = await people.browser(client).begin({ nonce: 'n-1' });
  const request = async (): Promise<WalletRequest> => openRequest(await signIn.link());
  const first = await request();
  await new Wallet4({ person: 'pia' }).answerTo(first, people.service.store);
  await signIn.settle();
  const { signal } = first.plaintext;
  expect((await request()).plaintext.signal).not.toBe(signal);
  await signIn.post('other', { way: '3.0' });
  expect((await request()).plaintext.signal).toBe(signal);
});

it('the bound of a request holds as long as its window, whatever the setting for proofs to verify', async () => {
  const strict = await startPeople({ 'verify.worldid4.minExpirationThresholdSeconds': '0' });
  try {
    const signIn = await strict.browser(await strict.client()).begin();
    const request = await openRequest(await signIn.link());
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await new Wallet4({ person: 'quin' }).answerTo(request, strict.service.store);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
  } finally {
    await strict.service.end();
  }
});

it('a retry asks for what the policy of the client accepts by then', async () => {
  const changing = await startPeople({ 'storage.cacheSeconds': '0' });
  try {
    const client = await changing.client();
    const signIn = await changing.browser(client).begin();
    const { apps } = changing.service.store;
    const policy = { ...(await apps.findByAppId(client.clientId))?.policy, protocols: ['3.0' as const] };
    await apps.update(client.clientId, { policy: { ...OPEN_POLICY, ...policy } }, Date.now());
    await signIn.post('retry');
    const { plaintext } = await openRequest(await signIn.link());
    expect(plaintext).not.toHaveProperty('proof_request');
  } finally {
    await changing.service.end();
  }
});
