import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CliFolder, type CliResult, makeCliFolder } from '../../cli/support/cli.ts';
import type { RefreshAnswer } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { type RefreshService, startRefreshService } from '../../support/refresh/service.ts';
import { CACHE_SECONDS, START } from './support/issuer-folder.ts';

const HOLDER = testHolder('holder of many keys');

let time = START;
let service: RefreshService;
let cli: CliFolder;

beforeAll(async () => {
  cli = await makeCliFolder();
  service = await startRefreshService({ now: () => time, settings: { 'rateLimits.refreshPerIdComm': '0' } });
  await service.enrol([HOLDER]);
});

afterAll(async () => {
  await service.end();
  await cli.remove();
});

/** Runs a command on the store of the running service. */
async function command(...argv: readonly string[]): Promise<CliResult> {
  const env = { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: service.app.dataDir };
  const result = await cli.run([...argv, '--use', 'credential'], { env, now: time });
  expect(result.stderr).not.toContain('proofgate:');
  return result;
}

const afterCache = (): void => {
  time += (CACHE_SECONDS + 1) * 1000;
};

function issuerOf({ credential }: RefreshAnswer): unknown {
  return credential === undefined ? undefined : JSON.parse(credential).issuer.pk;
}

async function listed(): Promise<{ pk: string[]; status: string }[]> {
  const answer = await service.client.get('/api/v1/issuer-keys');
  expect(answer.status).toBe(200);
  return (await answer.json()).keys;
}

const ready = async (): Promise<number> => (await fetch(`${service.app.adminUrl}/health/ready`)).status;

describe('the service and its credential keys', () => {
  it('signs with the key that its list shows as active, and logs its creation', async () => {
    const [active, ...others] = await listed();
    expect(others).toEqual([]);
    expect(active?.status).toBe('active');
    expect(issuerOf(await service.client.refresh(HOLDER))).toEqual(active?.pk);
    const [row] = await service.store.issuerKeys.listAll();
    const lines = service.app.log().split('\n');
    const line = lines.find((text) => text.includes('issuer_key.created')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 'info', keyId: row?.keyId });
    expect(row?.sealedSeed).toMatch(/^ey/);
    expect(service.app.log()).not.toContain(row?.sealedSeed);
  });

  it('follows a rotation by command, and lists the former key as retired', async () => {
    const [before] = await listed();
    const { stdout } = await command('keys', 'rotate');
    expect(stdout).toMatch(/^active {3}[0-9a-f]{64}\nretired {2}[0-9a-f]{64}\n$/);
    expect(issuerOf(await service.client.refresh(HOLDER))).toEqual(before?.pk);
    afterCache();
    const [active, retired] = await listed();
    expect([active?.status, retired]).toEqual(['active', { ...before, status: 'retired' }]);
    expect(issuerOf(await service.client.refresh(HOLDER))).toEqual(active?.pk);
    expect(active?.pk).not.toEqual(before?.pk);
    const exported = await command('keys', 'export', '--public');
    expect(JSON.parse(exported.stdout).keys).toEqual(await listed());
  });

  it('exposes the age of its keys at /metrics', async () => {
    time += 100_000;
    const text = await (await fetch(`${service.app.adminUrl}/metrics`)).text();
    expect(text).toMatch(/proofgate_key_age_seconds\{use="credential",state="active"\} 10\d\n/);
    expect(text).toMatch(/proofgate_key_age_seconds\{use="credential",state="retired"\} 10\d\n/);
    expect(text).not.toContain('proofgate_key_next_rotation_seconds{use="credential"');
  });

  it('answers 503 and is unready while its key is revoked, until a rotation', async () => {
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 180_000 });
    const [active] = await service.store.issuerKeys.list('1');
    const removed = await command('keys', 'remove', active?.keyId ?? '', '--yes');
    expect(removed.stderr).toContain('refreshes answer 503');
    afterCache();
    const refused = await service.client.refresh(HOLDER);
    expect(refused.body).toMatchObject({ success: false, error: 'TEMPORARILY_UNAVAILABLE' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    await vi.waitFor(async () => expect(await ready()).toBe(503), { timeout: 180_000 });
    expect((await listed())[0]?.status).not.toBe('active');
    await command('keys', 'rotate');
    afterCache();
    const [next] = await listed();
    expect(issuerOf(await service.client.refresh(HOLDER))).toEqual(next?.pk);
    await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 180_000 });
  });
});
