import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { makePackage, orbKeyPair } from '../../support/refresh/custody-package.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { FAULT_PAIRS, FAULTS, type Fault, type FaultyPackage, faultyPackage } from './support/check.ts';

const ORB = '0c1d2e3f';

describe('POST /api/v1/refresh with a custody package', () => {
  let service: RefreshService;
  let count = 0;

  beforeAll(async () => {
    service = await startRefreshService({ settings: { 'rateLimits.refreshProofAttemptsPerMinute': '0' } });
    await service.addOrbKey(ORB, orbKeyPair('another key of the orb').pem);
    await service.addOrbKey(ORB, makePackage().orbKey.pem);
  });
  afterAll(() => service.end());

  /** Sends a package as a new holder with this enrolment. */
  async function send({
    fields,
    enrolment,
  }: Pick<FaultyPackage, 'fields' | 'enrolment'>): Promise<RefreshAnswer> {
    count += 1;
    const holder = testHolder(`package ${count}`);
    await service.enrol([holder], enrolment);
    return await service.client.refresh(holder, { package: fields });
  }

  async function refuse(faults: readonly Fault[], seed: string): Promise<RefreshAnswer> {
    const answer = await send(faultyPackage(faults, seed));
    expect(answer.body).toMatchObject({ success: false, error: 'PCP_VALIDATION_FAILED' });
    expect(answer.status).toBe(400);
    return answer;
  }

  it('issues for a package with low or high s, members in any order, and any size within the limits', async () => {
    const packages = [
      makePackage({ seed: 'low' }),
      makePackage({ seed: 'high', s: 'high' }),
      makePackage({ seed: 'reversed', editMembers: (members) => [...members].reverse() }),
      makePackage({ seed: 'shares', shareBytes: 200_000 }),
      makePackage({ seed: 'salts', salts: { signup_id: 'Sälz ✓', timestamp: '\r\n x \0' } }),
      makePackage({ seed: 'number', editManifest: (text) => text.replace('"2.3"', '2.3') }),
      makePackage({ seed: 'long', editManifest: (text) => `${text.slice(0, -1).padEnd(65_535)}}` }),
    ];
    for (const made of packages) {
      const enrolment = { signupId: made.signupId, orbId: made.orbId };
      const { status, body } = await send({ fields: made.fields, enrolment });
      expect(body.message).toBe('Credential refreshed successfully');
      expect(status).toBe(200);
    }
  });

  it('refuses values that are too long with PCP_VALIDATION_FAILED, and a body that is too large with 413', async () => {
    const longManifest = makePackage({
      seed: 'too long a manifest',
      editManifest: (text) => `${text.slice(0, -1).padEnd(65_536)}}`,
    });
    const tooLong: Readonly<Record<string, string | Uint8Array>> = {
      // a client mistake: the text of the signature in place of its bytes
      'hashes.sign': Buffer.from(longManifest.signature).toString('base64'),
      operator_id: 'o'.repeat(300),
      orb_country_salt: '0'.repeat(129),
      iris_code_shares_1: 's'.repeat(262_145),
      'hashes.json': longManifest.manifest,
    };
    for (const [name, value] of Object.entries(tooLong)) {
      const made = makePackage({ seed: `too long: ${name}` });
      const enrolment = { signupId: made.signupId, orbId: ORB };
      const { status, body } = await send({ fields: { ...made.fields, [name]: value }, enrolment });
      expect(body).toEqual({
        success: false,
        error: 'PCP_VALIDATION_FAILED',
        message: expect.stringMatching(new RegExp(`^${name}: expected at most [0-9]+ bytes`)),
      });
      expect(status).toBe(400);
      expect(body.message).not.toContain(Buffer.from(value).toString('latin1').slice(0, 16));
    }
    const made = makePackage({ seed: 'too large' });
    const enrolment = { signupId: made.signupId, orbId: ORB };
    const large = await send({ fields: { ...made.fields, other: Buffer.alloc(1_048_576) }, enrolment });
    expect([large.status, large.body.error]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it.each(FAULTS)('refuses rule $rule: $named', async (fault) => {
    const { body } = await refuse([fault], `rule ${fault.rule}`);
    expect(body.message.split(': ')[0]).toBe(fault.named);
    // The line of another front end than the first comes after the answer.
    await expect
      .poll(() => service.app.logLines('package_invalid').at(-1))
      .toMatchObject({ check: 13, rule: fault.text.split(' ')[0], withPackage: true });
  });

  it.each(FAULT_PAIRS)('reports the earlier rule if $rules fail', async ({ rules, first, second }) => {
    const { body } = await refuse([first, second], `rules ${rules}`);
    expect(body.message.split(': ')[0]).toBe(first.named);
  });

  it('binds nothing and counts nothing for a refused package', async () => {
    const holder = testHolder('refused first');
    const { fields, made } = faultyPackage([FAULTS[3] as Fault], 'refused first');
    await service.enrol([holder], { signupId: made.signupId, orbId: made.orbId });
    expect((await service.client.refresh(holder, { package: fields })).body.error).toBe(
      'PCP_VALIDATION_FAILED',
    );
    expect(await service.store.issuance.bindingsOf(holder.idComm)).toEqual([]);
    const other = { ...holder, sub: testHolder('another sub').sub };
    expect((await service.client.refresh(other, { package: made.fields })).status).toBe(200);
  });
});
