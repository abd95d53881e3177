import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkIssuer } from '../../src/cli/doctor/checks/issuer.ts';
import { loadConfig } from '../../src/config/sources/load.ts';
import { isServiceError } from '../../src/errors/service-error.ts';
import { relyingParty, tokensOf } from '../e2e/support/relying-party.ts';
import { freePort } from '../support/free-port.ts';
import { spawnProofgate } from '../support/server/server-process.ts';
import { type StartedApp, startApp } from '../support/server/start-app.ts';
import { fillUsedFolder } from '../support/server/used-folder.ts';
import { type SigninService, signinSettings, startSigninService } from '../support/signin/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Paths of the three public addresses. */
interface Paths {
  readonly base: string;
  readonly issuer: string;
  readonly verify: string;
}

const LAYOUTS: readonly (readonly [name: string, paths: Paths])[] = [
  ['without paths', { base: '', issuer: '', verify: '' }],
  ['with three paths', { base: '/id', issuer: '/credentials/v2', verify: '/verify-api' }],
  ['with one path', { base: '/proofgate', issuer: '/proofgate', verify: '/proofgate' }],
  ['inside one another', { base: '', issuer: '/demo', verify: '/bridge' }],
  ['inside the other interfaces', { base: '/api/v1', issuer: '/api/v4', verify: '' }],
  ['with an escaped path', { base: '/%C3%BC', issuer: "/a,b'c", verify: '/~x' }],
];

/** Routes of each interface: method, path, and status of a request without a body. */
const BASE_ROUTES = [
  ['GET', '/healthz', 200],
  ['GET', '/.well-known/openid-configuration', 200],
  ['GET', '/.well-known/oauth-authorization-server', 200],
  ['GET', '/jwks', 200],
  ['GET', '/authorize', 400],
  ['POST', '/token', 400],
  ['GET', '/userinfo', 401],
  ['POST', '/introspect', 400],
  ['POST', '/revoke', 400],
  ['POST', '/v1/mobile-auth', 400],
  ['POST', '/bridge/request', 400],
  ['GET', '/wallet', 200],
  ['GET', '/wallet/api/apps', 200],
  ['GET', '/demo', 200],
] as const;
const ISSUER_ROUTES = [
  ['POST', '/api/v1/refresh', 415],
  ['GET', '/api/v1/issuer-keys', 200],
] as const;
const VERIFY_ROUTES = [['POST', '/api/v4/verify/rp_0000000000000000', 400]] as const;

function settingsOf(port: number, { base, issuer, verify }: Paths): Readonly<Record<string, string>> {
  const origin = `http://127.0.0.1:${port}`;
  return {
    ...signinSettings(port),
    baseUrl: origin + base,
    issuerUrl: origin + issuer,
    verifyUrl: origin + verify,
  };
}

describe.each(LAYOUTS)('public addresses %s', (_name, paths) => {
  let settings: Readonly<Record<string, string>>;
  let service: SigninService;
  let app: StartedApp;

  beforeAll(async () => {
    settings = settingsOf(await freePort(), paths);
    service = await startSigninService({ settings });
    app = service.app;
  });

  afterAll(() => service.end());

  it('serves each interface below the path of its address, and nowhere else', async () => {
    const { publicUrl } = app;
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await fetch(publicUrl + path, { method, redirect: 'manual' })).status;
    const owned = new Set<string>();
    for (const [base, routes] of [
      [paths.base, BASE_ROUTES],
      [paths.issuer, ISSUER_ROUTES],
      [paths.verify, VERIFY_ROUTES],
    ] as const) {
      for (const [method, path, status] of routes) {
        expect(await statusOf(method, base + path), `${method} ${base}${path}`).toBe(status);
        owned.add(base + path);
      }
    }
    // a load balancer queries the node directly, whatever the paths
    expect(await statusOf('GET', '/healthz')).toBe(200);
    owned.add('/healthz');
    for (const base of new Set(['', ...Object.values(paths)])) {
      for (const [method, path] of [...BASE_ROUTES, ...ISSUER_ROUTES, ...VERIFY_ROUTES]) {
        if (owned.has(base + path)) continue;
        expect(await statusOf(method, base + path), `${method} ${base}${path}`).toBe(404);
      }
    }
  });

  it('answers unknown paths with the body of their interface', async () => {
    const { publicUrl } = app;
    const bodyOf = async (path: string): Promise<unknown> => (await fetch(publicUrl + path)).json();
    expect(await bodyOf(`${paths.verify}/api/v4/x`)).toMatchObject({ success: false, code: 'not_found' });
    expect(await bodyOf(`${paths.issuer}/api/v1/x`)).toMatchObject({ success: false, error: 'NOT_FOUND' });
    expect(await bodyOf(`${paths.base}/bridge/x`)).toMatchObject({
      error: 'invalid_request',
      code: 'not_found',
    });
  });

  it('prints addresses that are served, and passes them to its pages', async () => {
    const { publicUrl, verifyUrl, issuerUrl } = app;
    expect(verifyUrl).toBe(publicUrl + paths.verify);
    expect(issuerUrl).toBe(publicUrl + paths.issuer);
    const [, url = '', body = ''] = /'(http[^']*)'.* -d '(.*)'$/.exec(app.exampleCurl ?? '') ?? [];
    expect(url.startsWith(`${verifyUrl}/api/v4/verify/rp_`)).toBe(true);
    const verified = await fetch(url, { method: 'POST', body });
    expect(await verified.json()).toMatchObject({ success: true });
    for (const address of [app.demoUrl, app.walletUrl]) {
      expect((await fetch(address ?? '')).status, address).toBe(200);
    }
    const wallet = await (await fetch(app.walletUrl ?? '')).text();
    expect(wallet).toContain(`&quot;verifyUrl&quot;:&quot;${paths.verify.replace("'", '&#39;')}&quot;`);
  });

  it('signs a person in, with discovery at the address of the issuer', async () => {
    const { baseUrl, web } = service;
    const document = (await (await fetch(`${baseUrl}/.well-known/openid-configuration`)).json()) as Record<
      string,
      unknown
    >;
    expect(document.issuer).toBe(baseUrl);
    for (const [name, value] of Object.entries(document)) {
      if (name.endsWith('_endpoint') || name === 'jwks_uri') {
        expect(String(value).startsWith(`${baseUrl}/`), name).toBe(true);
      }
    }
    const origin = new URL(baseUrl).origin;
    const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server${paths.base}`);
    expect(await metadata.json()).toEqual(document);

    const begun = await fetch(
      `${baseUrl}/authorize?${new URLSearchParams({ response_type: 'code', scope: 'openid', client_id: web.clientId, redirect_uri: web.redirectUri })}`,
      { redirect: 'manual' },
    );
    const page = new URL(begun.headers.get('location') ?? '');
    expect(begun.headers.getSetCookie()[0]).toMatch(/^__Host-pg_txn_.*; Path=\/;.*; Secure$/);
    expect(page.pathname.startsWith(`${paths.base}/authorize/`)).toBe(true);

    const { parameters } = await service.complete();
    expect(parameters.iss).toBe(baseUrl);
    const tokens = await tokensOf(relyingParty(baseUrl, web), parameters.code);
    expect(tokens.idToken.split('.')).toHaveLength(3);

    const { dataDir } = app;
    const { 'apps.secretHmacKey': secretKey = '', ...flags } = settings;
    const env = { PROOFGATE_APPS_SECRET_HMAC_KEY: secretKey };
    const { config } = await loadConfig({ env, cwd: dataDir, flags: { ...flags, dataDir } });
    expect((await checkIssuer(config))[0]).toMatchObject({ name: 'issuer', status: 'ok' });
  });
});

describe('the start', () => {
  it('prints the addresses with their paths', async () => {
    const dataDir = temporaryFolder('addresses', onTestFinished);
    await fillUsedFolder(dataDir, {});
    const child = spawnProofgate(['serve'], {
      PROOFGATE_PROFILE: 'test',
      PROOFGATE_DATA_DIR: dataDir,
      PROOFGATE_SERVER_PORT: '0',
      PROOFGATE_ADMIN_PORT: '0',
      PROOFGATE_BASE_URL: 'http://localhost:8080/id',
      PROOFGATE_ISSUER_URL: 'https://issuer.example/credentials',
      PROOFGATE_VERIFY_URL: 'https://verify.example/verify-api',
    });
    let output = '';
    for await (const chunk of child.stdout ?? []) {
      output += String(chunk);
      if (output.includes('Refresh the credential') && output.endsWith('\n')) child.kill('SIGTERM');
    }
    const origin = 'http://(?:localhost|127\\.0\\.0\\.1):[0-9]+';
    expect(output).toMatch(new RegExp(`^  verify +${origin}/verify-api/api/v4/verify/{rp_id}$`, 'm'));
    expect(output).toMatch(new RegExp(`^  refresh +${origin}/credentials/api/v1/refresh$`, 'm'));
    expect(output).toMatch(new RegExp(`^  wallet +${origin}/id/wallet$`, 'm'));
    expect(output).toMatch(new RegExp(`^curl .*'${origin}/verify-api/api/v4/verify/rp_`, 'm'));
  });

  it('refuses paths with which two interfaces match the same requests, and names the settings', async () => {
    const settings = { baseUrl: 'http://localhost:8080/api/v4/verify', verifyUrl: 'http://localhost:8080' };
    const refused: unknown = await startApp({ settings }).catch((error: unknown) => error);
    expect(isServiceError(refused, 'config.invalid') && refused.message).toBe(
      [
        'config: 1 problem',
        '  verifyUrl (PROOFGATE_VERIFY_URL) and baseUrl (PROOFGATE_BASE_URL): expected paths that keep the interfaces apart, but /api/v4/verify/:rp_id and /api/v4/verify/healthz match the same requests',
      ].join('\n'),
    );
    // a disabled interface matches no requests
    const app = await startApp({ settings: { ...settings, 'verify.enabled': 'false' } });
    await app.stop();
  });
});
