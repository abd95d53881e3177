// Rules: spec/sign-in.md#relying-party and spec/operations.md#diagnosis
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import {
  checkSigninWorldId4,
  type SigninWorldId4State,
} from '../../../src/cli/doctor/checks/worldid/signin-worldid4.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { NOW, productionEnv, useCliFolder } from '../support/cli.ts';
import { skipBackendTrials } from '../support/skip-backend-trials.ts';
import { withStoreOf } from '../support/store-of.ts';

skipBackendTrials();

const RP_ID = 'rp_0123456789abcdef';
const OTHER = 'rp_fedcba9876543210';
// Key and address of the first account of the development chains of Ethereum: "test test … junk", m/44'/60'/0'/0/0.
const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const SETTINGS = { 'verify.worldid4.enabled': 'true', 'signin.worldid4.rpId': RP_ID };

const folder = useCliFolder();

async function configOf(settings: Record<string, string>, isProduction = false): Promise<Config> {
  const env = { ...(isProduction ? productionEnv(folder.path) : {}), ...environmentOf(settings) };
  return (await loadConfig({ env, cwd: folder.path })).config;
}

const complete: SigninWorldId4State = {
  storedRpId: RP_ID,
  environments: [{ environment: 'production', hasOprfKey: true, hasIssuerKey: true }],
};

describe('doctor, sign-in with World ID 4.0', () => {
  const check = async (
    state: Partial<SigninWorldId4State>,
    settings: Record<string, string> = {},
  ): Promise<CheckResult[]> => {
    const config = await configOf({ ...SETTINGS, 'signin.worldid4.signingKey': KEY, ...settings }, true);
    return await checkSigninWorldId4(config, { ...complete, ...state });
  };

  it('says that it is off', async () => {
    const found = await checkSigninWorldId4(await configOf({}), undefined);
    expect(found).toMatchObject([{ status: 'ok', detail: expect.stringContaining('3.0 alone') }]);
  });

  it('shows the relying party, and the address of the signer to compare, never the key', async () => {
    const found = await check({});
    expect(found).toEqual([
      { name: 'sign-in 4.0', status: 'ok', detail: `relying party ${RP_ID}` },
      {
        name: 'sign-in signer',
        status: 'ok',
        detail: `${ADDRESS}: must be the signer of ${RP_ID} in the registry`,
      },
    ]);
    expect((await check({ storedRpId: undefined }))[0]?.detail).toContain('the first start stores');
  });

  it('fails if the subs in use are of another relying party', async () => {
    expect((await check({ storedRpId: OTHER }))[0]).toMatchObject({
      status: 'fail',
      detail: `signin.worldid4.rpId is ${RP_ID}, but the subs in use are of ${OTHER}: a start is refused`,
      cure: expect.stringContaining('signin confirm-rp'),
    });
  });

  it('warns in production if keys are lacking, or no issuer counts', async () => {
    const environments = [{ environment: 'production', hasOprfKey: false, hasIssuerKey: false }] as const;
    expect((await check({ environments }))[0]).toMatchObject({
      status: 'warn',
      detail: `no OPRF key of ${RP_ID} in production; no key of a listed issuer in production`,
      cure: expect.stringContaining('oprf-keys add'),
    });
    const { verify, ...config } = await configOf({ ...SETTINGS, 'signin.worldid4.signingKey': KEY });
    const worldid4 = { ...verify.worldid4, issuers: { production: [], staging: [] } };
    const unlisted = { ...config, verify: { ...verify, worldid4 } };
    expect((await checkSigninWorldId4(unlisted, complete))[0]).toMatchObject({
      status: 'warn',
      detail: 'verify.worldid4.issuers.production is empty: no proof counts',
    });
    const [found] = await checkSigninWorldId4(await configOf(SETTINGS), { ...complete, environments });
    expect(found).toMatchObject({ status: 'ok', detail: expect.stringContaining('no OPRF key') });
  });

  it('does not make the key of development', async () => {
    const [, signer] = await checkSigninWorldId4(await configOf(SETTINGS), complete);
    expect(signer).toMatchObject({ status: 'ok', detail: 'not known before the first start' });
  });
});

describe('doctor', () => {
  it('reads relying party and keys from the store, for the environments of its clients', async () => {
    const env = environmentOf({ ...SETTINGS, 'signin.worldid4.signingKey': KEY });
    const app = ['apps', 'add', '--redirect-uri', 'https://a.example/cb', '--staging'];
    await folder.json(app);
    await withStoreOf(folder, async (store) => {
      await store.relyingParty.establish(OTHER, NOW);
      const point = { x: new Uint8Array(32), y: new Uint8Array(32), source: 'test', updatedAt: NOW };
      const row = { ...point, environment: 'staging', removedAt: null } as const;
      await store.worldId4Keys.put([{ ...row, issuerSchemaId: '1' }], [{ ...row, rpId: OTHER }]);
    });
    const lineOf = async (rpId: string): Promise<CheckResult | undefined> => {
      const argv = ['doctor', '--json'];
      const { stdout } = await folder.run(argv, { env: { ...env, PROOFGATE_SIGNIN_WORLDID4_RP_ID: rpId } });
      const checks: CheckResult[] = JSON.parse(stdout).checks;
      expect(stdout).not.toContain(KEY);
      return checks.find(({ name }) => name === 'sign-in 4.0');
    };
    expect(await lineOf(OTHER)).toMatchObject({ status: 'ok', detail: `relying party ${OTHER}` });
    expect(await lineOf(RP_ID)).toMatchObject({ status: 'fail' });
  });
});
