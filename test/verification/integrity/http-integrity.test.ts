// Rules: spec/worldid4.md#integrity-bundle and spec/worldid4.md#order-of-checks, bundle-version and bundle
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { type AttestedRequest, attestedBytes } from '../../../src/verification/integrity/integrity-digest.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { bodyOf, type Fields, vector } from '../support/vectors.ts';
import { expectError, post, type VerifyReply } from '../support/verify-client.ts';
import { caseNamed, seedTrapdoor, WORLDID4, WORLDID4_SETTINGS } from '../support/worldid4.ts';
import {
  createSigningKey,
  type KeyServer,
  keySetAnswer,
  signToken,
  startKeyServer,
} from './support/attester.ts';
import { createDevice, sha256 } from './support/device.ts';

const START = Date.UTC(2026, 5, 15, 9, 30);
const SECONDS = START / 1000;
const RP_ID = 'rp_9b9dbd4dfbafdd57';
const APP_ID = WORLDID4.trapdoor.setup.apps[0]?.app_id;
const SIGNING_KEY = createSigningKey('key-1');
const FAILED = {
  code: 'integrity_verification_failed',
  detail: 'Integrity bundle verification failed.',
  attribute: 'integrity_bundle',
  app_id: APP_ID,
};
const { request } = caseNamed('uniqueness');
const [item] = request.responses as [Fields];

describe('POST /api/v4/verify in the mode verify of integrity bundles', () => {
  const device = createDevice();
  let keyServer: KeyServer;
  let app: StartedApp;
  const send = (body: unknown, id: string = RP_ID): Promise<VerifyReply> => post(app.publicUrl, id, body);

  beforeAll(async () => {
    keyServer = await startKeyServer(keySetAnswer(SIGNING_KEY.jwk));
    app = await startApp({
      settings: {
        ...WORLDID4_SETTINGS,
        'verify.worldid4.integrity': 'verify',
        'verify.worldid4.issuers.staging': '1:proof_of_human,11:selfie',
        'verify.worldid4.attestation.staging.jwksUrl': keyServer.url,
        'verify.worldid4.attestation.production.jwksUrl': keyServer.url,
      },
      now: () => START,
    });
    const store = await app.openStore();
    await seedTrapdoor(store, START);
    await store.close();
  });
  afterAll(async () => {
    await app.stop();
    await keyServer.close();
  });

  /** Returns a 4.0 body with a bundle that holds for it. */
  async function bundled(body: Fields, changes: JsonObject = {}): Promise<Fields> {
    const { nonce, responses } = body as Pick<AttestedRequest, 'nonce' | 'responses'>;
    const attested = attestedBytes({ protocol: '4.0', kind: 'uniqueness', nonce, responses }, 1, SECONDS);
    const claims = {
      iss: 'attestation.worldcoin.dev',
      aud: RP_ID,
      exp: SECONDS + 60,
      pass: true,
      platform: 'ios',
      cnf: { jwk: device.jwk },
    };
    const bundle = {
      version: 1,
      signature_format: 'apple_app_attest',
      timestamp: SECONDS,
      signature: device.sign('apple_app_attest', sha256(attested)).toString('hex'),
      jwt: await signToken(SIGNING_KEY, claims),
      ...changes,
    };
    return { ...body, integrity_bundle: bundle };
  }

  it('verifies a request with a true bundle, twice, and one without a bundle', async () => {
    const body = await bundled(request);
    expect((await send(body)).status).toBe(200);
    expect((await send(body)).status).toBe(200);
    expect((await send(request)).status).toBe(200);
  });

  it('bundle: refuses a bundle of another request, and one that was used for other items', async () => {
    const body = await bundled({ ...request, nonce: '0x77' });
    expectError(await send({ ...body, nonce: '0x78' }), 403, FAILED);
    expect((await send(body)).body.code).toBe('all_verifications_failed');
    expectError(await send({ ...body, responses: [item, item] }), 403, FAILED);
  });

  it('bundle-version: refuses an item of issuer 11 without a bundle of version 2, once it is listed', async () => {
    const responses = [{ ...item, identifier: 'selfie', issuer_schema_id: '11', sybil_score: 10 }];
    const required = {
      ...FAILED,
      detail: 'Self Check 4.0 responses require an integrity bundle signed with version 2.',
    };
    expectError(await send({ ...request, responses }), 403, required);
    expectError(await send(await bundled({ ...request, responses })), 403, required);
    const unlisted = await send({ ...request, responses: [...responses, { ...item, issuer_schema_id: 5 }] });
    expect(unlisted.body.code).toBe('unrecognized_credential_issuer');
  });

  it('schema: reports a bundle after the items and before the other fields, in both versions', async () => {
    const bundle = { integrity_bundle: {} };
    const wrong = {
      code: 'validation_error',
      detail: 'integrity_bundle.jwt is required',
      attribute: 'integrity_bundle.jwt',
    };
    for (const body of [request, bodyOf(vector(0))]) {
      expectError(await send({ ...body, ...bundle }), 400, wrong);
      expectError(await send({ ...body, ...bundle, environment: 'dev' }), 400, wrong);
      const badItem = await send({ ...body, ...bundle, responses: [{}] });
      expect(badItem.body.attribute).toBe('responses[0]');
    }
  });

  it('checks the bundle of a 3.0 request, too', async () => {
    const body = bodyOf(vector(0), { integrity_bundle: (await bundled(request)).integrity_bundle });
    expectError(await send(body), 403, FAILED);
  });

  it('names the cause in the log line and the metric, and in no answer', async () => {
    await send(await bundled(request, { timestamp: SECONDS - 301 }));
    const response = await fetch(`${app.adminUrl}/metrics`);
    expect(await response.text()).toContain(
      'proofgate_verify_integrity_total{environment="staging",result="timestamp_too_old"} 1\n',
    );
    expect(app.logLines('timestamp_too_old')).toMatchObject([
      { rule: 'timestamp_too_old', status: 403, code: 'verify.integrity_failed', appId: APP_ID },
    ]);
  });
});
