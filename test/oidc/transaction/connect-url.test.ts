// Rules: spec/sign-in.md#connect-url
import { afterEach, describe, expect, it } from 'vitest';
import { connectUrl, worldAppUrl } from '../../../src/oidc/transaction/wallet-messages.ts';
import { openRequest, parseLink } from '../../support/test-wallet.ts';
import { type SignIns, startSignIns } from './support/sign-ins.ts';

const WORLD_APP = { url: 'https://world.org/verify', urlStyle: 'query' } as const;
const request = {
  bridgeId: '2f1d6a0e-6a1b-4d6e-9e57-0a3c1b2d4e5f',
  aesKey: Uint8Array.from({ length: 32 }, (_, index) => 255 - index),
  bridgeUrl: 'https://id.example.org/base/bridge',
  isStaging: false,
};
const KEY = '%2F%2F79%2FPv6%2Bfj39vX08%2FLx8O%2Fu7ezr6uno5%2Bbl5OPi4eA%3D';
const MEMBERS = `t=wld&i=${request.bridgeId}&k=${KEY}`;
const BRIDGE = '&b=https%3A%2F%2Fid.example.org%2Fbase%2Fbridge';

describe('the connect URL', () => {
  it('has the form of World App, at its staging address for staging clients', () => {
    expect(connectUrl(WORLD_APP, request)).toBe(`https://world.org/verify?${MEMBERS}${BRIDGE}`);
    const staging = { ...request, isStaging: true };
    expect(connectUrl(WORLD_APP, staging)).toBe(`https://staging.world.org/verify?${MEMBERS}${BRIDGE}`);
    expect(worldAppUrl(staging)).toBe(connectUrl(WORLD_APP, staging));
  });

  it('leads to the configured wallet, whatever the client, with the key in fragment or query', () => {
    const url = 'https://wallet.example/open';
    for (const isStaging of [true, false]) {
      const link = { ...request, isStaging };
      expect(connectUrl({ url, urlStyle: 'fragment' }, link)).toBe(`${url}#${MEMBERS}${BRIDGE}`);
      expect(connectUrl({ url, urlStyle: 'query' }, link)).toBe(`${url}?${MEMBERS}${BRIDGE}`);
    }
  });

  it('omits the one bridge that wallets know', () => {
    const link = { ...request, bridgeUrl: 'https://bridge.worldcoin.org' };
    expect(connectUrl(WORLD_APP, link)).toBe(`https://world.org/verify?${MEMBERS}`);
  });
});

describe('the connect URL of a sign-in', () => {
  let signIns: SignIns | undefined;
  afterEach(() => signIns?.end());

  it('names the wallet page and its own bridge, and has a second form for simulators', async () => {
    signIns = await startSignIns();
    const { baseUrl } = signIns;
    const signIn = await signIns.begin();
    const { connectUrl: url = '', worldAppUrl: simulatorUrl = '' } = await signIn.poll();
    expect(url.startsWith(`${baseUrl}/wallet#t=wld&i=`)).toBe(true);
    expect(simulatorUrl.startsWith('https://staging.world.org/verify?t=wld&i=')).toBe(true);
    expect(parseLink(simulatorUrl)).toEqual(parseLink(url));
    expect((await openRequest(simulatorUrl)).plaintext.app_id).toBe(signIns.web.clientId);

    const { clientId } = await signIns.addClient({ isProduction: true });
    const production = await signIns.begin({ clientId });
    const { worldAppUrl: forDevelopers = '', isStaging } = await production.poll();
    expect(isStaging).toBe(false);
    expect(forDevelopers.startsWith('https://world.org/verify?')).toBe(true);
  });
});
