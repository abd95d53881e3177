// Rules: spec/verification.md#verification-policy
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_BASE_PATH } from '../../../src/operations/operation.ts';
import { runIn } from '../../cli/support/cli.ts';
import { productionSettings, startProductionApp } from '../../support/server/production-app.ts';
import type { StartedApp } from '../../support/server/start-app.ts';
import { bodyOf, vector } from '../support/vectors.ts';
import { post } from '../support/verify-client.ts';

const LISTED = [
  { client_id: `app_${'1'.repeat(32)}` },
  { client_id: `app_staging_${'1'.repeat(32)}` },
  { client_id: `app_${'2'.repeat(32)}`, policy: { environments: ['production', 'staging'] } },
  { client_id: `app_${'3'.repeat(32)}`, policy: { actions: ['vote'] } },
];

describe('the default policy in the profile production', () => {
  let app: StartedApp;
  beforeAll(async () => {
    app = await startProductionApp({ settings: { 'apps.list': JSON.stringify(LISTED) } });
  });
  afterAll(() => app.stop());

  async function policyOf(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${app.adminUrl}${ADMIN_BASE_PATH}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${productionSettings('')['admin.token']}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return ((await answer.json()) as { policy: unknown }).policy;
  }
  const ofId = { production: { environments: ['production'] }, staging: { environments: ['staging'] } };

  it('is the environment of the id, for apps of the API, of a command and of the configuration', async () => {
    expect(await policyOf('POST', '/apps', { name: 'A' })).toEqual(ofId.production);
    expect(await policyOf('POST', '/apps', { name: 'B', staging: true })).toEqual(ofId.staging);
    expect(await policyOf('POST', '/apps', { name: 'C', policy: { protocols: ['4.0'] } })).toEqual({
      ...ofId.production,
      protocols: ['4.0'],
    });
    const env = Object.fromEntries(
      Object.entries(productionSettings(app.dataDir)).map(([key, value]) => [
        `PROOFGATE_${key.replaceAll('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`,
        value,
      ]),
    );
    for (const [option, policy] of [
      [[], ofId.production],
      [['--staging'], ofId.staging],
    ] as const) {
      const { stdout } = await runIn(app.dataDir, ['apps', 'add', '--json', ...option], { env });
      expect(JSON.parse(stdout)).toMatchObject({ policy });
    }
    // A command in a shell without the profile of the service does not open an app of production.
    const { stdout: added } = await runIn(app.dataDir, ['apps', 'add', '--json'], { env });
    const { app_id: id } = JSON.parse(added) as { app_id: string };
    for (const option of [['--policy', '{"actions":["vote"]}'], ['--no-policy']]) {
      const { code } = await runIn(app.dataDir, ['apps', 'update', id, ...option]);
      expect(code).toBe(0);
      expect(await policyOf('GET', `/apps/${id}`)).toMatchObject(ofId.production);
    }
    const listed = LISTED.map(({ client_id: id }) => policyOf('GET', `/apps/${id}`));
    expect(await Promise.all(listed)).toEqual([
      ofId.production,
      ofId.staging,
      { environments: ['production', 'staging'] },
      { ...ofId.production, actions: ['vote'] },
    ]);
  });

  it.each([
    ['staging', 0, 'environment_not_allowed'],
    ['production', 1, 'environment_not_allowed'],
    ['sandbox', 1, 'environment_not_allowed'],
    ['production', 0, 'all_verifications_failed'],
    ['staging', 1, 'all_verifications_failed'],
    ['staging', 2, 'all_verifications_failed'],
  ])('answers a proof of %s for app %i with %s', async (environment, index, code) => {
    const id = LISTED[index]?.client_id ?? '';
    const { status, body } = await post(app.publicUrl, id, bodyOf(vector(0), { environment }));
    expect([status, body.code]).toEqual([400, code]);
  });
});

describe('the environment sandbox where it is mapped to staging', () => {
  it('counts as staging, so that no production app accepts it', async () => {
    const settings = { 'apps.list': JSON.stringify(LISTED), 'verify.sandbox': 'staging' };
    const app = await startProductionApp({ settings });
    try {
      const codeOf = async (index: number): Promise<unknown> => {
        const id = LISTED[index]?.client_id ?? '';
        return (await post(app.publicUrl, id, bodyOf(vector(0), { environment: 'sandbox' }))).body.code;
      };
      expect([await codeOf(0), await codeOf(1)]).toEqual([
        'environment_not_allowed',
        'all_verifications_failed',
      ]);
    } finally {
      await app.stop();
    }
  });
});
