// Rules: spec/roots.md#first-start, spec/roots.md#misses and spec/roots.md#failures
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/storage/store.ts';
import {
  ANVIL,
  ANVIL_SKIP,
  type Anvil,
  type DeployedContract,
  startAnvil,
} from '../../support/chain/anvil.ts';
import { alteringCalls, alteringLogs, failing } from '../../support/chain/behaviours.ts';
import { type FakeProvider, startFakeProvider } from '../../support/chain/fake-provider.ts';
import { hexWords } from '../../support/chain/scripted-contracts.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { fillUsedFolder } from '../../support/server/used-folder.ts';
import { pollUntil } from '../../support/until.ts';
import { addApps } from '../../verification/support/registered-app.ts';
import { bodyOf, vector } from '../../verification/support/vectors.ts';
import { post } from '../../verification/support/verify-client.ts';
import { addApp, caseNamed, WORLDID4, WORLDID4_SETTINGS } from '../../verification/support/worldid4.ts';

const HOUR = 3600;
/** Two days more than a source looks back. */
const BATCHES = 10 * 24;
/** Names of the loopback interface: providers of one host are one. */
const HOSTS = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'];
const DOWN = failing({ code: -32_000, message: 'internal error' });
/** Its root is not the example of the profile `test`. */
const PROOF = vector(2);
const UNIQUENESS = caseNamed('uniqueness');

interface Readiness {
  readonly status: string;
  readonly checks: { readonly roots: { readonly status: string } };
}

describe.skipIf(ANVIL === undefined)(`a service that reads anvil${ANVIL_SKIP}`, () => {
  let anvil: Anvil;
  let manager: DeployedContract;
  let registry: DeployedContract;
  let providers: FakeProvider[] = [];
  let app: StartedApp;
  let store: Store;
  let dataDir: string;
  let time = Math.floor(Date.now() / 1000) - BATCHES * HOUR;

  /** Makes a block at the present time. */
  async function mineNow(): Promise<void> {
    time = Math.max(time + 1, Math.floor(Date.now() / 1000));
    await anvil.mine(time);
  }

  beforeAll(async () => {
    anvil = await startAnvil({ firstTime: time - 10 });
    manager = await anvil.deploy('IdentityManager', 1n);
    registry = await anvil.deploy('WorldIdRegistry');
    const { issuers, oprf_keys: oprfKeys, apps } = WORLDID4.trapdoor.setup;
    for (const { issuer_schema_id: id, x, y } of issuers) {
      await registry.send('setIssuer(uint64,(uint256,uint256))', id, BigInt(x), BigInt(y));
    }
    for (const { rp_id: rpId, x, y } of oprfKeys) {
      const id = BigInt(rpId.replace('rp_', '0x'));
      await registry.send('setOprfKey(uint160,(uint256,uint256))', id, BigInt(x), BigInt(y));
    }
    for (let batch = 1; batch < BATCHES; batch++) {
      time += HOUR;
      await manager.send('change(uint256,uint8)', 1000 + batch, 0);
      if (batch === BATCHES - 1) {
        await manager.send('change(uint256,uint8)', BigInt(PROOF.merkle_root), 0);
        await registry.send('record(uint256)', 77);
      }
      await anvil.mine(time);
    }
    await mineNow();
    await mineNow();
    providers = await Promise.all(HOSTS.map(() => startFakeProvider(anvil.backend)));
    const common = { chainId: 480, rpc: 'worldchain', pollSeconds: 1, startBlock: 0 };
    dataDir = mkdtempSync(join(tmpdir(), 'proofgate-anvil-'));
    await fillUsedFolder(dataDir, WORLDID4_SETTINGS);
    const sources = [
      {
        id: 'orb',
        kind: 'identity-manager',
        environment: 'production',
        tree: 'orb',
        ...common,
        contract: manager.address,
        confirmations: 1,
      },
      {
        id: 'account',
        kind: 'registry4',
        environment: 'staging',
        tree: 'account',
        ...common,
        // The scheduled rounds come too late for a root that is a second old.
        contract: registry.address,
        confirmations: 1,
        pollSeconds: 3600,
        issuers: registry.address,
        oprfKeys: registry.address,
      },
    ];
    const rpc = providers.map(({ url }, index) => url.replace('127.0.0.1', HOSTS[index] ?? ''));
    writeFileSync(
      join(dataDir, 'proofgate.config.json'),
      JSON.stringify({ roots: { sources, rpc: { worldchain: rpc }, missWaitMs: 10_000 } }),
    );
    app = await startApp({ dataDir, settings: WORLDID4_SETTINGS });
    store = await app.openStore();
    await addApps(store, [PROOF], Date.now());
    for (const { app_id: appId, rp_id: rpId } of apps) await addApp(store, appId, rpId, Date.now());
  });
  afterAll(async () => {
    await store?.close();
    await app?.stop();
    await Promise.all(providers.map((provider) => provider.close()));
    await anvil?.stop();
    if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
  });

  async function readiness(): Promise<{ readonly status: number; readonly body: Readiness }> {
    const answer = await fetch(`${app.adminUrl}/health/ready`);
    return { status: answer.status, body: (await answer.json()) as Readiness };
  }

  it('accepts a proof of World ID 3.0 from an empty store', async () => {
    await pollUntil(async () => {
      const { status } = await post(app.publicUrl, PROOF.rp_id ?? '', bodyOf(PROOF));
      return status === 200;
    });
  });

  it('reads the whole look-back', async () => {
    await pollUntil(async () => {
      const state = await store.rootSources.find('orb');
      return state?.checkpoint !== null && state?.backfillTo === null;
    });
    const all = await store.roots.list({ environment: 'production', tree: 'orb' });
    const rows = all.filter(({ source }) => source === 'orb');
    // 8 days of hourly batches, the root before them and the second one of the last block.
    expect(rows.length).toBeGreaterThanOrEqual(192);
    expect(rows.length).toBeLessThanOrEqual(195);
    const current = rows.filter(({ supersededAt }) => supersededAt === null);
    expect(current.map(({ root }) => `0x${Buffer.from(root).toString('hex')}`)).toEqual([
      hexWords(BigInt(PROOF.merkle_root)),
    ]);
    expect((await readiness()).status).toBe(200);
  });

  it('accepts a proof of World ID 4.0 over a root that is a second old, by the check on a miss', async () => {
    await pollUntil(async () => (await store.worldId4Keys.listIssuers()).length > 0);
    const rpId = UNIQUENESS.path.slice('/api/v4/verify/'.length);
    const [root] = WORLDID4.trapdoor.setup.roots;
    await registry.send('record(uint256)', BigInt(root?.root ?? '0'));
    await mineNow();
    // The key of the relying party was registered before the app was.
    await pollUntil(async () => {
      const { status } = await post(app.publicUrl, rpId, UNIQUENESS.request);
      return status === UNIQUENESS.expect.status;
    });
    const metrics = await (await fetch(`${app.adminUrl}/metrics`)).text();
    expect(metrics).toContain('proofgate_roots_miss_total{source="account",result="found"} 1');
  });

  it('is not misled by one provider that lies', async () => {
    const [liar] = providers;
    if (liar === undefined) throw new Error('expected a provider');
    const invented = hexWords(31_337n);
    liar.behaviour = (backend) =>
      alteringLogs((logs) =>
        logs.map((log) => ({ ...log, topics: log.topics.map((topic, at) => (at === 3 ? invented : topic)) })),
      )(alteringCalls(() => invented)(backend));
    await manager.send('change(uint256,uint8)', 5000, 0);
    await mineNow();
    await mineNow();
    await pollUntil(async () => {
      const current = await store.roots.listCurrent();
      return current.some(({ root }) => `0x${Buffer.from(root).toString('hex')}` === hexWords(5000n));
    });
    expect(
      await store.roots.find('production', 'orb', Buffer.from(invented.slice(2), 'hex')),
    ).toBeUndefined();
    liar.behaviour = undefined;
  });

  it('keeps answering, and stays ready, while two of three providers are down', async () => {
    // An error of the tests before stays with the source.
    const downAt = Date.now();
    for (const provider of providers.slice(1)) provider.behaviour = DOWN;
    await pollUntil(async () => {
      const state = await store.rootSources.find('orb');
      return (state?.lastErrorAt ?? 0) >= downAt && state?.lastError?.startsWith('roots.') === true;
    });
    const { status, body } = await readiness();
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('roots');
    const reply = await post(app.publicUrl, PROOF.rp_id ?? '', bodyOf(PROOF));
    expect(reply.status).toBe(200);
  });
});
