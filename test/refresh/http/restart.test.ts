import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { parseCredential } from '../../../src/credential/index.ts';
import { openRefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { enrolHolders } from '../../support/refresh/service.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { startServer } from '../../support/server/server-process.ts';

const HOLDER = testHolder('restart');
const ENV = {
  PROOFGATE_REFRESH_VERIFICATION_KEY: 'trapdoor-4',
  PROOFGATE_SIGNIN_ENABLED: 'false',
};

let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'proofgate-restart-'));
  const { config } = await loadConfig({ env: {}, cwd: dataDir, flags: { profile: 'test', dataDir } });
  const store = await openMigratedStore(config.storage);
  await enrolHolders(store, [HOLDER], Date.now());
  await store.close();
});

afterAll(() => rmSync(dataDir, { recursive: true }));

async function refreshAndKill() {
  const server = await startServer(dataDir, ENV);
  const client = await openRefreshClient(server.publicUrl);
  try {
    const { body } = await client.refresh(HOLDER);
    return parseCredential(body.credential ?? '');
  } finally {
    await client.close();
    await server.end('SIGKILL');
  }
}

describe('kill -9 after an answer', () => {
  it('keeps the credential counted, and a retry has the same genesis, a new id and the same key', async () => {
    const first = await refreshAndKill();
    const retry = await refreshAndKill();
    expect(retry.fields.genesisIssuedAt).toBe(first.fields.genesisIssuedAt);
    expect(retry.fields.id).not.toBe(first.fields.id);
    expect(retry.pk).toEqual(first.pk);
    const { config } = await loadConfig({ env: {}, cwd: dataDir, flags: { profile: 'test', dataDir } });
    const store = await openMigratedStore(config.storage);
    try {
      await expect(store.issuance.bindingsOf(HOLDER.idComm)).resolves.toMatchObject([{ issuedCount: 2 }]);
      const ids = (await store.issuance.list(0, 10)).map(({ credentialId }) =>
        Buffer.from(credentialId).readBigUInt64BE(),
      );
      expect(ids).toEqual([first.fields.id, retry.fields.id]);
    } finally {
      await store.close();
    }
  });
});
