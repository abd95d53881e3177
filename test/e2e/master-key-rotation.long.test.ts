import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { makeCliFolder } from '../cli/support/cli.ts';
import { opened } from '../support/opened.ts';
import { runProofgate, type ServerProcess, startServer } from '../support/server/server-process.ts';

const key32 = (): string => randomBytes(32).toString('base64url');
const [OLD, NEW, OTHER, HMAC] = [key32(), key32(), key32(), key32()];
const COMMON = { PROOFGATE_PROFILE: 'test', PROOFGATE_REFRESH_ENABLED: 'false' };

interface Client {
  readonly app_id: string;
  readonly client_secret: string;
}

const folder = opened(makeCliFolder, 'remove');

/** Runs the service with these keys while the work runs. */
async function serving<T>(
  keys: Readonly<Record<string, string>>,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await startServer(folder.path, { ...COMMON, ...keys });
  try {
    return await work(server);
  } finally {
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
  }
}

/** Returns the status of a call that requires a confidential client. */
async function authenticate({ publicUrl }: ServerProcess, client: Client): Promise<number> {
  const basic = Buffer.from(`${client.app_id}:${client.client_secret}`).toString('base64');
  const answer = await fetch(`${publicUrl}/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'token=x',
  });
  await answer.arrayBuffer();
  return answer.status;
}

const rehashed = (server: ServerProcess): number =>
  server.output().split('"event":"client.secret_rehashed"').length - 1;

describe('a rotation of the master key', () => {
  const former = { PROOFGATE_KEYS_MASTER_KEY: OLD };
  const rotated = { PROOFGATE_KEYS_MASTER_KEY: NEW, PROOFGATE_KEYS_MASTER_KEY_PREVIOUS: OLD };
  const alone = { PROOFGATE_KEYS_MASTER_KEY: NEW };
  let used: Client;
  let idle: Client;

  const addClient = async (keys: Readonly<Record<string, string>>): Promise<Client> =>
    (await folder.json(['apps', 'add', '--redirect-uri', 'https://shop.example/cb'], {
      env: { ...COMMON, ...keys },
    })) as unknown as Client;

  it('keeps client secrets valid, logs at the start how many need the old key, and rehashes each on use', async () => {
    [used, idle] = [await addClient(former), await addClient(former)];
    await serving(former, async (server) => {
      expect(await authenticate(server, used)).toBe(200);
      expect(server.output()).not.toContain('client.secret_keys');
    });
    await serving(rotated, async (server) => {
      expect(server.output()).toMatch(
        /client secrets: 0 under the key in force; 2 under a former key, until their next use/,
      );
      expect(await authenticate(server, { ...used, client_secret: idle.client_secret })).toBe(401);
      expect(rehashed(server)).toBe(0);
      expect(await authenticate(server, used)).toBe(200);
      await vi.waitFor(() => expect(rehashed(server)).toBe(1), { timeout: 180_000 });
    });
  });

  it('works without the old key for rehashed secrets, and refuses and logs the others', async () => {
    await serving(alone, async (server) => {
      expect(server.output()).toMatch(/client secrets: 1 under the key in force; 1 refused, under a key/);
      expect(server.output()).toContain('"event":"client.secret_keys"');
      expect(await authenticate(server, used)).toBe(200);
      expect(await authenticate(server, idle)).toBe(401);
    });
    await serving(rotated, async (server) => {
      expect(await authenticate(server, idle)).toBe(200);
      await vi.waitFor(() => expect(rehashed(server)).toBe(1), { timeout: 180_000 });
    });
    await serving(alone, async (server) => {
      expect(server.output()).not.toContain('client.secret_keys');
      expect(await authenticate(server, idle)).toBe(200);
    });
  });

  it('keeps client secrets valid when they get their own key', async () => {
    const own = { ...alone, PROOFGATE_APPS_SECRET_HMAC_KEY: HMAC };
    await serving(own, async (server) => {
      expect(await authenticate(server, used)).toBe(200);
      await vi.waitFor(() => expect(rehashed(server)).toBe(1), { timeout: 180_000 });
    });
    const changed = { ...alone, PROOFGATE_APPS_SECRET_HMAC_KEY: OTHER };
    await serving({ ...changed, PROOFGATE_APPS_SECRET_HMAC_KEY_PREVIOUS: HMAC }, async (server) => {
      expect(await authenticate(server, used)).toBe(200);
      expect(await authenticate(server, idle)).toBe(200);
      await vi.waitFor(() => expect(rehashed(server)).toBe(2), { timeout: 180_000 });
    });
    await serving(changed, async (server) => {
      expect(await authenticate(server, used)).toBe(200);
    });
  });

  it('to a key that opens no stored key prevents the start, and doctor reports it with the cure', async () => {
    const wrong = { ...COMMON, PROOFGATE_KEYS_MASTER_KEY: OTHER, PROOFGATE_DATA_DIR: folder.path };
    const ports = { PROOFGATE_SERVER_PORT: '0', PROOFGATE_ADMIN_PORT: '0' };
    const { output } = await runProofgate(['serve'], { ...wrong, ...ports });
    expect(output).toContain('proofgate: signing_key.cannot_open: ');
    const doctor = await runProofgate(['doctor'], { ...wrong, ...ports });
    expect(doctor.code).toBe(1);
    expect(doctor.output).toMatch(
      /^fail +signing keys +signing key \S+: it is sealed under another master key$/m,
    );
    expect(doctor.output).toMatch(
      /cure: Set keys\.masterKey or keys\.masterKeyPrevious to the key it was sealed under/,
    );
    expect(doctor.output).toMatch(/^fail +client secrets +0 under the key in force; 2 refused/m);
  });
});
