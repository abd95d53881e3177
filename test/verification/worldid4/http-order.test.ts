// Rules: spec/worldid4.md#order-of-checks and spec/worldid4.md#state
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newStoreFacts } from '../../../src/app/checks/start-facts.ts';
import { refuseUnsafeStart } from '../../../src/config/production/production-refusals.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import type { Store } from '../../../src/storage/store.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { bodyOf, type Fields, vector } from '../support/vectors.ts';
import { expectError, onlyResult, post, type VerifyReply } from '../support/verify-client.ts';
import {
  accountRoot,
  addApp,
  caseNamed,
  issuerRow,
  oprfRow,
  seedTrapdoor,
  WORLDID4,
  WORLDID4_SETTINGS,
} from '../support/worldid4.ts';

const START = Date.UTC(2026, 5, 15, 9, 30);
const RP_ID = 'rp_9b9dbd4dfbafdd57';
const { request } = caseNamed('uniqueness');
const INVALID_ROOT = { code: 'invalid_root', detail: 'The authenticator root is not valid.' };
const { setup } = WORLDID4.trapdoor;

/** Adds what the data leave out of the answer to a request with one item of issuer 1. */
function withIssuer(body: Fields): Fields {
  const [result] = body.results as readonly Fields[];
  return { ...body, protocol_version: '4.0', results: [{ issuer_schema_id: 1, ...result }] };
}

describe('POST /api/v4/verify with World ID 4.0', () => {
  let app: StartedApp;
  let store: Store;
  let now = START;
  const send = (body: unknown, id: string = RP_ID): Promise<VerifyReply> => post(app.publicUrl, id, body);
  const changed = (changes: Fields, item: Fields = {}): Fields => ({
    ...request,
    ...changes,
    responses: [{ ...(request.responses as [Fields])[0], ...item }],
  });

  beforeAll(async () => {
    app = await startApp({ settings: WORLDID4_SETTINGS, now: () => now });
    store = await app.openStore();
    await seedTrapdoor(store, START);
  });
  afterAll(async () => {
    await store.close();
    await app.stop();
  });

  it('version-floor: refuses a 3.0 request before its path id is looked at', async () => {
    expectError(await send(bodyOf(vector(0), { min_protocol_version: '4.0' }), 'x'), 400, {
      code: 'protocol_version_not_allowed',
      detail: 'The protocol version is not allowed.',
      attribute: 'protocol_version',
      app_id: 'x',
    });
  });

  it('issuer-listed: names the first item of an issuer that is not listed, once the app is known', async () => {
    const [item] = request.responses as [Fields];
    const responses = [item, { ...item, issuer_schema_id: '424242' }, { ...item, issuer_schema_id: 5 }];
    expectError(await send({ ...request, responses }), 400, {
      code: 'unrecognized_credential_issuer',
      detail:
        'The credential issuer is not recognized by World ID. Only credentials issued by recognized issuers can be verified.',
      attribute: 'responses[1].issuer_schema_id',
      app_id: setup.apps[0]?.app_id,
    });
    const unknown = await send({ ...request, responses }, 'rp_0123456789abcdef');
    expect(unknown.body.code).toBe('app_not_migrated');
    const schema = await send({ ...request, responses: [...responses, {}] });
    expect(schema.body).toMatchObject({ code: 'validation_error', attribute: 'responses[3]' });
  });

  it('answers a failed item with its nullifier, and a failed session with its id', async () => {
    const uniqueness = await send(changed({}, { nullifier: 'ab' }));
    expectError(uniqueness, 400, {
      code: 'all_verifications_failed',
      detail: 'All proof verifications failed.',
      app_id: setup.apps[0]?.app_id,
      results: [
        {
          identifier: 'proof_of_human',
          success: false,
          nullifier: 'ab',
          code: 'verification_error',
          detail: 'Cannot convert ab to a BigInt',
        },
      ],
    });
    const session = caseNamed('session').request;
    const failed = await send({ ...session, session_id: 'session_1' });
    expect(onlyResult(failed)).toEqual({
      identifier: 'proof_of_human',
      sessionId: 'session_1',
      success: false,
      code: 'verification_error',
      detail: 'Invalid session ID: expected format session_<128 hex characters>',
    });
    const long = await send({ ...session, session_id: 'x'.repeat(5000) });
    expect(onlyResult(long)).toEqual({
      identifier: 'proof_of_human',
      success: false,
      code: 'verification_error',
      detail: `Cannot convert ${'x'.repeat(200)} to a BigInt`,
    });
  });

  it('answers a session with id and results alone', async () => {
    const { path, request: body, expect: expected } = caseNamed('session');
    const reply = await send(body, path.slice('/api/v4/verify/'.length));
    expect(reply.body).toEqual(withIssuer(expected.body));
    expect(reply.status).toBe(200);
  });

  it('verifies a proof of a real wallet under the key of the ceremony, whose app has an rp_id of its own', async () => {
    const http = WORLDID4.real[2]?.http;
    if (!http) throw new Error('expected a request in the data');
    const { app: relying, issuer, oprf_key: oprf, root } = http.setup;
    await addApp(store, relying.app_id, relying.rp_id, now);
    const keys = [issuerRow('production', issuer, now)];
    await store.worldId4Keys.put(keys, [oprfRow('production', relying.rp_id, oprf, now)]);
    await store.roots.put([accountRoot('production', root, { receivedAt: now })]);
    const answer = withIssuer(http.expect.body);
    expect(await send(http.request, relying.rp_id)).toMatchObject({ status: 200, body: answer });
    expect((await send(http.request, relying.app_id)).body).toEqual({ ...answer, reused: true });
    const another = { ...http.request, nonce: '0x1' };
    expect(onlyResult(await send(another, relying.rp_id)).code).toBe('invalid_proof');
    await store.worldId4Keys.removeIssuer('production', '1', now);
    now += 60_000;
  });

  it('keeps production and staging of one relying party apart: roots, keys and nullifiers', async () => {
    expect((await send(request)).body.message).toBe('Proof verified successfully');
    expect((await send(request)).body.message).toBe('Proof verified successfully (nullifier reuse)');
    const other = { ...request, environment: 'production' };
    expect(onlyResult(await send(other))).toMatchObject(INVALID_ROOT);
    const [root] = setup.roots;
    const keyId = 'trapdoor-15';
    await store.roots.put([accountRoot('production', root?.root ?? '', { receivedAt: now, keyId })]);
    expect(onlyResult(await send(other)).code).toBe('invalid_credential_issuer');
    const issuers = setup.issuers.slice(0, 1).map((issuer) => issuerRow('production', issuer, now));
    await store.worldId4Keys.put(issuers, []);
    expect(onlyResult(await send(other)).detail).toBe('The relying party has no OPRF key.');
    const [own, foreign] = setup.oprf_keys;
    if (!own || !foreign) throw new Error('expected two OPRF keys');
    await store.worldId4Keys.put([], [oprfRow('production', RP_ID, foreign, now)]);
    expect(onlyResult(await send(other)).code).toBe('invalid_proof');
    await store.worldId4Keys.put([], [oprfRow('production', RP_ID, own, now)]);
    now += 60_000;
    expect((await send(other)).body).toMatchObject({
      message: 'Proof verified successfully',
      environment: 'production',
      protocol_version: '4.0',
    });
  });

  it('accepts a root for an hour after it was superseded, whenever it was received', async () => {
    const { request: body } = caseNamed('uniqueness, superseded root inside the window');
    const root = setup.roots[1]?.root ?? '';
    const supersededAt = now;
    await store.roots.put([accountRoot('staging', root, { receivedAt: 0, supersededAt })]);
    // What the cache holds from an earlier request is over.
    now = supersededAt + 3_600_000;
    expect((await send(body)).status).toBe(200);
    now = supersededAt + 3_601_000;
    expect(onlyResult(await send(body))).toMatchObject(INVALID_ROOT);
    expect(app.log()).toContain(
      '"itemCodes":"worldid_item.root_too_old","rootAgeSeconds":3601,"maxAgeSeconds":3600',
    );
  });

  it('accepts a bound for 18,000 seconds after its time', async () => {
    const { request: body } = caseNamed('uniqueness, expiration bound too old');
    const [{ expires_at_min: bound }] = body.responses as [{ expires_at_min: number }];
    const later = now;
    now = (bound + 18_000) * 1000 + 999;
    expect((await send(body)).body).toMatchObject({ success: true });
    now = (bound + 18_001) * 1000;
    expect(onlyResult(await send(body)).detail).toBe('The expiration bound is too old.');
    now = later;
  });

  it('refuses an issuer that was removed while running, once the cache is over', async () => {
    now += 60_000;
    expect((await send(request)).status).toBe(200);
    expect(await store.worldId4Keys.removeIssuer('staging', '1', now)).toBe(true);
    now += 60_000;
    expect(onlyResult(await send(request))).toMatchObject({
      code: 'invalid_credential_issuer',
      detail: 'The credential issuer is not registered.',
    });
    await store.worldId4Keys.put(
      setup.issuers.map((issuer) => issuerRow('staging', issuer, now)),
      [],
    );
    expect((await send(request)).status).toBe(200);
  });
});

describe('World ID 4.0 in the production profile', () => {
  it('is refused with the key whose trapdoor is public', async () => {
    const env = { PROOFGATE_PROFILE: 'production', PROOFGATE_VERIFY_WORLDID4_KEY_STAGING: 'trapdoor-15' };
    const loaded = await loadConfig({ env, cwd: tmpdir() });
    const facts = await newStoreFacts(loaded.config);
    expect(() => refuseUnsafeStart(loaded, facts)).toThrow(
      /key trapdoor-15, bound by verify\.worldid4\.key\.staging, is missing/,
    );
  });
});
