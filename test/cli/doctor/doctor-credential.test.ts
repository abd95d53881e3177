import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { checkCredentialKeys } from '../../../src/cli/doctor/checks/credential-keys.ts';
import { checkRefreshKey } from '../../../src/cli/doctor/checks/store.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { revokeCredentialKey, rotateCredentialKey } from '../../../src/refresh/keys/operate.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import { type IssuerFolder, makeIssuerFolder, START } from '../../refresh/keys/support/issuer-folder.ts';
import vectors from '../../vectors/credential-vectors.json' with { type: 'json' };
import { makeCliFolder } from '../support/cli.ts';
import { skipBackendTrials } from '../support/skip-backend-trials.ts';

skipBackendTrials();

const SEED = randomBytes(32).toString('hex');
const DAY_SECONDS = 86_400;
const PRODUCTION = {
  profile: 'production',
  baseUrl: 'https://id.example',
  'keys.masterKey': randomBytes(32).toString('base64url'),
};

let engine: Engine;
let folder: IssuerFolder;

beforeAll(async () => {
  ({ engine } = await startEngine({ backend: 'auto', workers: 0 }));
});

afterAll(() => engine.close());

beforeEach(async () => {
  folder = await makeIssuerFolder(engine);
});

afterEach(() => folder.remove());

async function check(settings: Readonly<Record<string, string>> = {}, ageSeconds = 0): Promise<CheckResult> {
  const rows = await folder.store.issuerKeys.listAll();
  return await checkCredentialKeys(rows, await folder.config(settings), {
    withEngine: (_settings, use) => use(engine),
    now: () => START + ageSeconds * 1000,
  });
}

async function activeId(): Promise<string> {
  const [row] = await folder.rows();
  return row?.keyId ?? '';
}

describe('doctor, credential keys', () => {
  it('are ok when one is active, with its age and the number of others', async () => {
    await folder.node();
    const first = await activeId();
    const operator = await folder.operator();
    await rotateCredentialKey(operator, undefined);
    await revokeCredentialKey(first, operator);
    await rotateCredentialKey(operator, undefined);
    expect(await check({}, 3 * DAY_SECONDS)).toEqual({
      name: 'credential keys',
      status: 'ok',
      detail: `development key ${await activeId()} active for 3.0 d, 1 retired, 1 revoked`,
    });
  });

  it('are ok in development and fail in production when none can sign', async () => {
    expect((await check()).detail).toContain('generated at the next start');
    expect(await check(PRODUCTION)).toMatchObject({
      status: 'fail',
      detail: 'none is active',
      cure: expect.stringContaining('keys rotate --use credential'),
    });
    await folder.node({ settings: { 'refresh.signingSeed': SEED } });
    expect((await check()).status).toBe('ok');
    expect(await check(PRODUCTION)).toMatchObject({
      status: 'fail',
      detail: `the active key ${await activeId()} is that of a refresh.signingSeed that is not set now`,
    });
  });

  it('are not needed while refresh.enabled is false', async () => {
    const result = await check({ ...PRODUCTION, 'refresh.enabled': 'false' });
    expect(result).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('refresh.enabled is false'),
    });
  });

  it('fail when the active one cannot be opened', async () => {
    const settings = { 'keys.masterKey': randomBytes(32).toString('base64url') };
    await folder.node({ settings });
    expect((await check(settings)).status).toBe('ok');
    expect(await check({ 'keys.masterKey': PRODUCTION['keys.masterKey'] })).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('sealed under another master key'),
      cure: expect.stringContaining('keys.masterKeyPrevious'),
    });
  });

  it('report the state of the configured seed', async () => {
    const settings = { 'refresh.signingSeed': SEED };
    expect(await check(settings)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('becomes active at the next start'),
    });
    await folder.node({ settings });
    const keyId = await activeId();
    expect((await check(settings)).detail).toBe(
      `configured key ${keyId} active for 0.0 d, 0 retired, 0 revoked`,
    );
    const operator = await folder.operator();
    await rotateCredentialKey(operator, undefined);
    expect(await check(settings)).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining(`key ${keyId} of refresh.signingSeed is retired`),
    });
    await revokeCredentialKey(keyId, operator);
    expect(await check(settings)).toMatchObject({ status: 'fail', cure: 'Use another seed.' });
  });

  it('fail in production when others know a seed, even of a retired key', async () => {
    await folder.node();
    const madeUp = await activeId();
    const operator = await folder.operator(PRODUCTION);
    await rotateCredentialKey(operator, undefined);
    expect(await check(PRODUCTION)).toMatchObject({
      status: 'fail',
      detail: `others know the seed of key ${madeUp}: the development profile generated it`,
      cure: `Run \`proofgate keys remove ${madeUp} --use credential\`.`,
    });
    await revokeCredentialKey(madeUp, operator);
    expect((await check(PRODUCTION)).status).toBe('ok');
    await folder.node({ settings: { 'refresh.signingSeed': vectors.eddsa[1]?.seed_hex ?? '' } });
    expect((await check(PRODUCTION)).detail).toContain('it is in test vectors');
  });
});

describe('doctor, refresh key', () => {
  const keyOf = async (settings: Readonly<Record<string, string>>): Promise<CheckResult> =>
    checkRefreshKey(await folder.config(settings), folder.store.verifyingKeys);

  it('is ok with the default key of the profile', async () => {
    expect(await keyOf(PRODUCTION)).toEqual({
      name: 'refresh key',
      status: 'ok',
      detail: 'semaphore-depth30, origin ceremony',
    });
    expect((await keyOf({})).detail).toBe('dev-depth30, origin development');
  });

  it.each(['dev-depth30', 'trapdoor-4', 'nobody-has-this'])('fails in production with %s', async (keyId) => {
    expect(await keyOf({ ...PRODUCTION, 'refresh.verificationKey': keyId })).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(keyId),
      cure: expect.stringContaining('refresh.verificationKey'),
    });
  });

  it('is not needed while refresh.enabled is false', async () => {
    const settings = { 'refresh.enabled': 'false', 'refresh.verificationKey': 'nobody-has-this' };
    expect((await keyOf(settings)).status).toBe('ok');
  });
});

describe('proofgate doctor', () => {
  it('prints a line for each', async () => {
    const cli = await makeCliFolder();
    onTestFinished(() => cli.remove());
    await cli.run('migrate up');
    const env = { PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
    const { stdout } = await cli.run('doctor', { env });
    expect(stdout).toMatch(/^ok {4}credential keys +none that can sign yet: generated at the next start$/m);
    expect(stdout).toMatch(/^ok {4}refresh key +dev-depth30, origin development$/m);
  });
});
