// Rules: spec/worldid4.md#switches, spec/worldid4.md#integrity-bundle
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/sources/load.ts';
import type { LoadedConfig } from '../../../src/config/sources/loaded-config.ts';

const STAGING = 'PROOFGATE_VERIFY_WORLDID4_ATTESTATION_STAGING_';

function load(env: Record<string, string>): Promise<LoadedConfig['config']['verify']['worldid4']> {
  return loadConfig({ env, cwd: tmpdir() }).then(({ config }) => config.verify.worldid4);
}

describe('the settings of integrity bundles', () => {
  it('ignore bundles, and name the issuers of the wallet', async () => {
    const { integrity, attestation } = await load({});
    expect(integrity).toBe('ignore');
    expect(attestation).toEqual({
      production: {
        issuer: 'attestation.worldcoin.org',
        jwksUrl: 'https://attestation.worldcoin.org/.well-known/jwks.json',
        jwksFile: undefined,
      },
      staging: {
        issuer: 'attestation.worldcoin.dev',
        jwksUrl: 'https://attestation.worldcoin.dev/.well-known/jwks.json',
        jwksFile: undefined,
      },
    });
  });

  it('find the keys at the host of another issuer', async () => {
    const { attestation } = await load({ [`${STAGING}ISSUER`]: 'keys.example:8443' });
    expect(attestation.staging.jwksUrl).toBe('https://keys.example:8443/.well-known/jwks.json');
    expect(attestation.production.issuer).toBe('attestation.worldcoin.org');
  });

  it.each([
    'https://keys.example',
    'https://keys.example/a/jwks.json?b=c',
    'http://localhost:8080/jwks.json',
    'http://127.0.0.1/jwks.json',
    'http://[::1]:8080/jwks.json',
  ])('accept %s as the address of keys', async (url) => {
    expect((await load({ [`${STAGING}JWKS_URL`]: url })).attestation.staging.jwksUrl).toBe(url);
  });

  it.each([
    'http://keys.example/jwks.json',
    'http://localhost.example/jwks.json',
    'http://127.0.0.1.example/jwks.json',
    'http://127.0.0.1@keys.example/jwks.json',
    'https://user:password@keys.example/jwks.json',
    'file:///jwks.json',
  ])('refuse %s as the address of keys', async (url) => {
    await expect(load({ [`${STAGING}JWKS_URL`]: url })).rejects.toThrow(
      'expected an https URL, or an http URL of this machine',
    );
  });
});
