import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runProofgate, type ServerProcess, startServer } from '../../support/server/server-process.ts';

const SEED = randomBytes(32).toString('hex');
const ROOT = mkdtempSync(join(tmpdir(), 'proofgate-key-processes-'));
const COMMON = {
  PROOFGATE_STORAGE_URL: `libsql:${join(ROOT, 'common.db')}`,
  PROOFGATE_STORAGE_ALLOW_SHARED_FILE: 'true',
  PROOFGATE_KEYS_MASTER_KEY: randomBytes(32).toString('base64url'),
  PROOFGATE_STORAGE_CACHE_SECONDS: '1',
  PROOFGATE_ENGINE_WORKERS: '1',
};

let nodes: readonly ServerProcess[] = [];

async function keysOf({ publicUrl }: ServerProcess): Promise<{ pk: string[]; status: string }[]> {
  return (await (await fetch(`${publicUrl}/api/v1/issuer-keys`)).json()).keys;
}

async function command(...argv: readonly string[]): Promise<string> {
  const env = { ...COMMON, PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: join(ROOT, 'command') };
  const { code, output } = await runProofgate([...argv, '--use', 'credential'], env);
  expect(code, output).toBe(0);
  return output;
}

beforeAll(async () => {
  nodes = await Promise.all(['one', 'two'].map((name) => startServer(join(ROOT, name), COMMON)));
});

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGTERM')));
  rmSync(ROOT, { recursive: true, force: true });
});

describe('two processes on one store', () => {
  it('that start at the same time have one key, which one of them generated', async () => {
    const lists = await Promise.all(nodes.map(keysOf));
    expect(lists[0]).toEqual([{ issuer_schema_id: 1, pk: expect.anything(), status: 'active' }]);
    expect(lists[1]).toEqual(lists[0]);
    const made = nodes.filter((node) => node.output().includes('issuer_key.created'));
    expect(made).toHaveLength(1);
  });

  it('follow the rotation of a third', async () => {
    await command('keys', 'rotate');
    await vi.waitFor(
      async () => {
        for (const node of nodes) {
          expect((await keysOf(node)).map(({ status }) => status)).toEqual(['active', 'retired']);
        }
      },
      { timeout: 180_000, interval: 200 },
    );
    const [one, two] = await Promise.all(nodes.map(keysOf));
    expect(one).toEqual(two);
  });

  it('keep the key that a third process with a configured seed makes active', async () => {
    const third = await startServer(join(ROOT, 'three'), { ...COMMON, PROOFGATE_REFRESH_SIGNING_SEED: SEED });
    const expected = ['active', 'retired', 'retired'];
    const list = await keysOf(third);
    expect(list.map(({ status }) => status)).toEqual(expected);
    await vi.waitFor(async () => expect(await keysOf(nodes[0] as ServerProcess)).toEqual(list), {
      timeout: 180_000,
      interval: 200,
    });
    expect(third.output()).toContain('issuer_key.activated');
    expect((await third.end('SIGTERM')).code).toBe(0);
    for (const text of [third.output(), ...filesBelow(ROOT)]) expect(text.includes(SEED)).toBe(false);
    for (const bytes of filesBelow(ROOT)) expect(bytes.includes(Buffer.from(SEED, 'hex'))).toBe(false);
  });
});

function filesBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}
