// Rules: spec/roots.md#misses and spec/roots.md#sequencer-oracle
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/apps/apps.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import { hang } from '../../support/chain/broken-answers.ts';
import { type FakeProvider, startFakeProvider } from '../../support/chain/fake-provider.ts';
import { ScriptedChain, scriptedBackend } from '../../support/chain/scripted-chain.ts';
import { type ScriptedManager, scriptManager } from '../../support/chain/scripted-contracts.ts';
import { type Answer, type BodyMaker, bodyMaker, LOAD_APP, send } from '../../support/load.ts';
import { type LocalServer, serveLocally } from '../../support/server/local-server.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { fillUsedFolder } from '../../support/server/used-folder.ts';
import { pollUntil } from '../../support/until.ts';

const MANAGER = `0x${'c0'.repeat(20)}`;
const SETTINGS = {
  'verify.key.production.orb': 'trapdoor-4',
  'engine.workers': '1',
  'roots.missWaitMs': '1500',
  'roots.missMaxWaiting': '64',
  // No answer comes because a call to the provider ended.
  'roots.rpcTimeoutMs': '60000',
};
const FLOOD = 120;
const WAVES = 3;
const RESULTS = ['found', 'unknown', 'timeout', 'refused'] as const;

let folder: string;
let app: StartedApp;
let make: BodyMaker;
let nextRoot = 1_000_000n;

/** Starts a service with a configuration file. */
async function start(roots: object, settings: Readonly<Record<string, string>> = {}): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-unknown-roots-'));
  const all = { ...SETTINGS, ...settings };
  await fillUsedFolder(folder, all);
  writeFileSync(join(folder, 'proofgate.config.json'), JSON.stringify({ roots }));
  app = await startApp({ dataDir: folder, settings: all });
  const store = await app.openStore();
  await createApp(store.apps, { appId: LOAD_APP, name: 'Load' }, Date.now());
  await store.close();
}

async function stop(): Promise<void> {
  await app?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

beforeAll(async () => {
  make = await bodyMaker('unknown roots');
});

/** Sends a request over a root that nobody has heard of. */
const ask = (isFalse = false): Promise<Answer> => send(app.publicUrl, make(isFalse, wordOf(nextRoot++)).body);

function expectUnknown({ status, body }: Answer): void {
  expect([status, body.results?.[0]?.code]).toEqual([400, 'invalid_merkle_root']);
}

/** Values of a counter by one of its labels. */
async function counts(name: string, label: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${app.adminUrl}/metrics`)).text();
  const pattern = new RegExp(`^proofgate_${name}\\{.*${label}="([^"]*)".*\\} (\\d+)$`, 'gm');
  return Object.fromEntries(
    [...text.matchAll(pattern)].map(([, value = '', count]) => [value, Number(count)]),
  );
}

describe('requests over unknown roots of a tree with a source', () => {
  let chain: ScriptedChain;
  let manager: ScriptedManager;
  let provider: FakeProvider;

  beforeAll(async () => {
    chain = new ScriptedChain({ firstTime: Math.floor(Date.now() / 1000) - 20 });
    manager = scriptManager(chain, MANAGER, 100n);
    chain.mineMany(3);
    provider = await startFakeProvider(scriptedBackend(chain));
    const source = {
      id: 'orb',
      kind: 'identity-manager',
      environment: 'production',
      tree: 'orb',
      chainId: 480,
      rpc: 'custom',
      contract: MANAGER,
      confirmations: 0,
      pollSeconds: 3600,
    };
    await start({ sources: [source], rpc: { custom: [provider.url] } });
    await pollUntil(async () => (await counts('roots_source_rounds_total', 'result')).advanced === 1);
  });
  afterAll(async () => {
    await stop();
    await provider?.close();
  });

  it('cause at most one unscheduled round a second, however many come', async () => {
    const calls = provider.calls.length;
    const beganAt = Date.now();
    // Each wave comes when the one before is answered, so that each could have a round of its own.
    for (let wave = 0; wave < WAVES; wave++) {
      const answers = await Promise.all(Array.from({ length: FLOOD / WAVES }, () => ask()));
      for (const answer of answers) expectUnknown(answer);
    }
    const seconds = Math.ceil((Date.now() - beganAt) / 1000);
    const unscheduled = provider.calls
      .slice(calls)
      .filter(({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest');
    expect(unscheduled.length).toBeGreaterThan(0);
    // One at the beginning, and one more for each second that the answers took.
    expect(unscheduled.length).toBeLessThanOrEqual(1 + seconds);
    const misses = await counts('roots_miss_total', 'result');
    expect(RESULTS.reduce((sum, result) => sum + (misses[result] ?? 0), 0)).toBe(FLOOD);
    expect(misses.found ?? 0).toBe(0);
  });

  it('cause none if their proofs are false', async () => {
    const calls = provider.calls.length;
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => ask(true))))
      expectUnknown(answer);
    expect(provider.calls).toHaveLength(calls);
  });

  it('are accepted if the chain has the root since a moment ago', async () => {
    const root = nextRoot++;
    manager.change(root);
    chain.mine();
    // Only an unscheduled round can have found it: the next one is due in an hour.
    await pollUntil(async () => (await send(app.publicUrl, make(false, wordOf(root)).body)).status === 200);
  });

  it('wait no longer than `missWaitMs` for a provider that does not answer, and only some of them at a time', async () => {
    const before = await counts('roots_miss_total', 'result');
    const calls = provider.calls.length;
    provider.broken = hang;
    for (const answer of await Promise.all(Array.from({ length: FLOOD }, () => ask()))) expectUnknown(answer);
    const misses = await counts('roots_miss_total', 'result');
    const added = (result: (typeof RESULTS)[number]): number => (misses[result] ?? 0) - (before[result] ?? 0);
    expect(added('timeout')).toBeGreaterThan(0);
    expect([added('timeout') + added('refused'), added('unknown'), added('found')]).toEqual([FLOOD, 0, 0]);
    // The round that waits is the only one.
    expect(provider.calls.length - calls).toBe(1);
    provider.broken = undefined;
  });
});

describe('requests over unknown roots of a tree with a sequencer', () => {
  let sequencer: LocalServer;
  let asked: { readonly root: string; readonly nullifierHash: string }[];
  let status: number;

  beforeAll(async () => {
    asked = [];
    sequencer = await serveLocally(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(status).end();
    });
    await start({}, { 'roots.oracle.production.orb': sequencer.origin });
  });
  afterAll(async () => {
    await stop();
    await sequencer?.close();
  });

  it('are accepted if it accepts the proof, and the registry does not get the root', async () => {
    status = 200;
    const root = wordOf(nextRoot++);
    const { body, nullifier } = make(false, root);
    expect((await send(app.publicUrl, body)).status).toBe(200);
    expect(asked).toMatchObject([
      { root: `0x${Buffer.from(root).toString('hex')}`, nullifierHash: nullifier },
    ]);
    const store = await app.openStore();
    expect(await store.roots.find('production', 'orb', root)).toBeUndefined();
    await store.close();
    // So it is asked again.
    expect((await send(app.publicUrl, make(false, root).body)).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('are refused if it refuses, and it hears nothing of a proof that is false', async () => {
    status = 400;
    const before = asked.length;
    expectUnknown(await ask());
    expect(asked).toHaveLength(before + 1);
    status = 200;
    expectUnknown(await ask(true));
    expect(asked).toHaveLength(before + 1);
  });
});
