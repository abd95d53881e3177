import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { checkIssuer } from '../../../src/cli/doctor/checks/issuer.ts';
import { checkSigningKeys } from '../../../src/cli/doctor/checks/keys.ts';
import { checkTls } from '../../../src/cli/doctor/checks/tls.ts';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { parseProxy, proxyFinder } from '../../../src/config/values/proxy-rules.ts';
import { useProxies } from '../../../src/egress-proxies.ts';
import type { SigningKeyRow } from '../../../src/storage/signin/signing-keys.ts';
import { makeCertificate } from '../../support/server/certificate.ts';
import { openProxy } from '../../support/server/egress-proxy.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { endServer, listen } from '../../support/server/listen.ts';

const folder = mkdtempSync(join(tmpdir(), 'proofgate-doctor-'));
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) endServer(server);
});

afterAll(() => rmSync(folder, { recursive: true }));

async function configOf(settings: Record<string, string> = {}): Promise<Config> {
  return (await loadConfig({ env: environmentOf(settings), cwd: folder })).config;
}

/** Starts an issuer with the given answers, which receive its address. Returns the address. */
async function issuer(
  answer: (baseUrl: string, request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => answer(baseUrl, request, response));
  servers.push(server);
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  return baseUrl;
}

async function examine(
  flags: Record<string, string>,
): Promise<{ issuer?: CheckResult; trust?: CheckResult }> {
  const [issuerCheck, trust] = await checkIssuer(await configOf(flags));
  return { ...(issuerCheck && { issuer: issuerCheck }), ...(trust && { trust }) };
}

describe('doctor, issuer', () => {
  it('is ok when discovery at baseUrl names baseUrl', async () => {
    const baseUrl = await issuer((url, _request, response) => response.end(JSON.stringify({ issuer: url })));
    expect((await examine({ baseUrl })).issuer).toMatchObject({ status: 'ok' });
  });

  it('fails when another issuer answers there, with likely causes', async () => {
    const other = await issuer((url, _request, response) =>
      response.end(JSON.stringify({ issuer: `${url}/x` })),
    );
    expect((await examine({ baseUrl: other })).issuer).toMatchObject({
      status: 'fail',
      detail: `expected issuer ${other} at its address, got issuer "${other}/x"`,
      cure: expect.stringContaining('baseUrl is written differently'),
    });
    const missing = await issuer((_url, _request, response) => response.writeHead(404).end());
    expect((await examine({ baseUrl: missing })).issuer).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('status 404'),
      cure: expect.stringContaining('strips or adds a path'),
    });
  });

  it('warns when nothing answers, because the service may not be running yet', async () => {
    const baseUrl = await issuer(() => undefined);
    servers.pop()?.close();
    expect((await examine({ baseUrl })).issuer).toMatchObject({
      status: 'warn',
      cure: expect.stringContaining('Start the service if it does not run.'),
    });
  });

  it('warns when the proxy of outgoing calls does not lead back, and says what to do', async () => {
    onTestFinished(() => useProxies(() => undefined));
    const { port } = await openProxy({ status: 403 });
    const proxy = parseProxy(`http://alice:secret@127.0.0.1:${port}`);
    useProxies(proxyFinder({ http: proxy, https: proxy, exceptions: [] }));
    const { issuer: found } = await examine({ baseUrl: 'https://id.example' });
    expect(found).toMatchObject({
      status: 'warn',
      detail: 'expected issuer https://id.example at its address, got no answer (PROXY_REFUSED)',
      cure: expect.stringContaining('list the host of baseUrl in outgoing.noProxy'),
    });
  });

  it('is not requested without sign-in', async () => {
    const flags = { 'signin.enabled': 'false', baseUrl: 'http://127.0.0.1:1' };
    expect((await examine(flags)).issuer).toMatchObject({ status: 'ok', detail: 'signin.enabled is false' });
  });
});

describe('doctor, proxy trust', () => {
  /** A service behind a proxy: it adopts the request id of a trusted proxy, and otherwise generates one. */
  const behindProxy = (isTrusted: boolean, idOfProxy?: string): Promise<string> =>
    issuer((url, request, response) => {
      const id = isTrusted ? (idOfProxy ?? String(request.headers['x-request-id'])) : randomUUID();
      response.setHeader('X-Request-Id', id).end(JSON.stringify({ issuer: url }));
    });
  const trusting = { 'proxy.trusted': '10.0.0.0/8', 'proxy.header': 'x-forwarded-for' };

  it('is ok when the id of a request through baseUrl comes back', async () => {
    const { trust } = await examine({ ...trusting, baseUrl: await behindProxy(true) });
    expect(trust).toMatchObject({ status: 'ok', detail: expect.stringContaining('is in proxy.trusted') });
  });

  it('is ok when an id of the proxy comes back', async () => {
    const { trust } = await examine({ ...trusting, baseUrl: await behindProxy(true, 'proxy-17') });
    expect(trust?.status).toBe('ok');
  });

  it('warns when an id that the service generated comes back', async () => {
    const { trust } = await examine({ ...trusting, baseUrl: await behindProxy(false) });
    expect(trust).toMatchObject({ status: 'warn', cure: expect.stringContaining('proxy.trusted') });
  });

  it('needs no id when there is no proxy', async () => {
    expect((await examine({ baseUrl: await behindProxy(false) })).trust).toMatchObject({ status: 'ok' });
  });

  const wrong: [string, Record<string, string>, string][] = [
    ['https without TLS and without a proxy', { baseUrl: 'https://127.0.0.1:1' }, 'proxy.trusted is empty'],
    ['a header without proxies', { 'proxy.header': 'forwarded' }, 'the header is not read'],
    ['proxies without a header', { 'proxy.trusted': '10.0.0.0/8' }, 'clients have the address of the proxy'],
  ];
  it.each(wrong)('warns about %s', async (_what, flags, detail) => {
    const { trust } = await examine({ 'signin.enabled': 'false', ...flags });
    expect(trust).toMatchObject({ status: 'warn', detail: expect.stringContaining(detail) });
    expect(trust?.cure).toBeDefined();
  });

  it('is ok with PROXY alone', async () => {
    const flags = { 'proxy.trusted': '10.0.0.0/8', 'proxy.protocolV2': 'true', 'signin.enabled': 'false' };
    expect((await examine(flags)).trust).toMatchObject({ status: 'ok', detail: 'PROXY v2 from 10.0.0.0/8' });
  });
});

describe('doctor, signing keys', () => {
  const DAY = 86_400_000;
  const NOW = Date.UTC(2026, 5, 1);
  const keyOf = (change: Partial<SigningKeyRow>): SigningKeyRow => ({
    kid: 'kid',
    use: 'signin',
    state: 'active',
    publicJwk: '{}',
    privateJwk: '{}',
    isSealed: true,
    isDevelopment: false,
    createdAt: NOW - 12 * DAY,
    activatedAt: NOW - 10 * DAY,
    retiredAt: null,
    expiresAt: null,
    ...change,
  });
  const next = keyOf({ kid: 'next', state: 'next', createdAt: NOW - 10 * DAY, activatedAt: null });
  const check = async (
    rows: readonly SigningKeyRow[],
    flags: Record<string, string> = {},
  ): Promise<CheckResult> => checkSigningKeys(rows, await configOf(flags), NOW);

  it('shows ages and the next rotation', async () => {
    expect(await check([keyOf({}), next])).toMatchObject({
      status: 'ok',
      detail: 'active for 10.0 d, next for 10.0 d; next rotation in 20.0 d',
    });
    expect(await check([])).toMatchObject({ status: 'ok', detail: expect.stringContaining('first start') });
  });

  it('warns about an overdue rotation', async () => {
    const late = keyOf({ activatedAt: NOW - 31 * DAY });
    expect(await check([late, next])).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('1.0 d late'),
      cure: expect.stringContaining('running service'),
    });
    const justDue = keyOf({ activatedAt: NOW - 30 * DAY - 60_000 });
    expect((await check([justDue, next])).status).toBe('ok');
  });

  it('warns about a missing key', async () => {
    expect((await check([keyOf({})])).status).toBe('warn');
    expect((await check([next])).status).toBe('warn');
  });

  it('warns about an old key when rotation is off', async () => {
    const off = { 'keys.rotationPeriodSeconds': '0' };
    expect((await check([keyOf({}), next], off)).status).toBe('ok');
    const old = keyOf({ activatedAt: NOW - 400 * DAY });
    expect(await check([old, next], off)).toMatchObject({
      status: 'warn',
      cure: 'Run `proofgate keys rotate`.',
    });
  });

  it('warns about an unsealed key in production', async () => {
    const open = keyOf({ isSealed: false });
    expect((await check([open, next])).status).toBe('ok');
    expect((await check([open, next], { profile: 'production' })).status).toBe('warn');
  });
});

describe('doctor, TLS', () => {
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const DAY = 86_400_000;

  beforeAll(async () => {
    const { cert, key } = await makeCertificate('id.example', 90);
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
  });

  const check = async (baseUrl: string, inDays = 0, certificate = certFile): Promise<CheckResult> => {
    const flags = { baseUrl, 'tls.certFile': certificate, 'tls.keyFile': keyFile };
    return await checkTls(await configOf(flags), Date.now() + inDays * DAY + 60_000);
  };

  it('is ok with a certificate for the host of baseUrl', async () => {
    expect(await check('https://id.example:8443/id')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^names id\.example, valid until .* \(89 days\)$/),
    });
    expect(await checkTls(await configOf(), Date.now())).toMatchObject({ status: 'ok' });
  });

  it('warns in the last three weeks of validity, and fails after and before it', async () => {
    expect((await check('https://id.example', 68)).status).toBe('ok');
    expect(await check('https://id.example', 70)).toMatchObject({
      status: 'warn',
      cure: expect.stringContaining('reads the files again by itself'),
    });
    expect(await check('https://id.example', 91)).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/^expired/),
    });
    expect((await check('https://id.example', -2)).status).toBe('fail');
  });

  it('fails for another host, and for unusable files', async () => {
    expect(await check('https://other.example')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('does not name other.example'),
    });
    expect((await check('https://127.0.0.1')).status).toBe('fail');
    expect(await check('https://id.example', 0, join(folder, 'absent.pem'))).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('ENOENT'),
    });
  });
});
