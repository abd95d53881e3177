// Rules: spec/worldid4.md#integrity-bundle
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { createMetrics, type Metrics } from '../../../src/observability/metrics/metrics.ts';
import {
  createIntegrityCheck,
  type IntegrityCheck,
  type IntegrityRequest,
} from '../../../src/verification/integrity/check-integrity.ts';
import { attestedBytes } from '../../../src/verification/integrity/integrity-digest.ts';
import { openTempStore } from '../support/temp-store.ts';
import {
  createSigningKey,
  type KeyServer,
  keySetAnswer,
  signToken,
  startKeyServer,
} from './support/attester.ts';
import { createDevice, type SignatureFormat, sha256 } from './support/device.ts';

const START = 1_800_000_000_000;
const START_SECONDS = START / 1000;
const RP_ID = 'rp_0387df34f862cd4e';
const ISSUER = 'attestation.example';
const SIGNING_KEY = createSigningKey('key-1');
const PLATFORMS = { apple_app_attest: 'ios', android_keystore: 'android' } as const;
const ITEM = {
  identifier: 'proof_of_human',
  issuer_schema_id: 1,
  nullifier: '0x5',
  proof: ['1', '2', '3', '4', '5'],
};
const SELF_CHECK = { ...ITEM, issuer_schema_id: 11, sybil_score: 10 };

/** What a bundle is made of; the defaults make a valid one. */
interface Made {
  readonly format?: SignatureFormat;
  readonly version?: 1 | 2;
  readonly timestamp?: number;
  readonly claims?: JsonObject;
  readonly header?: JsonObject;
  /** The request that the device signs, if it differs from the one that is sent. */
  readonly signed?: JsonObject;
  readonly bundle?: JsonObject;
}

let temp: Awaited<ReturnType<typeof openTempStore>>;
let server: KeyServer;
let metrics: Metrics;
let check: IntegrityCheck;
let now: number;
let device = createDevice();
let unreadable: string[];

beforeAll(async () => {
  temp = await openTempStore();
  server = await startKeyServer();
});
afterAll(async () => {
  await server.close();
  await temp.close();
});
beforeEach(() => {
  now = START;
  device = createDevice();
  server.respond = keySetAnswer(SIGNING_KEY.jwk);
  server.requests = 0;
  unreadable = [];
  metrics = createMetrics();
  const attestation = { issuer: ISSUER, jwksUrl: server.url, jwksFile: undefined };
  check = createIntegrityCheck({
    attestation: { production: attestation, staging: { ...attestation, issuer: 'staging.example' } },
    uses: temp.store.integrityUses,
    metrics,
    now: () => now,
    onKeysUnreadable: (environment) => unreadable.push(environment),
  });
});
afterEach(() => metrics.close());

function requestOf(
  body: JsonObject,
  protocol: '3.0' | '4.0' = '4.0',
  kind: IntegrityRequest['kind'] = 'uniqueness',
): IntegrityRequest {
  const responses = body.responses as readonly JsonObject[];
  return {
    protocol,
    kind,
    environment: 'production',
    items: responses.map(({ issuer_schema_id: issuer }) => ({
      identifier: 'any',
      ...(issuer === undefined ? {} : { issuerSchemaId: String(issuer) }),
    })),
    bundledBody: body.integrity_bundle === undefined ? undefined : body,
  };
}

function claimsOf(format: SignatureFormat): JsonObject {
  return {
    iss: ISSUER,
    aud: RP_ID,
    exp: START_SECONDS + 3600,
    pass: true,
    platform: PLATFORMS[format],
    cnf: { jwk: device.jwk },
  };
}

/** Returns a request with a bundle. */
async function bundled(
  made: Made = {},
  body: JsonObject = { nonce: '0x1', responses: [ITEM] },
  protocol: '3.0' | '4.0' = '4.0',
  kind: IntegrityRequest['kind'] = 'uniqueness',
): Promise<IntegrityRequest> {
  const { format = 'android_keystore', version = 1, timestamp = START_SECONDS } = made;
  const { nonce, responses } = { ...body, ...made.signed };
  const attested = attestedBytes(
    { protocol, kind, nonce: nonce as string, responses: responses as readonly JsonObject[] },
    version,
    timestamp,
  );
  const bundle = {
    version,
    signature_format: format,
    timestamp,
    signature: device.sign(format, sha256(attested)).toString('hex'),
    jwt: await signToken(SIGNING_KEY, { ...claimsOf(format), ...made.claims }, made.header),
    ...made.bundle,
  };
  return requestOf({ ...body, integrity_bundle: bundle }, protocol, kind);
}

/** Checks a request and returns the cause of its refusal, or `valid`. */
async function resultOf(request: IntegrityRequest): Promise<string> {
  const outcome = (async () => check(request, { rpId: RP_ID }))();
  return outcome.then(
    () => 'valid',
    (error: { code: string; details: { rule: string } }) => {
      expect(error.code).toBe('verify.integrity_failed');
      return error.details.rule;
    },
  );
}

async function counted(): Promise<string[]> {
  const lines = (await metrics.exposition()).split('\n');
  return lines.filter((line) => line.startsWith('proofgate_verify_integrity_total{'));
}

describe('a bundle', () => {
  const SESSION = { nonce: '7', responses: [{ ...SELF_CHECK, session_nullifier: ['3', '4'] }] };
  it.each([
    [
      'a device with Android',
      { format: 'android_keystore' },
      { nonce: '7', responses: [ITEM] },
      'uniqueness',
    ],
    ['a device of Apple', { format: 'apple_app_attest' }, { nonce: '7', responses: [ITEM] }, 'uniqueness'],
    ['issuer 11', { version: 2 }, { nonce: '7', responses: [ITEM, SELF_CHECK] }, 'uniqueness'],
    ['a session', { version: 2, format: 'apple_app_attest' }, SESSION, 'session'],
  ] satisfies [string, Made, JsonObject, IntegrityRequest['kind']][])(
    'of %s is accepted',
    async (_, made, body, kind) => {
      expect(await resultOf(await bundled(made, body, '4.0', kind))).toBe('valid');
      expect(await counted()).toEqual([
        'proofgate_verify_integrity_total{environment="production",result="valid"} 1',
      ]);
    },
  );

  it('of a 3.0 request is accepted, whose nonce need not be a number', async () => {
    const body = { nonce: 'any text', responses: [{ proof: '0xab' }] };
    expect(await resultOf(await bundled({}, body, '3.0'))).toBe('valid');
  });

  it('is accepted until it is 300 seconds old', async () => {
    const request = await bundled();
    now = START + 300_999;
    expect(await resultOf(request)).toBe('valid');
    now = START + 301_000;
    expect(await resultOf(request)).toBe('timestamp_too_old');
  });

  it.each([
    ['timestamp_in_future', { timestamp: START_SECONDS + 1 }],
    ['token_audience', { claims: { aud: 'rp_0000000000000000' } }],
    ['token_audience', { claims: { aud: undefined } }],
    ['token_issuer', { claims: { iss: 'staging.example' } }],
    ['token_expired', { claims: { exp: START_SECONDS } }],
    ['token_claims', { claims: { exp: undefined } }],
    ['token_claims', { claims: { nbf: START_SECONDS + 1 } }],
    ['device_failed', { claims: { pass: false } }],
    ['device_failed', { claims: { pass: 'true' } }],
    ['platform', { claims: { platform: 'ios' } }],
    ['platform', { format: 'apple_app_attest', claims: { platform: 'android' } }],
    ['device_key', { claims: { cnf: undefined } }],
    ['device_key', { claims: { cnf: { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } } } }],
    ['device_signature', { claims: { cnf: { jwk: createDevice().jwk } } }],
    ['device_signature', { signed: { nonce: '0x2' } }],
    ['device_signature', { version: 2, signed: { responses: [{ ...ITEM, nullifier: '0x6' }] } }],
    ['device_signature', { bundle: { timestamp: START_SECONDS - 1 } }],
    ['device_signature', { bundle: { signature: '00' } }],
    ['signature_form', { format: 'apple_app_attest', bundle: { signature: '00' } }],
    ['key_unknown', { header: { kid: 'key-2' } }],
    ['token_form', { header: { kid: undefined } }],
    ['token_form', { header: { kid: '' } }],
    ['token_form', { bundle: { jwt: 'a.b.c' } }],
    ['token_form', { bundle: { jwt: 'x' } }],
  ] satisfies [string, Made][])('is refused: %s %#', async (cause, made) => {
    expect(await resultOf(await bundled(made))).toBe(cause);
    expect(await counted()).toEqual([
      `proofgate_verify_integrity_total{environment="production",result="${cause}"} 1`,
    ]);
  });

  it('is refused if its token has another algorithm or another signer', async () => {
    const good = await signToken(SIGNING_KEY, claimsOf('android_keystore'));
    const none = Buffer.from('{"alg":"none","kid":"key-1"}').toString('base64url');
    const jwt = `${none}.${good.split('.')[1]}.`;
    expect(await resultOf(await bundled({ bundle: { jwt } }))).toBe('token_algorithm');
    const forged = await signToken(createSigningKey('key-1'), claimsOf('android_keystore'));
    expect(await resultOf(await bundled({ bundle: { jwt: forged } }))).toBe('token_signature');
  });

  it('is refused if it was made for another environment', async () => {
    const request: IntegrityRequest = { ...(await bundled()), environment: 'staging' };
    expect(await resultOf(request)).toBe('token_issuer');
  });

  it('of version 2 is refused with a 3.0 request', async () => {
    const body = { nonce: '1', responses: [{ proof: '0xab' }] };
    expect(await resultOf(await bundled({ version: 2 }, body, '3.0'))).toBe('version_of_protocol');
  });

  it('is refused if the nonce of its 4.0 request is no number', async () => {
    const request = await bundled();
    const bundledBody = { ...request.bundledBody, nonce: 'text' };
    expect(await resultOf({ ...request, bundledBody })).toBe('unreadable_number');
  });

  it('is not looked at further, and reads no keys, if a cheap check fails', async () => {
    expect(await resultOf(await bundled({ timestamp: START_SECONDS - 301 }))).toBe('timestamp_too_old');
    expect(server.requests).toBe(0);
  });
});

describe('a request without a bundle', () => {
  it('is accepted at once', async () => {
    expect(check(requestOf({ responses: [ITEM] }), { rpId: RP_ID })).toBeUndefined();
    expect(check(requestOf({ responses: [{ proof: '0xab' }] }, '3.0'), { rpId: RP_ID })).toBeUndefined();
    expect(await counted()).toEqual([
      'proofgate_verify_integrity_total{environment="production",result="absent"} 2',
    ]);
  });

  it.each([11, '11', '0011'])('is refused with an item of issuer %s', async (issuer) => {
    const request = requestOf({ responses: [ITEM, { ...SELF_CHECK, issuer_schema_id: issuer }] });
    expect(() => check(request, { rpId: RP_ID })).toThrowError(
      expect.objectContaining({ code: 'verify.integrity_required' }),
    );
    expect(await counted()).toEqual([
      'proofgate_verify_integrity_total{environment="production",result="bundle_required"} 1',
    ]);
  });

  it('is refused with an item of issuer 11 also if it has a bundle of version 1', async () => {
    const request = await bundled({ version: 1 }, { nonce: '1', responses: [SELF_CHECK] });
    expect(() => check(request, { rpId: RP_ID })).toThrowError(
      expect.objectContaining({ code: 'verify.integrity_required' }),
    );
  });
});

describe('a bundle that was used', () => {
  const others = [{ ...ITEM, nullifier: '0x6' }];

  it('is accepted again with the same responses, and refused with others', async () => {
    const request = await bundled();
    expect(await resultOf(request)).toBe('valid');
    expect(await resultOf(request)).toBe('valid');
    const bundledBody = { ...request.bundledBody, responses: others };
    expect(await resultOf({ ...request, bundledBody })).toBe('used_before');
    expect(await resultOf(request)).toBe('valid');
  });

  it.each(['android_keystore', 'apple_app_attest'] satisfies SignatureFormat[])(
    'is recognised with another spelling of its signature and a new token: %s',
    async (format) => {
      expect(await resultOf(await bundled({ format }))).toBe('valid');
      const attested = attestedBytes(
        { protocol: '4.0', kind: 'uniqueness', nonce: '0x1', responses: [] },
        1,
        START_SECONDS,
      );
      const signature = device.sign(format, sha256(attested), true).toString('hex').toUpperCase();
      const made = { format, bundle: { signature }, claims: { jti: 'another' } };
      expect(await resultOf(await bundled(made))).toBe('valid');
      expect(await resultOf(await bundled(made, { nonce: '1', responses: others }))).toBe('used_before');
    },
  );

  it('does not count for another time, nonce or device', async () => {
    expect(await resultOf(await bundled())).toBe('valid');
    expect(
      await resultOf(await bundled({ timestamp: START_SECONDS - 1 }, { nonce: '1', responses: others })),
    ).toBe('valid');
    expect(await resultOf(await bundled({}, { nonce: '2', responses: others }))).toBe('valid');
    device = createDevice();
    expect(await resultOf(await bundled({}, { nonce: '1', responses: others }))).toBe('valid');
  });

  it('is not recorded if it is invalid', async () => {
    const before = await temp.store.rowCounts();
    await resultOf(await bundled({ bundle: { timestamp: START_SECONDS - 1 } }));
    expect(await temp.store.rowCounts()).toEqual(before);
  });

  it('is forgotten only after it is too old', async () => {
    await temp.store.sweep(Number.MAX_SAFE_INTEGER, 1000);
    const request = await bundled();
    await resultOf(request);
    await temp.store.sweep(START + 301_000, 1000);
    const bundledBody = { ...request.bundledBody, responses: others };
    expect(await resultOf({ ...request, bundledBody })).toBe('used_before');
    await temp.store.sweep(START + 600_000, 1000);
    expect(await temp.store.rowCounts()).toMatchObject({ integrity_uses: 0 });
  });
});

describe('the keys of the issuer', () => {
  it('are read once for many bundles', async () => {
    for (let index = 0; index < 3; index++) expect(await resultOf(await bundled())).toBe('valid');
    expect(server.requests).toBe(1);
  });

  it('may be rotated', async () => {
    expect(await resultOf(await bundled())).toBe('valid');
    const next = createSigningKey('key-2');
    server.respond = keySetAnswer(next.jwk);
    now += 60_000;
    const jwt = await signToken(next, claimsOf('android_keystore'));
    expect(await resultOf(await bundled({ bundle: { jwt } }))).toBe('valid');
    expect(server.requests).toBe(2);
    expect(await resultOf(await bundled())).toBe('key_unknown');
    expect(server.requests).toBe(2);
  });

  it('may be replaced under one kid', async () => {
    expect(await resultOf(await bundled())).toBe('valid');
    const next = createSigningKey('key-1');
    server.respond = keySetAnswer(next.jwk);
    now += 60_000;
    const jwt = await signToken(next, claimsOf('android_keystore'));
    expect(await resultOf(await bundled({ bundle: { jwt } }))).toBe('valid');
    expect(await resultOf(await bundled())).toBe('token_signature');
  });

  it('are not read for each token that names a made-up key', async () => {
    for (let index = 0; index < 20; index++) {
      expect(await resultOf(await bundled({ header: { kid: `made-up-${index}` } }))).toBe('key_unknown');
    }
    expect(server.requests).toBe(1);
  });

  it('are reported if they cannot be read, without a request for each bundle', async () => {
    server.respond = (_request, response) => response.writeHead(503).end();
    expect(await resultOf(await bundled())).toBe('keys_unavailable');
    expect(await resultOf(await bundled())).toBe('keys_unavailable');
    expect(server.requests).toBe(1);
    expect(unreadable).toEqual(['production']);
    server.respond = keySetAnswer(SIGNING_KEY.jwk);
    now += 10_000;
    expect(await resultOf(await bundled())).toBe('valid');
  });
});
