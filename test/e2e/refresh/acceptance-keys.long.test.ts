import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFolder, makeCliFolder } from '../../cli/support/cli.ts';
import { ownHeaders, portOf } from '../../support/refresh/draft.ts';
import { type TestHolder, testHolder } from '../../support/refresh/holder.ts';
import { isSignedPlainly, type ReadCredential, readCredential } from '../../support/refresh/reader.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { rawRequest, requestText } from '../../support/server/raw-client.ts';

const START = Date.UTC(2026, 5, 1, 12);
const CACHE_MS = 5000;
const USE = ['--use', 'credential'];
let clock: number;
let folder: CliFolder;
let service: RefreshService | undefined;
let holder: TestHolder;

beforeEach(async () => {
  clock = START;
  folder = await makeCliFolder();
  holder = testHolder('keys');
});
afterEach(async () => {
  await service?.end();
  service = undefined;
  await folder.remove();
});

async function serve(settings: Readonly<Record<string, string>> = {}): Promise<RefreshService> {
  await service?.end();
  service = await startRefreshService({
    settings: { 'rateLimits.refreshPerIdComm': '0', ...settings },
    dataDir: folder.path,
    now: () => clock,
  });
  await service.enrol([holder]);
  return service;
}

/** Runs a command while the service runs, one second later on the clock. */
async function command(...argv: string[]): Promise<Record<string, unknown>> {
  clock += 1000;
  return await folder.json(argv, { env: { PROOFGATE_PROFILE: 'test' }, now: clock });
}

interface Listed {
  readonly issuer_schema_id: number;
  readonly pk: readonly [string, string];
  readonly status: string;
}

/** Returns the issuer keys that the service lists. */
async function list({ app }: RefreshService): Promise<readonly Listed[]> {
  const response = await fetch(`${app.publicUrl}/api/v1/issuer-keys`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly keys: Listed[] }).keys;
}

async function refresh({ client }: RefreshService): Promise<{ base64: string; credential: ReadCredential }> {
  const { status, body } = await client.refresh(holder);
  expect([status, body.message]).toEqual([200, 'Credential refreshed successfully']);
  const credential = readCredential(body.credential);
  expect(isSignedPlainly(credential)).toBe(true);
  return { base64: body.credential ?? '', credential };
}

/** Runs `credential verify` with the store's keys; returns exit code, signature verdict and status of the key. */
async function verify(base64: string): Promise<unknown[]> {
  const file = join(folder.path, 'credential');
  await writeFile(file, base64);
  const argv = ['credential', 'verify', file, '--json'];
  const { code, stdout } = await folder.run(argv, { env: { PROOFGATE_PROFILE: 'test' }, now: clock });
  const { signature, key } = JSON.parse(stdout) as { signature: boolean; key: { standing: string } };
  return [code, signature, key.standing];
}

describe('keys rotate and keys remove with a running service', () => {
  it('changes the list, the signing key and `credential verify` within storage.cacheSeconds', async () => {
    const running = await serve();
    const first = await refresh(running);
    expect(await list(running)).toEqual([{ issuer_schema_id: 1, pk: first.credential.pk, status: 'active' }]);

    const rotated = (await command('keys', 'rotate', ...USE)) as { readonly retired: string };
    clock += CACHE_MS;
    const second = await refresh(running);
    expect(second.credential.pk).not.toEqual(first.credential.pk);
    expect(second.credential.genesisIssuedAt).toBe(first.credential.genesisIssuedAt);
    expect(await verify(first.base64)).toEqual([0, true, 'retired']);
    expect(await verify(second.base64)).toEqual([0, true, 'active']);

    await command('keys', 'rotate', ...USE);
    clock += CACHE_MS;
    const third = await refresh(running);
    // the active one first, then the newest first
    expect((await list(running)).map(({ pk, status }) => [pk, status])).toEqual([
      [third.credential.pk, 'active'],
      [second.credential.pk, 'retired'],
      [first.credential.pk, 'retired'],
    ]);

    await command('keys', 'remove', rotated.retired, '--yes', ...USE);
    clock += CACHE_MS;
    expect((await list(running)).map(({ pk, status }) => [pk, status])).toEqual([
      [third.credential.pk, 'active'],
      [second.credential.pk, 'retired'],
      [first.credential.pk, 'revoked'],
    ]);
    expect(await verify(first.base64)).toEqual([1, true, 'revoked']);
    expect(await verify(second.base64)).toEqual([0, true, 'retired']);
    expect(await verify(third.base64)).toEqual([0, true, 'active']);
    expect((await refresh(running)).credential.pk).toEqual(third.credential.pk);
  });

  it('answers 503, binds nothing and lists all keys without a signing key, and signs with the next one', async () => {
    const running = await serve();
    const { keys } = (await command('keys', 'list', ...USE)) as { readonly keys: { readonly kid: string }[] };
    await command('keys', 'remove', keys[0]?.kid ?? '', '--yes', ...USE);
    clock += CACHE_MS;
    const refused = await running.client.refresh(holder);
    expect([refused.status, refused.body]).toEqual([
      503,
      {
        success: false,
        error: 'TEMPORARILY_UNAVAILABLE',
        message: 'The service is temporarily unavailable, please try again',
      },
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await running.store.issuance.bindingsOf(holder.idComm)).toEqual([]);
    expect((await list(running)).map(({ status }) => status)).toEqual(['revoked']);
    await command('keys', 'rotate', ...USE);
    clock += CACHE_MS;
    const { credential } = await refresh(running);
    expect(await list(running)).toMatchObject([
      { pk: credential.pk, status: 'active' },
      { status: 'revoked' },
    ]);
  });

  it('retires the former key at the next start when the configured seed changes', async () => {
    const seeds = ['a1', 'b2'].map((byte) => byte.repeat(32)) as [string, string];
    const former = await refresh(await serve({ 'refresh.signingSeed': seeds[0] }));
    clock += 1000;
    const running = await serve({ 'refresh.signingSeed': seeds[1] });
    const { credential } = await refresh(running);
    expect(await list(running)).toMatchObject([
      { pk: credential.pk, status: 'active' },
      { pk: former.credential.pk, status: 'retired' },
    ]);
    expect(await verify(former.base64)).toEqual([0, true, 'retired']);
  });
});

describe('GET /api/v1/issuer-keys', () => {
  const HEADERS = {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
  };

  it('is readable by any origin, cacheable, and prints a u64 exactly', async () => {
    const schema = '18446744073709551615';
    const running = await serve({ 'refresh.issuerSchemaId': schema });
    const port = portOf(running.app.publicUrl);
    const { credential } = await refresh(running);
    expect(credential.issuerSchemaId).toBe(BigInt(schema));
    for (const origin of [[], ['Origin: https://relying.example']]) {
      const answer = await rawRequest(port, requestText('GET /api/v1/issuer-keys', origin));
      expect([answer.status, ownHeaders(answer)]).toEqual([200, HEADERS]);
      expect(answer.body.toString()).toBe(
        `{"keys":[{"issuer_schema_id":${schema},"pk":["${credential.pk.join('","')}"],"status":"active"}]}`,
      );
    }
    const head = await rawRequest(port, requestText('HEAD /api/v1/issuer-keys'));
    expect([head.status, ownHeaders(head), head.body.length]).toEqual([200, HEADERS, 0]);
    const post = await rawRequest(port, requestText('POST /api/v1/issuer-keys', ['Content-Length: 0']));
    expect([post.status, ownHeaders(post).allow]).toEqual([405, 'GET, HEAD']);
  });

  it('lists the keys while refresh is disabled, by its setting or by its switch', async () => {
    const { credential } = await refresh(await serve());
    await command('refresh', 'disable');
    for (const enabled of ['true', 'false']) {
      const running = await serve({ 'refresh.enabled': enabled });
      expect((await running.client.refresh(holder)).status).toBe(503);
      expect(await list(running)).toMatchObject([{ pk: credential.pk, status: 'active' }]);
    }
  });
});

describe('refresh disable and refresh enable with a running service', () => {
  it('takes effect within storage.cacheSeconds, binds nothing while disabled, and keeps all bindings', async () => {
    const running = await serve();
    const port = portOf(running.app.publicUrl);
    const { credential } = await refresh(running);
    await command('refresh', 'disable');
    clock += CACHE_MS;
    const stranger = testHolder('while disabled');
    await running.enrol([stranger]);
    const { status, body, headers } = await running.client.refresh(stranger);
    expect([status, body]).toEqual([503, { success: false, message: 'Credential refresh is disabled' }]);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      'application/json',
      'no-store',
    ]);
    expect(await running.store.issuance.bindingsOf(stranger.idComm)).toEqual([]);
    // the switch is the first check, before the body is read
    const bare = requestText('POST /api/v1/refresh', ['Content-Length: 0']);
    expect((await rawRequest(port, bare)).status).toBe(503);
    await command('refresh', 'enable');
    clock += CACHE_MS;
    expect((await rawRequest(port, bare)).status).toBe(415);
    expect((await refresh(running)).credential.genesisIssuedAt).toBe(credential.genesisIssuedAt);
    expect(await running.store.issuance.bindingsOf(holder.idComm)).toMatchObject([{ issuedCount: 2 }]);
  });
});
