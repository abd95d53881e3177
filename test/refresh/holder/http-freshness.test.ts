// Rules: spec/refresh.md#freshness-mode
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes } from '../../engine/support/vectors.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';

const ROUNDS = 20;

describe('POST /api/v1/refresh in freshness mode', () => {
  const holder = testHolder('freshness race');
  let service: RefreshService;
  beforeAll(async () => {
    service = await startRefreshService({
      settings: { 'refresh.challengeRequired': 'true', 'rateLimits.refreshPerIdComm': '0' },
    });
    await service.enrol([holder]);
  });
  afterAll(() => service?.end());

  const freshPreImage = async (): Promise<Uint8Array> => {
    const answer = await service.client.get('/api/v1/challenge');
    const { challenge } = (await answer.json()) as { readonly challenge: string };
    return Buffer.concat([Buffer.from('proofgate-refresh'), bytes(challenge)]);
  };

  it(`issues one credential for ${ROUNDS} requests of one challenge`, async () => {
    const call = await service.client.call(holder, { preImage: await freshPreImage() });
    const answers = await Promise.all(Array.from({ length: ROUNDS }, () => service.client.send(call)));
    const errors = answers.map(({ status, body }) => `${status} ${body.error ?? 'issued'}`).sort();
    expect(errors).toEqual(['200 issued', ...Array(ROUNDS - 1).fill('401 INVALID_PROOF')]);
  });

  it('spends a challenge with a valid proof, even if a later check refuses the request', async () => {
    const preImage = await freshPreImage();
    const stranger = testHolder('freshness, not enrolled');
    const refused = await service.client.refresh(stranger, { preImage });
    expect([refused.status, refused.body.error]).toEqual([404, 'NO_SIGNUP_RECORD']);
    const late = await service.client.refresh(holder, { preImage });
    expect([late.status, late.body.error]).toEqual([401, 'INVALID_PROOF']);
  });

  it('does not spend the challenge of a holder with a false proof of another', async () => {
    const preImage = await freshPreImage();
    const forged = await service.client.refresh(testHolder('freshness, forger'), { preImage, isFalse: true });
    expect([forged.status, forged.body.error]).toEqual([401, 'INVALID_PROOF']);
    expect((await service.client.refresh(holder, { preImage })).status).toBe(200);
  });
});
