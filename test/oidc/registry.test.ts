import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApp, registerApp, removeApp, setAppStatus, updateApp } from '../../src/apps/apps.ts';
import { rotateSecret } from '../../src/apps/secrets/rotate-secret.ts';
import { secretKeyOf } from '../../src/apps/secrets/secrets.ts';
import type { Config } from '../../src/config/settings/types.ts';
import { loadConfig } from '../../src/config/sources/load.ts';
import { opened } from '../support/opened.ts';
import { expectRejected } from '../support/rejects.ts';
import { startApp } from '../support/server/start-app.ts';

const LISTED = 'app_staging_00000000000000000000000000000001';
const SECRET = `sk_${'0123456789abcdef'.repeat(3)}`;
const CALLBACK = 'https://shop.example/cb';
const CACHE_MS = 5000;
const LIST = JSON.stringify([
  { client_id: LISTED, name: 'Listed', redirect_uris: ['https://listed.example/cb'], client_secret: SECRET },
]);

let now = Date.now();
let config: Config;

const app = opened(() => startApp({ settings: { 'apps.list': LIST }, now: () => now }), 'stop');
const store = opened(() => app.openStore(), 'close');
beforeAll(async () => {
  ({ config } = await loadConfig({
    env: {},
    cwd: app.dataDir,
    flags: { profile: 'test', dataDir: app.dataDir },
  }));
});

/** Registers a client as a command does, over another connection to the store. */
async function register(): Promise<{ appId: string; secret: string }> {
  const fields = { redirect_uris: [CALLBACK] };
  const registration = { fields, isDevelopment: true };
  const made = await registerApp(store.apps, registration, () => secretKeyOf(config), now);
  return { appId: made.app.appId, secret: made.secret?.value ?? '' };
}

/** Starts a sign-in; returns status and code of the answer, or only 303 for a redirect to the page. */
async function authorize(clientId: string, redirectUri: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
  });
  const response = await fetch(`${app.publicUrl}/authorize?${query}`, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
  });
  if (response.status === 303) return '303';
  return `${response.status} ${((await response.json()) as { code: string }).code}`;
}

/** Returns the status of an introspection: 200 if the client is authenticated, else 401. */
async function introspect(clientId: string, secret: string): Promise<number> {
  const response = await fetch(`${app.publicUrl}/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ token: 'x' }),
  });
  return response.status;
}

async function isAllowedOrigin(origin: string): Promise<boolean> {
  const response = await fetch(`${app.publicUrl}/token`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  return response.headers.get('access-control-allow-origin') === origin;
}

describe('a running service and its registry of clients', () => {
  it('knows a client, its secret and its origin as soon as they are added', async () => {
    const { appId, secret } = await register();
    expect(await authorize(appId, CALLBACK)).toBe('303');
    expect(await authorize(appId, `${CALLBACK}/`)).toBe('400 invalid_redirect_uri');
    expect(await introspect(appId, secret)).toBe(200);
    expect(await introspect(appId, SECRET)).toBe(401);
    expect(await isAllowedOrigin('https://shop.example')).toBe(true);
  });

  it('sees changes within storage.cacheSeconds', async () => {
    const { appId, secret } = await register();
    expect(await authorize(appId, CALLBACK)).toBe('303');
    const other = 'https://other.example/cb';
    await updateApp(store.apps, appId, { redirect_uris: [other] }, now);
    const { secret: next } = await rotateSecret(store.apps, appId, {
      secretKey: () => secretKeyOf(config),
      overlapMs: 60_000,
      isDevelopment: true,
      now,
    });
    now += CACHE_MS + 1;
    expect(await authorize(appId, CALLBACK)).toBe('400 invalid_redirect_uri');
    expect(await authorize(appId, other)).toBe('303');
    expect(await isAllowedOrigin('https://other.example')).toBe(true);
    expect([await introspect(appId, secret), await introspect(appId, next.value)]).toEqual([200, 200]);
    now += 60_000;
    expect([await introspect(appId, secret), await introspect(appId, next.value)]).toEqual([401, 200]);
    await setAppStatus(store.apps, appId, 'disabled', now);
    now += CACHE_MS + 1;
    expect(await authorize(appId, other)).toBe('400 sign_in_not_enabled');
    expect(await introspect(appId, next.value)).toBe(401);
    expect(await isAllowedOrigin('https://other.example')).toBe(false);
    await removeApp(store.apps, appId);
    now += CACHE_MS + 1;
    expect(await authorize(appId, other)).toBe('400 app_not_found');
  });

  it('knows the apps of its configuration as clients', async () => {
    expect(await authorize(LISTED, 'https://listed.example/cb')).toBe('303');
    expect(await introspect(LISTED, SECRET)).toBe(200);
    expect(await introspect(LISTED, SECRET.replace('0', '1'))).toBe(401);
    expect(await isAllowedOrigin('https://listed.example')).toBe(true);
    expect(app.log()).not.toContain(SECRET);
  });

  it('does not start if an app is in both configuration and registry', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofgate-registry-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const first = await startApp({ dataDir });
    const itsStore = await first.openStore();
    await createApp(itsStore.apps, { appId: LISTED }, now);
    await itsStore.close();
    await first.stop();
    const again = startApp({ dataDir, settings: { 'apps.list': LIST } });
    await expectRejected(again, 'config.invalid', `apps.list "${LISTED}" is in the registry too`);
  });
});
