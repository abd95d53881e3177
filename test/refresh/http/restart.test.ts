import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { parseCredential } from '../../../src/credential/parse.ts';
import { openRefreshClient } from '../../support/refresh/client.ts';
import { testHolder } from '../../support/refresh/holder.ts';
import { enrolHolders } from '../../support/refresh/service.ts';
import { environmentOf } from '../../support/server/environment-of.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { startServer } from '../../support/server/server-process.ts';
import { startApp } from '../../support/server/start-app.ts';

const HOLDER = testHolder('restart');
const SETTINGS = { 'refresh.verificationKey': 'trapdoor-4', 'signin.enabled': 'false' };

let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'proofgate-restart-'));
  const { config } = await loadConfig({ env: {}, cwd: dataDir, flags: { profile: 'test', dataDir } });
  const store = await openMigratedStore(config.storage);
  await enrolHolders(store, [HOLDER], Date.now());
  await store.close();
});

afterAll(() => rmSync(dataDir, { recursive: true }));

async function refreshAt(publicUrl: string) {
  const client = await openRefreshClient(publicUrl);
  try {
    const { body } = await client.refresh(HOLDER);
    return parseCredential(body.credential ?? '');
  } finally {
    await client.close();
  }
}

describe('kill -9 after an answer', () => {
  it('keeps the credential counted, and a retry has the same genesis, a new id and the same key', async () => {
    const server = await startServer(dataDir, environmentOf(SETTINGS));
    const first = await refreshAt(server.publicUrl);
    await server.end('SIGKILL');
    const app = await startApp({ dataDir, settings: SETTINGS });
    const retry = await refreshAt(app.publicUrl);
    await app.stop();
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
