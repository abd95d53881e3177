// Rules: spec/roots.md#commands and spec/roots.md#operator
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/storage/open-store.ts';
import { type CliFolder, useCliFolder } from '../../support/cli.ts';

const SOURCE = '--roots.sources=worldid3-sepolia';
const ENV = { PROOFGATE_ROOTS_RPC_SEPOLIA: 'http://127.0.0.1:8545,http://127.0.0.1:8546' };
const UNKNOWN = ['127.0.0.1:8545', '127.0.0.1:8546'].map((host) => ({ host, state: 'unknown' }));
const STAGING = ['--environment', 'staging', '--tree', 'orb', '--root', '0x7'];

const folder = useCliFolder({ isShared: true });

beforeAll(async () => {
  await folder.json('migrate up');
});

const run = (...argv: readonly string[]): ReturnType<CliFolder['run']> =>
  folder.run([...argv, SOURCE, '--json'], { env: ENV });

describe('proofgate roots sources', () => {
  it('lists a source before its first round, with the hosts of its providers', async () => {
    const result = await run('roots', 'sources', 'list');
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      sources: [
        { id: 'worldid3-sepolia', configured: true, chain_id: 11_155_111, block: null, providers: UNKNOWN },
      ],
    });
  });

  it('resets a source of the store, and no other', async () => {
    const unknown = await run('roots', 'sources', 'reset', 'worldid3-sepolia', '--yes');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('roots.source_unknown')]);
    const url = `libsql:${join(folder.path, 'proofgate.db')}`;
    const store = await openStore({ url, groupMaxRows: 1, groupMaxDelayMs: 0 }, { mustExist: true });
    try {
      await store.rootSources.open({
        id: 'worldid3-sepolia',
        environment: 'staging',
        tree: 'orb',
        configHash: 'x',
      });
    } finally {
      await store.close();
    }
    expect((await run('roots', 'sources', 'reset', 'worldid3-sepolia', '--yes')).code).toBe(0);
  });
});

describe('a tree that a source keeps current', () => {
  it('refuses a current root of an operator, and takes a past one', async () => {
    const current = await run('roots', 'add', ...STAGING);
    expect([current.code, current.stderr]).toEqual([1, expect.stringContaining('roots.managed')]);
    expect((await run('roots', 'add', ...STAGING, '--superseded-at', '2026-01-01')).code).toBe(0);
  });

  it('leaves other trees to the operator', async () => {
    const other = STAGING.map((word) => (word === 'orb' ? 'device' : word));
    expect((await run('roots', 'add', ...other)).code).toBe(0);
  });
});
