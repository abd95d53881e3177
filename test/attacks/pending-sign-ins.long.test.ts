import { describe, expect, it } from 'vitest';
import { redeemCode } from '../support/signin/driver.ts';
import type { SigninService } from '../support/signin/service.ts';
import { startSigninOfTest } from '../support/signin/shared-service.ts';
import { sendFrom } from './support/from-address.ts';

async function start(settings: Readonly<Record<string, string>>): Promise<SigninService> {
  const service = await startSigninOfTest({ settings });
  return service;
}

/** Begins and abandons sign-ins until one is refused; returns the refusal's `Location` and how many began. */
async function abandon(
  service: SigninService,
  change: Readonly<Record<string, string>> = {},
): Promise<{ readonly begun: number; readonly refusal: string }> {
  const { clientId: client_id, redirectUri: redirect_uri } = service.web;
  const parameters = { response_type: 'code', scope: 'openid', client_id, redirect_uri, ...change };
  const url = `${service.baseUrl}/authorize?${new URLSearchParams(parameters)}`;
  for (let begun = 0; begun < 500; begun++) {
    const { status, location = '' } = await sendFrom('127.0.0.1', 'GET', url);
    expect(status).toBe(303);
    if (!location.startsWith(service.baseUrl)) return { begun, refusal: location };
  }
  throw new Error('no sign-in was refused');
}

describe('abandoned sign-ins of one client', () => {
  it('are limited in number: the client gets an error, and another client is served', async () => {
    const service = await start({
      'signin.maxPendingTransactions': '400',
      'signin.maxPendingPercentPerClient': '25',
    });
    const { begun, refusal } = await abandon(service, { state: 'kept' });
    expect(begun).toBe(100);
    expect(refusal).toMatch(/^https:\/\/shop\.example\/cb\?error=temporarily_unavailable&/);
    expect(new URL(refusal).searchParams.get('state')).toBe('kept');
    const other = await service.addClient();
    const parameters = { client_id: other.clientId, redirect_uri: other.redirectUri };
    expect((await service.complete(parameters)).parameters).toHaveProperty('code');
  });

  it('are limited in bytes: a state of 60 kB cannot fill more than the share of its client', async () => {
    const service = await start({
      'signin.maxPendingBytes': '1048576',
      'signin.maxPendingPercentPerClient': '50',
    });
    const { begun, refusal } = await abandon(service, { state: '\u0001'.repeat(10_000) });
    // each character takes six bytes in the store
    expect(begun).toBe(Math.floor(524_288 / (60_000 + 6144 + 500)));
    expect(refusal).toContain('error=temporarily_unavailable');
    const other = await service.addClient();
    const parameters = { client_id: other.clientId, redirect_uri: other.redirectUri };
    expect((await service.complete(parameters)).parameters).toHaveProperty('code');
  });

  it('leave the place of one whose code is redeemed, and the client is served again', async () => {
    const service = await start({
      'signin.maxPendingTransactions': '400',
      'signin.maxPendingPercentPerClient': '25',
    });
    const { code } = (await service.complete()).parameters;
    const { begun } = await abandon(service);
    expect(begun).toBe(99);
    expect((await redeemCode(service.baseUrl, service.web, code)).status).toBe(200);
    expect((await service.complete()).parameters).toHaveProperty('code');
  });
});
