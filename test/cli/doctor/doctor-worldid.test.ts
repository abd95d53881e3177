// Rules: spec/roots.md#commands and spec/operations.md#diagnosis
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import {
  checkAttestationKeys,
  checkBoundKeys,
  checkSwitch,
} from '../../../src/cli/doctor/checks/worldid/check-worldid.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { productionEnv } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'proofgate-doctor-worldid-'));

afterAll(() => rmSync(folder, { recursive: true }));

async function configOf(settings: Record<string, string> = {}, isProduction = false): Promise<Config> {
  const env = { ...(isProduction ? productionEnv(folder) : {}), ...environmentOf(settings) };
  return (await loadConfig({ env, cwd: folder })).config;
}

describe('doctor, roots of bound keys', () => {
  const lacking = async (
    settings: Record<string, string>,
    ...trees: Parameters<typeof checkBoundKeys>[1]['trees'][number][]
  ): Promise<CheckResult> => checkBoundKeys(await configOf(settings, true), { trees });

  it('warns in production for each bound key without a root and without a source', async () => {
    expect(await lacking({})).toMatchObject({
      status: 'warn',
      cure: expect.stringContaining('roots.sources'),
      detail:
        'no root and no source for verify.key.production, verify.key.staging: proofs under it are refused',
    });
  });

  it('takes a root of any tree, or a source, for the key of an environment', async () => {
    const sources = { 'roots.sources': 'worldid3-ethereum', 'roots.rpc.ethereum': 'https://a.example/' };
    expect(await lacking({ ...sources }, { environment: 'staging', tree: 'face' })).toMatchObject({
      status: 'ok',
      detail: 'each bound key has a root or a source',
    });
  });

  it('takes an environment without any root and source for one that is not in use', async () => {
    const on = { 'verify.worldid4.enabled': 'true' };
    const orb = { environment: 'production', tree: 'orb' } as const;
    expect((await lacking({}, orb)).detail).toBe(
      'each bound key has a root or a source; none for staging, which is not in use',
    );
    expect(await lacking(on, orb)).toMatchObject({
      status: 'warn',
      detail: 'no root and no source for verify.worldid4.key.production: proofs under it are refused',
    });
  });

  it('wants a root of the very tree for a key of that tree', async () => {
    const trees = [
      { environment: 'production', tree: 'face' },
      { environment: 'staging', tree: 'face' },
    ] as const;
    const bound = { 'verify.key.production.device': 'semaphore-depth30' };
    expect((await lacking(bound, ...trees)).detail).toContain('verify.key.production.device:');
    expect((await lacking(bound, ...trees, { environment: 'production', tree: 'device' })).status).toBe('ok');
    // The root of the tree with a key of its own says nothing about the other trees.
    const own = { 'verify.key.production.face': 'semaphore-depth30' };
    expect((await lacking(own, ...trees)).detail).toContain('for verify.key.production:');
  });

  it('counts keys of World ID 4.0 only if that is on, and takes no root of 3.0 for them', async () => {
    const orbs = [
      { environment: 'production', tree: 'orb' },
      { environment: 'staging', tree: 'orb' },
    ] as const;
    expect((await lacking({}, ...orbs)).status).toBe('ok');
    const { detail } = await lacking({ 'verify.worldid4.enabled': 'true' }, ...orbs);
    expect(detail).toContain('verify.worldid4.key.production, verify.worldid4.key.staging');
  });

  it('is no warning outside production, where most keys are not in use', async () => {
    expect(checkBoundKeys(await configOf(), { trees: [] }).status).toBe('ok');
  });
});

describe('doctor, the switch of World ID 4.0', () => {
  const registry4 = { kind: 'registry4', id: 'four' } as Parameters<typeof checkSwitch>[1][number];
  const on = { 'verify.worldid4.enabled': 'true' };

  it('belongs together with a source', async () => {
    expect(checkSwitch(await configOf(on, true), [registry4]).status).toBe('ok');
    expect(checkSwitch(await configOf({}, true), []).status).toBe('ok');
    expect(checkSwitch(await configOf(on, true), [])).toMatchObject({ status: 'warn' });
    expect(checkSwitch(await configOf(on), [])).toMatchObject({ status: 'ok' });
    expect(checkSwitch(await configOf({}, true), [registry4])).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('four reads its roots'),
    });
  });
});

describe('doctor, keys of device attestations', () => {
  const verify = { 'verify.worldid4.integrity': 'verify' };
  const file = 'verify.worldid4.attestation.production.jwksFile';

  async function examine(
    settings: Record<string, string>,
    isProduction = true,
  ): Promise<CheckResult | undefined> {
    return (await checkAttestationKeys(await configOf(settings, isProduction), folder))[0];
  }

  function keySet(...keys: readonly object[]): string {
    writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys }));
    return 'keys.json';
  }

  it('need no line while bundles are ignored', async () => {
    expect(await examine({})).toBeUndefined();
  });

  it('should be in a file in production', async () => {
    expect(await examine(verify)).toMatchObject({
      name: 'attestation keys',
      status: 'warn',
      cure: expect.stringContaining(file),
    });
    expect(await examine(verify, false)).toMatchObject({ status: 'ok' });
  });

  it('must be in that file', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' };
    expect(await examine({ ...verify, [file]: keySet(jwk) })).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining(`${file}: 1 key`),
    });
    expect(await examine({ ...verify, [file]: keySet() })).toMatchObject({
      status: 'fail',
      detail: `${file}: the file has no key for ES256`,
    });
    expect(await examine({ ...verify, [file]: 'absent.json' })).toMatchObject({ status: 'fail' });
    writeFileSync(join(folder, 'keys.json'), 'no json');
    expect(await examine({ ...verify, [file]: 'keys.json' })).toMatchObject({
      status: 'fail',
      detail: `${file}: the file is not JSON`,
    });
  });
});
