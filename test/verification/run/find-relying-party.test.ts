// Rules: spec/verification.md#apps
import { describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import { checkAppState, createRelyingParties } from '../../../src/verification/run/find-relying-party.ts';

const APP_ID = 'app_staging_7d23b838b02776cebd87b86ac3248641';
const RP_ID = 'rp_319b46aa7eae89bf';
const APP: AppRow = {
  appId: APP_ID,
  rpId: RP_ID,
  name: 'test',
  status: 'active',
  verification: 'registered',
  isDevelopment: false,
  client: DEFAULT_CLIENT,
  policy: OPEN_POLICY,
  hasLogo: false,
  createdAt: 0,
  updatedAt: 0,
};

function subject(change: Partial<AppRow> = {}) {
  const state: { app: AppRow | undefined; now: number; reads: number; isDown: boolean } = {
    app: { ...APP, ...change },
    now: 0,
    reads: 0,
    isDown: false,
  };
  const find = async (matches: (app: AppRow) => boolean): Promise<AppRow | undefined> => {
    state.reads++;
    if (state.isDown) throw new ServiceError('store.unreachable');
    return state.app && matches(state.app) ? state.app : undefined;
  };
  const parties = createRelyingParties(
    {
      findByAppId: (id) => find(({ appId }) => appId === id),
      findByRpId: (id) => find(({ rpId }) => rpId === id),
    },
    5000,
    () => state.now,
  );
  return { parties, state };
}

describe('relying party of a path id', () => {
  it.each([APP_ID, RP_ID, RP_ID.toUpperCase().replace('RP_', 'rp_')])('is found by %s', async (id) => {
    expect((await subject().parties.find(id)).appId).toBe(APP_ID);
    expect(rpIdOf(APP_ID)).toBe(RP_ID);
  });

  it.each([
    ['', 'verify.invalid_id'],
    ['rp_319b46aa7eae89b', 'verify.invalid_id'],
    ['rp_319b46aa7eae89bff', 'verify.invalid_id'],
    ['rp_319b46aa7eae89bg', 'verify.invalid_id'],
    ['RP_319b46aa7eae89bf', 'verify.invalid_id'],
    ['App_1', 'verify.invalid_id'],
    [' app_1', 'verify.invalid_id'],
    [`app_${'1'.repeat(125)}`, 'verify.invalid_id'],
    [`app_${'1'.repeat(124)}`, 'verify.app_not_registered'],
    ['app_', 'verify.app_not_registered'],
    ['app_\u0000', 'verify.app_not_registered'],
    [APP_ID.toUpperCase().replace('APP_', 'app_'), 'verify.app_not_registered'],
    ['rp_0000000000000000', 'verify.app_not_registered'],
    ['app_00000000000000000000000000000000', 'verify.app_not_registered'],
  ])('refuses %j with %s', async (id, code) => {
    await expect(subject().parties.find(id)).rejects.toMatchObject({ code });
  });

  it.each([[{ verification: 'none' }], [{ verification: 'none', status: 'disabled' }]] as const)(
    'is unknown for an app in state %j',
    async (change) => {
      const { parties } = subject(change);
      for (let round = 0; round < 2; round++) {
        await expect(parties.find(RP_ID)).rejects.toMatchObject({ code: 'verify.app_not_registered' });
      }
    },
  );

  it.each([
    [{ verification: 'pending' }, 'verify.rp_not_active'],
    [{ verification: 'failed' }, 'verify.rp_not_active'],
    [{ verification: 'deactivated', status: 'disabled' }, 'verify.rp_not_active'],
    [{ status: 'disabled' }, 'verify.app_disabled'],
  ] as const)('is found for an app in state %j, and refused with %s', async (change, code) => {
    const { parties } = subject(change);
    for (let round = 0; round < 2; round++) {
      const app = await parties.find(RP_ID);
      expect(app.appId).toBe(APP_ID);
      expect(() => checkAppState(app)).toThrow(expect.objectContaining({ code }));
    }
  });

  it('passes the check of its state when it is registered and active', () => {
    expect(() => checkAppState(APP)).not.toThrow();
  });

  it('follows a change within the cache time, and a new app immediately', async () => {
    const { parties, state } = subject();
    state.app = undefined;
    await expect(parties.find(APP_ID)).rejects.toMatchObject({ code: 'verify.app_not_registered' });
    state.app = APP;
    await parties.find(APP_ID);
    await parties.find(APP_ID);
    expect(state.reads).toBe(2);
    state.app = { ...APP, status: 'disabled' };
    expect((await parties.find(APP_ID)).status).toBe('active');
    state.now += 5001;
    expect((await parties.find(APP_ID)).status).toBe('disabled');
  });

  it('does not query the store for an id that cannot exist', async () => {
    const { parties, state } = subject();
    await expect(parties.find('app_nonsense')).rejects.toThrow();
    expect(state.reads).toBe(0);
  });

  it('fails with store.unreachable when the store is down', async () => {
    const { parties, state } = subject();
    state.isDown = true;
    await expect(parties.find(RP_ID)).rejects.toMatchObject({ code: 'store.unreachable' });
  });
});
