// Rules: spec/refresh.md#responses
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/semaphore/hex.ts';
import type { EnrolmentRow } from '../../../src/storage/refresh/enrolments.ts';
import type { RefreshAnswer, RefreshCall } from '../../support/refresh/client.ts';
import { makePackage, orbKeyPair } from '../../support/refresh/custody-package.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';

const PACKAGE = makePackage();
const ENROLLED: Partial<EnrolmentRow> = { signupId: PACKAGE.signupId, orbId: PACKAGE.orbId };

let service: RefreshService;

beforeAll(async () => {
  service = await startRefreshService();
  await service.addOrbKey(PACKAGE.orbId, PACKAGE.orbKey.pem);
});

afterAll(() => service.end());

/** Enrols a holder, with these members of the enrolment changed. */
async function enrolled(name: string, record?: Partial<EnrolmentRow>): Promise<TestHolder> {
  const holder = testHolder(name);
  await service.enrol([holder], record);
  return holder;
}

async function issuedTo({ idComm }: TestHolder) {
  const rows = await service.store.issuance.list(0, 1000);
  return rows.filter((row) => Buffer.compare(row.idComm, idComm) === 0);
}

async function metrics(): Promise<string> {
  return await (await fetch(`${service.app.adminUrl}/metrics`)).text();
}

/** Returns the value of a series, 0 if it does not exist yet. */
function seriesValue(exposition: string, series: string): number {
  const line = exposition.split('\n').find((text) => text.startsWith(`proofgate_${series} `));
  return Number(line?.split(' ')[1] ?? 0);
}

describe('POST /api/v1/refresh', () => {
  it('records operator, manifest and encrypted_user_id of a refresh with a package', async () => {
    const holder = await enrolled('with package', ENROLLED);
    const options = { package: PACKAGE.fields, encryptedUserId: 'opaque user' };
    const answer = await service.client.refresh(holder, options);
    expect(answer.status).toBe(200);
    const [row, ...others] = await issuedTo(holder);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      sub: holder.sub,
      claimSource: 'pcp',
      operatorId: 'operator-7f',
      encryptedUserId: 'opaque user',
    });
    const digest = createHash('sha256').update(PACKAGE.manifest).digest('hex');
    expect(Buffer.from(row?.manifestSha256 ?? []).toString('hex')).toBe(digest);
    expect(answer.credential).toContain(`"claims":["${toHex(row?.claim0 ?? new Uint8Array())}",`);
    const line = await service.logLine(answer);
    expect(line).toMatchObject({ route: '/api/v1/refresh', status: 200, withPackage: true });
    for (const duration of ['proofMs', 'signMs', 'commitMs']) expect(line[duration]).toBeTypeOf('number');
  });

  it('issues twice to one holder with one binding, one genesis and new ids', async () => {
    const holder = await enrolled('both ways');
    const first = await service.client.refresh(holder, { encryptedUserId: 'user' });
    const second = await service.client.refresh(holder);
    expect([first.status, second.status]).toEqual([200, 200]);
    const rows = await issuedTo(holder);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ claimSource: 'refresh', operatorId: null, manifestSha256: null });
    expect(new Set(rows.map((row) => toHex(row.credentialId))).size).toBe(2);
    expect(new Set(rows.map((row) => row.genesisIssuedAt)).size).toBe(1);
  });

  it('counts credentials and refusals in metrics', async () => {
    const holder = await enrolled('metrics');
    const refused = 'refresh_refusals_total{package="without",error="NO_SIGNUP_RECORD"}';
    const issued = 'credentials_issued_total{package="without"}';
    const before = await metrics();
    expect((await service.client.refresh(holder)).status).toBe(200);
    for (const name of ['nobody', 'nobody else']) await service.client.refresh(testHolder(name));
    const after = await metrics();
    expect(seriesValue(after, refused) - seriesValue(before, refused)).toBe(2);
    expect(seriesValue(after, issued) - seriesValue(before, issued)).toBe(1);
    expect(after).toMatch(/proofgate_key_age_seconds\{use="credential",state="active"\}/);
  });

  it('lets two idComms share a sub', async () => {
    const one = await enrolled('shared one');
    const other = { idComm: testHolder('shared other').idComm, sub: one.sub };
    await service.enrol([other]);
    expect((await service.client.refresh(one)).status).toBe(200);
    expect((await service.client.refresh(other)).status).toBe(200);
  });
});

type Change = (call: RefreshCall) => RefreshCall;
const fields =
  (changed: RefreshCall['fields']): Change =>
  (call) => ({ ...call, fields: { ...call.fields, ...changed } });
const contentType =
  (type: string): Change =>
  (call) => ({ ...call, headers: { ...call.headers, 'Content-Type': type } });

/** A name, the answer, the check that refuses, and the change of a request. */
const REFUSALS: readonly [name: string, status: number, error: string, check: number, change: Change][] = [
  ['another content type', 415, 'UNSUPPORTED_MEDIA_TYPE', 2, contentType('application/json')],
  ['a body above its limit', 413, 'PAYLOAD_TOO_LARGE', 3, fields({ unknown: Buffer.alloc(1_048_577) })],
  [
    'a body without its last boundary',
    400,
    'INVALID_REQUEST',
    4,
    contentType('multipart/form-data; boundary=other'),
  ],
  [
    'an encrypted_user_id above its limit',
    400,
    'INVALID_REQUEST',
    4,
    fields({ encrypted_user_id: 'x'.repeat(4097) }),
  ],
  [
    'an encrypted_user_id that is not UTF-8',
    400,
    'INVALID_REQUEST',
    4,
    fields({ encrypted_user_id: Buffer.of(0xff) }),
  ],
  ['no sub', 400, 'INVALID_SUB', 5, (call) => ({ ...call, fields: { other: 'x' } })],
  ['no idComm', 400, 'INVALID_ID_COMM', 6, (call) => ({ ...call, query: '' })],
  ['no proof', 401, 'UNAUTHORIZED', 7, (call) => ({ ...call, headers: {} })],
  ['a proof for another sub', 401, 'INVALID_PROOF', 9, fields({ sub: toHex(testHolder('another').sub) })],
  [
    'a package without its last part',
    400,
    'PCP_VALIDATION_FAILED',
    13,
    fields({ ...PACKAGE.fields, 'hashes.sign': '' }),
  ],
];

describe('a refusal of POST /api/v1/refresh', () => {
  it.each(REFUSALS)('%s: %i %s', async (name, status, error, check, change) => {
    const holder = await enrolled(`refusal ${name}`);
    const call = change(await service.client.call(holder));
    const answer = await service.client.send(call);
    await expectRefusal(answer, { status, error, check });
    await expect(service.store.issuance.bindingsOf(holder.idComm)).resolves.toEqual([]);
    // a failed attempt binds no sub, so that the identity stays usable
    const real = testHolder(`refusal ${name}`, 'the real sub');
    expect((await service.client.refresh(real)).status).toBe(200);
  });

  it('a false proof: 401 INVALID_PROOF, with a WWW-Authenticate challenge', async () => {
    const holder = await enrolled('false proof');
    const answer = await service.client.refresh(holder, { isFalse: true });
    await expectRefusal(answer, { status: 401, error: 'INVALID_PROOF', check: 9 });
    expect(answer.headers.get('www-authenticate')).toBe('ZkpProof realm="refresh"');
  });

  it('no enrolment, or a revoked one: 404 NO_SIGNUP_RECORD with and without a package', async () => {
    const unknown = testHolder('never enrolled');
    const revoked = await enrolled('revoked', { status: 'revoked' });
    for (const holder of [unknown, revoked]) {
      for (const options of [{}, { package: PACKAGE.fields }]) {
        const answer = await service.client.refresh(holder, options);
        await expectRefusal(answer, { status: 404, error: 'NO_SIGNUP_RECORD', check: 11 });
      }
    }
  });

  it('another sub than the bound one: 400 SUB_MISMATCH, with the binding unchanged', async () => {
    const holder = await enrolled('bound');
    expect((await service.client.refresh(holder)).status).toBe(200);
    const other = testHolder('bound', 'other sub');
    const answer = await service.client.refresh(other, { package: { signup_id: '' } });
    await expectRefusal(answer, { status: 400, error: 'SUB_MISMATCH', check: 12 });
    await expect(service.store.issuance.bindingsOf(holder.idComm)).resolves.toMatchObject([
      { sub: holder.sub, issuedCount: 1 },
    ]);
  });

  it('a package that another orb signed: 400 PCP_VALIDATION_FAILED, with the name of the rule', async () => {
    // another test enrols the signup of the usual package at this service
    const foreign = makePackage({ seed: 'foreign', orbKey: orbKeyPair('foreign orb key') });
    const holder = await enrolled('foreign orb', { signupId: foreign.signupId, orbId: foreign.orbId });
    const answer = await service.client.refresh(holder, { package: foreign.fields });
    await expectRefusal(answer, { status: 400, error: 'PCP_VALIDATION_FAILED', check: 13 });
    expect(answer.body.message).toMatch(/signature/);
    await expect(issuedTo(holder)).resolves.toEqual([]);
  });

  async function expectRefusal(
    answer: RefreshAnswer,
    { status, error, check }: { status: number; error: string; check: number },
  ): Promise<void> {
    expect(answer.body).toEqual({ success: false, error, message: expect.any(String) });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    await expect(service.logLine(answer)).resolves.toMatchObject({ status, refusal: error, check });
  }
});

describe('the setting refresh.keepEncryptedUserId', () => {
  it('if false, does not store the encrypted_user_id of a wallet', async () => {
    const forgetful = await startRefreshService({ settings: { 'refresh.keepEncryptedUserId': 'false' } });
    try {
      const holder = testHolder('forgotten');
      await forgetful.enrol([holder]);
      const answer = await forgetful.client.refresh(holder, { encryptedUserId: 'opaque user' });
      expect(answer.status).toBe(200);
      const [row] = await forgetful.store.issuance.list(0, 10);
      expect(row).toMatchObject({ encryptedUserId: null });
      expect(forgetful.app.log()).not.toContain('opaque user');
    } finally {
      await forgetful.end();
    }
  });
});

describe('the log of refreshes', () => {
  it('contains no idComm, sub, proof or package value', async () => {
    const holder = await enrolled('secrets');
    const call = await service.client.call(holder, { package: PACKAGE.fields, encryptedUserId: 'opaque' });
    await service.logLine(await service.client.send(call));
    const log = service.app.log();
    const { idComm, sub } = holder;
    for (const secret of [idComm, sub]) expect(log).not.toContain(toHex(secret).slice(2));
    const proof = JSON.parse(Buffer.from(call.headers['x-zkp-proof'] ?? '', 'base64').toString()) as object;
    for (const value of Object.values(proof)) {
      if (String(value).length > 20) expect(log).not.toContain(String(value));
    }
    for (const value of ['opaque', PACKAGE.signupId, PACKAGE.operatorId, PACKAGE.orbId]) {
      expect(log).not.toContain(value);
    }
  });
});
