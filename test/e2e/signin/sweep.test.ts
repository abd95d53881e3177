import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redeemCode } from '../../support/signin/driver.ts';
import { type SigninService, startSigninService } from '../../support/signin/service.ts';
import { approve } from '../../support/test-wallet.ts';

const MONTH_MS = 31 * 86_400_000;
const SWEPT = [
  'bridge_messages',
  'signin_transactions',
  'authorization_codes',
  'revoked_tokens',
  'spent_signins',
  'client_secrets',
] as const;

describe('the sweep of sign-in tables', () => {
  let now = Date.now();
  let service: SigninService;

  beforeAll(async () => {
    const settings = { 'storage.sweepIntervalSeconds': '1' };
    service = await startSigninService({ settings, now: () => now });
  });

  afterAll(() => service.end());

  const counts = async (): Promise<Record<string, number>> => {
    const all = await service.store.rowCounts();
    return Object.fromEntries(SWEPT.map((table) => [table, all[table] ?? -1]));
  };
  const redeem = async (code: string): Promise<number> => {
    const response = await redeemCode(service.baseUrl, service.web, code);
    await response.arrayBuffer();
    return response.status;
  };

  it('removes the rows of every table once they have expired', async () => {
    await service.begin();
    await service.complete();
    const { parameters } = await service.complete();
    expect(await redeem(parameters.code ?? '')).toBe(200);
    expect(await redeem(parameters.code ?? '')).toBe(400);
    const spending = await service.addClient({ signalIsNonce: true });
    const signIn = await service.begin({
      client_id: spending.clientId,
      redirect_uri: spending.redirectUri,
      nonce: 'n',
    });
    await approve(signIn.connectUrl);
    expect(await signIn.settle()).toMatchObject({ status: 'completed' });
    const secret = { secretId: randomUUID(), appId: service.web.clientId, hash: new Uint8Array(32) };
    const added = { ...secret, isDevelopment: true, createdAt: now, expiresAt: null, keyId: null };
    expect(await service.store.apps.addSecret(added, now + 60_000, now)).toBe(true);

    const before = await counts();
    expect(before).toEqual({
      bridge_messages: 1,
      signin_transactions: 4,
      authorization_codes: 2,
      revoked_tokens: 1,
      spent_signins: 1,
      // the replaced one, its successor, and that of the client whose proofs are spent
      client_secrets: 3,
    });

    now += MONTH_MS;
    // the service sweeps by itself, at the configured interval
    const left = { ...Object.fromEntries(SWEPT.map((table) => [table, 0])), client_secrets: 2 };
    await expect.poll(counts, { interval: 50 }).toEqual(left);
  });
});
