// Rules: spec/operations.md#reload
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { changedSettings, isLiveSetting, LiveConfig } from '../../../src/config/sources/changed-settings.ts';
import { load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const TOKEN = 'a-token-of-the-tests-0123456789';
const SECRET = `whsec_${'A'.repeat(32)}`;
const OTHER = `whsec_${'B'.repeat(32)}`;

describe('changed settings', () => {
  it('are those whose value differs, wherever it comes from', async () => {
    const former = await load({ env: { PROOFGATE_ADMIN_TOKEN: TOKEN, PROOFGATE_LOG_LEVEL: 'warn' } });
    const next = await load({ flags: { 'log.level': 'warn', 'engine.maxQueue': '77' } });
    expect(changedSettings(former, next)).toEqual(['admin.token', 'engine.maxQueue']);
    expect(changedSettings(former, former)).toEqual([]);
  });

  it('are no defaults that follow from the machine', async () => {
    const former = await load();
    const values = { ...former.values, 'engine.workers': 99 };
    expect(changedSettings(former, { ...former, values })).toEqual([]);
    const origins = { ...former.origins, 'engine.workers': 'env' as const };
    expect(changedSettings(former, { ...former, values, origins })).toEqual(['engine.workers']);
  });

  it('include a logo whose file has other content', async () => {
    const logo = await put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
    const options = { env: { PROOFGATE_SIGNIN_LOGO_FILE: logo } };
    const former = await load(options);
    await put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"/>');
    expect(changedSettings(former, await load(options))).toEqual(['signin.logoFile']);
  });
});

describe('settings that take effect without a restart', () => {
  it('are tokens, secrets of webhooks, and the login of the store where a file has it', async () => {
    const [url, password] = [await put('url', 'postgres://svc@h/d'), await put('password', 'one')];
    const { config } = await load({
      env: {
        PROOFGATE_ADMIN_TOKEN: TOKEN,
        PROOFGATE_STORAGE_URL_FILE: url,
        PROOFGATE_STORAGE_PASSWORD_FILE: password,
      },
    });
    const live = SETTINGS.map(({ key }) => key).filter((key) => isLiveSetting(key, config, config));
    expect(live.sort()).toEqual([
      'admin.token',
      'metrics.token',
      'storage.password',
      'storage.url',
      'webhooks.secret',
      'webhooks.secretPrevious',
    ]);
  });

  it('are not a login without a file or in another one, nor an admin token that was generated', async () => {
    const file = async (name: string): Promise<Record<string, string>> => ({
      PROOFGATE_STORAGE_URL: 'postgres://svc@h/d',
      PROOFGATE_STORAGE_PASSWORD_FILE: await put(name, 'word'),
    });
    const [one, other] = [await load({ env: await file('one') }), await load({ env: await file('other') })];
    const none = await load({ env: { PROOFGATE_STORAGE_URL: 'postgres://svc:word@h/d' } });
    expect(isLiveSetting('storage.password', one.config, other.config)).toBe(false);
    expect(isLiveSetting('storage.password', one.config, none.config)).toBe(false);
    expect(isLiveSetting('storage.url', none.config, none.config)).toBe(false);
    const withToken = await load({ env: { PROOFGATE_ADMIN_TOKEN: TOKEN } });
    expect(isLiveSetting('admin.token', none.config, withToken.config)).toBe(false);
    expect(isLiveSetting('admin.token', withToken.config, none.config)).toBe(false);
  });

  it('are taken over alone', async () => {
    const start = await load({
      env: { PROOFGATE_WEBHOOKS_URL: 'https://hooks.example', PROOFGATE_WEBHOOKS_SECRET: SECRET },
    });
    const live = new LiveConfig(start.config);
    const next = await load({
      env: {
        PROOFGATE_WEBHOOKS_URL: 'https://elsewhere.example',
        PROOFGATE_WEBHOOKS_SECRET: OTHER,
        PROOFGATE_WEBHOOKS_SECRET_PREVIOUS: SECRET,
        PROOFGATE_METRICS_TOKEN: TOKEN,
        PROOFGATE_LOG_LEVEL: 'error',
      },
    });
    live.take(next.config);
    expect(live.current).toEqual({
      ...start.config,
      metrics: { ...start.config.metrics, token: TOKEN },
      webhooks: { ...start.config.webhooks, secret: OTHER, secretPrevious: SECRET },
    });
  });

  it('are no admin token in place of a generated one', async () => {
    const live = new LiveConfig((await load()).config);
    live.take((await load({ env: { PROOFGATE_ADMIN_TOKEN: TOKEN } })).config);
    expect(live.current.admin.token).toBeUndefined();
  });
});
