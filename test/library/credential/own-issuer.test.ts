import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyCredential } from '../../../src/library/credential.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { numberOf } from '../../../src/semaphore/words.ts';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { REFRESH_VECTORS, VECTOR_HOLDER, vectorCall } from '../../support/refresh/vectors.ts';

const NOW = 1_700_000_000_000;
const ISSUED_AT = NOW / 1000;
const { package: custody } = REFRESH_VECTORS;

describe('verifyCredential with credentials of the service and the keys that it publishes', () => {
  const holder = testHolder('library');
  let service: RefreshService;
  let issuerKeys: string;
  let clock = NOW;

  beforeAll(async () => {
    service = await startRefreshService({ now: () => clock });
    const { signup_id: signupId = '', orb_id: orbId = '' } = custody.form_fields;
    await service.enrol([VECTOR_HOLDER], { signupId, orbId });
    await service.enrol([holder]);
    await service.addOrbKey(orbId, custody.orb_public_key_pem);
    issuerKeys = await keys();
  });

  afterAll(() => service.end());

  async function keys(): Promise<string> {
    return await (await service.client.get('/api/v1/issuer-keys')).text();
  }

  function textOf({ status, body }: RefreshAnswer): string {
    expect([status, body.message]).toEqual([200, 'Credential refreshed successfully']);
    return body.credential ?? '';
  }

  const now = new Date(NOW);

  it('accepts one without a package, and compares its claim with the data of the refresh', async () => {
    const text = textOf(await service.client.refresh(holder));
    const claim = { idComm: toHex(holder.idComm), sub: numberOf(holder.sub), issuedAt: ISSUED_AT };
    const options = { issuerKeys, now, issuerSchemaId: 1, minGenesisIssuedAt: ISSUED_AT, claim };
    const verdict = await verifyCredential(text, options);
    expect(verdict).toMatchObject({
      valid: true,
      key: { issuerSchemaId: 1n, status: 'active' },
      credential: {
        sub: toHex(holder.sub),
        genesisIssuedAt: BigInt(ISSUED_AT),
        // three calendar years (spec/credential.md#validity)
        expiresAt: BigInt(Date.UTC(2026, 10, 14, 22, 13, 20) / 1000),
        claims: [expect.stringMatching(/^0x[0-9a-f]{64}$/), ...Array(15).fill(`0x${'0'.repeat(64)}`)],
      },
    });
    const later = { ...options, claim: { ...claim, issuedAt: ISSUED_AT + 1 } };
    expect((await verifyCredential(text, later)).faults.map(({ code }) => code)).toEqual([
      'credential.claim_differs',
    ]);
  });

  it('accepts one with a custody package, and compares its claim with the bytes of hashes.json', async () => {
    const text = textOf(await service.client.send(vectorCall()));
    const claim = { hashesJson: Buffer.from(custody.hashes_json) };
    expect(await verifyCredential(text, { issuerKeys, now, claim })).toMatchObject({
      valid: true,
      credential: { claims: { 0: custody.claim } },
    });
  });

  it('refuses a credential of which a bit is changed, wherever it is', async () => {
    const text = textOf(await service.client.refresh(holder));
    const bytes = Buffer.from(text, 'base64');
    const accepted: string[] = [];
    // One bit of every fifth byte; many of these texts are still JSON of a credential.
    for (let index = 0; index < bytes.length; index += 5) {
      const changed = Buffer.from(bytes);
      changed[index] = (bytes[index] ?? 0) ^ (1 << (index % 3));
      const { valid } = await verifyCredential(changed.toString('base64'), { issuerKeys, now });
      if (valid) accepted.push(changed.toString());
    }
    expect(accepted).toEqual([]);
  });

  it('refuses it under the keys of another issuer, and once its key is revoked', async () => {
    const text = textOf(await service.client.refresh(holder));
    const [other] = REFRESH_VECTORS.credentials.flatMap(({ json }) => (json === undefined ? [] : [json]));
    const { pk } = JSON.parse(other ?? '').issuer;
    expect(await verifyCredential(text, { issuerKeys: [pk], now })).toMatchObject({
      code: 'credential.key_unknown',
    });
    const [row] = await service.store.issuerKeys.list('1');
    expect(await service.store.issuerKeys.revoke('1', row?.keyId ?? '', NOW)).toBe(true);
    // longer than the service keeps the list in memory
    clock += 3_600_000;
    const { valid, code } = await verifyCredential(text, { issuerKeys: await keys(), now });
    expect([valid, code]).toEqual([false, 'credential.key_revoked']);
  });
});
