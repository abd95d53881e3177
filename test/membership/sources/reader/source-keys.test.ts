// Rules: spec/roots.md#rounds, `keys`
import { beforeEach, describe, expect, it } from 'vitest';
import { newAppRow } from '../../../../src/apps/new-app-row.ts';
import { SourceKeys } from '../../../../src/membership/sources/reader/source-keys.ts';
import { SourceReader } from '../../../../src/membership/sources/reader/source-reader.ts';
import { numberOf } from '../../../../src/semaphore/words.ts';
import type { AppRow } from '../../../../src/storage/apps/apps.ts';
import type { Bytes32 } from '../../../../src/storage/values.ts';
import {
  hexWords,
  type ScriptedPoint,
  type ScriptedRegistry,
  scriptRegistry,
} from '../../../support/chain/scripted-contracts.ts';
import worldId4 from '../../../vectors/worldid4-proofs.json' with { type: 'json' };
import { useTempStore } from '../../../verification/support/temp-store.ts';
import { History, testSource } from '../support/history.ts';

const pointOf = ({ x, y }: { readonly x: string; readonly y: string }): ScriptedPoint => ({
  x: BigInt(x),
  y: BigInt(y),
});
const [ONE, OTHER] = worldId4.trapdoor.setup.issuers.map(pointOf);
if (ONE === undefined || OTHER === undefined) throw new Error('expected two keys of issuers');
/** `issuerSchemaIdToPubkey` and `getOprfPublicKey`. */
const GETTERS = ['0x94db8bd2', '0x7488e8e7'];
const REFRESH_MS = 300_000;
const BLOCKS_OF_TEN_SECONDS = 5;
const BLOCKS_OF_A_MINUTE = 30;
const RP_ID = 'rp_00000000000000aa';

const temp = useTempStore();
let history: History;
let registry: ScriptedRegistry;
let apps: AppRow[];
let badKeys: string[];
beforeEach(async () => {
  apps = [];
  badKeys = [];
  await open();
  const { worldId4Keys: keys } = temp.store;
  for (const { issuerSchemaId } of await keys.listIssuers())
    await keys.removeIssuer('staging', issuerSchemaId, 0);
  for (const { rpId } of await keys.listOprfKeys()) await keys.removeOprfKey('staging', rpId, 0);
});

async function open(fields: Parameters<typeof testSource>[0] = {}): Promise<void> {
  const source = testSource({ kind: 'registry4', confirmations: 0, maxRange: 2000, ...fields });
  history = new History(temp.store, source);
  registry = scriptRegistry(history.chain, source.contract);
  history.chain.mine();
  await history.node().open();
  await temp.store.rootSources.reset(source.id);
}

/** A node whose settings list some issuers. */
function newNode(...issuerIds: readonly string[]): SourceReader {
  const parts = history.parts();
  const keys = new SourceKeys({
    source: history.source,
    chain: parts.chain,
    now: history.now,
    keys: temp.store.worldId4Keys,
    issuerIds,
    refreshMs: REFRESH_MS,
    apps: { list: async () => apps },
    onBadKey: (table, id) => badKeys.push(`${table} ${id}`),
  });
  return new SourceReader({ ...parts, keys });
}

/** Adds an app with an id of its own. */
function addApp(rpId: string, verification: AppRow['verification'] = 'registered'): void {
  apps.push({ ...newAppRow({}, { isDevelopment: false, now: 0 }), rpId, verification });
}

/** Asks for the keys once the wait between two looks for missing ones is over. */
async function later(node: SourceReader): Promise<void> {
  history.chain.mineMany(BLOCKS_OF_TEN_SECONDS);
  await node.round();
}

/** Records a new root, so that the next round reads the logs. */
async function withNewRoot(node: SourceReader): Promise<void> {
  registry.record(BigInt(history.chain.head.number));
  history.chain.mine();
  await node.round();
}

/** Stored keys by the ids of their owners. */
async function stored(): Promise<Record<string, ScriptedPoint>> {
  const { worldId4Keys: keys } = temp.store;
  const rows = [
    ...(await keys.listIssuers()).map((row) => [row.issuerSchemaId, row] as const),
    ...(await keys.listOprfKeys()).map((row) => [row.rpId, row] as const),
  ].filter(([, { source }]) => source === 'test-source');
  const shown = ({ x, y }: { readonly x: Bytes32; readonly y: Bytes32 }): ScriptedPoint => ({
    x: numberOf(x),
    y: numberOf(y),
  });
  return Object.fromEntries(rows.map(([id, row]) => [id, shown(row)]));
}

/** Ids that the registries were asked for since the last time, each once. */
function asked(): bigint[] {
  const ids = new Set<bigint>();
  for (const { calls } of history.clients) {
    for (const { method, params } of calls.splice(0)) {
      const { data = '' } = (params[0] ?? {}) as { data?: string };
      if (method === 'eth_call' && GETTERS.includes(data.slice(0, 10)))
        ids.add(BigInt(`0x${data.slice(10)}`));
    }
  }
  return [...ids].sort();
}

describe('the keys that a source reads', () => {
  it('are those that events name: added, replaced and removed', async () => {
    const node = newNode();
    await node.round();
    registry.setIssuer(5n, ONE);
    registry.setOprfKey(0xaan, OTHER);
    await withNewRoot(node);
    expect(await stored()).toEqual({ 5: ONE, [RP_ID]: OTHER });
    registry.setIssuer(5n, OTHER);
    registry.setOprfKey(0xaan, ONE);
    await withNewRoot(node);
    expect(await stored()).toEqual({ 5: OTHER, [RP_ID]: ONE });
    registry.setIssuer(5n, undefined);
    registry.setOprfKey(0xaan, undefined);
    await withNewRoot(node);
    expect(await stored()).toEqual({});
    registry.setIssuer(5n, ONE);
    await withNewRoot(node);
    expect(await stored()).toEqual({ 5: ONE });
  });

  it('are found within a minute if no root changes with them', async () => {
    const node = newNode();
    await node.round();
    registry.setIssuer(5n, ONE);
    history.chain.mineMany(BLOCKS_OF_A_MINUTE - 1);
    expect(await node.round()).toBe('same');
    expect(await stored()).toEqual({});
    history.chain.mine();
    expect(await node.round()).toBe('advanced');
    expect(await stored()).toEqual({ 5: ONE });
  });

  it('are found in events of the look-back at the first start', async () => {
    registry.setIssuer(5n, ONE);
    registry.record(1n);
    history.chain.mineMany(20);
    await newNode().round();
    expect(await stored()).toEqual({ 5: ONE });
  });

  it('are those of listed issuers and registered apps without a row, asked for once', async () => {
    registry.setIssuer(7n, ONE);
    registry.setOprfKey(0xaan, OTHER);
    // Their events are older than the look-back.
    history.chain.mineMany(history.source.lookBackSeconds / 2 + 10);
    addApp('rp_00000000000000bb', 'none');
    const node = newNode('7', '8');
    await node.round();
    expect(await stored()).toEqual({ 7: ONE });
    expect(asked()).toEqual([7n, 8n]);
    addApp(RP_ID);
    await later(node);
    expect(await stored()).toEqual({ 7: ONE, [RP_ID]: OTHER });
    expect(asked()).toEqual([0xaan]);
    await later(node);
    expect(asked()).toEqual([]);
    // The event says that an unknown id has a key now.
    registry.setIssuer(8n, OTHER);
    await withNewRoot(node);
    expect(asked()).toEqual([8n]);
    expect(await stored()).toEqual({ 7: ONE, 8: OTHER, [RP_ID]: OTHER });
  });

  it('are all read again after the refresh time, and not before', async () => {
    registry.setIssuer(5n, ONE);
    history.chain.mine();
    const node = newNode('7');
    await node.round();
    const { contract } = history.source;
    // A change whose event nobody saw.
    history.chain.setView(contract, `${GETTERS[0]}${hexWords(5n).slice(2)}`, hexWords(OTHER.x, OTHER.y));
    history.chain.setView(contract, `${GETTERS[0]}${hexWords(7n).slice(2)}`, hexWords(ONE.x, ONE.y));
    history.chain.mineMany(REFRESH_MS / 2000 - 1);
    asked();
    await node.round();
    expect([asked(), await stored()]).toEqual([[], { 5: ONE }]);
    history.chain.mine();
    await node.round();
    expect([asked(), await stored()]).toEqual([[5n, 7n], { 5: OTHER, 7: ONE }]);
  });

  it('are none of ids beyond 64 bits', async () => {
    registry.setOprfKey(2n ** 64n + 0xaan, ONE);
    registry.setOprfKey(2n ** 64n - 1n, ONE);
    history.chain.mine();
    await newNode().round();
    expect(await stored()).toEqual({ rp_ffffffffffffffff: ONE });
  });

  it('take the place of those of an operator', async () => {
    const rest = { environment: 'staging', source: 'operator', updatedAt: 0, removedAt: null } as const;
    const own = { x: new Uint8Array(32).fill(1), y: new Uint8Array(32).fill(1) };
    await temp.store.worldId4Keys.put([{ ...rest, ...own, issuerSchemaId: '7' }], []);
    registry.setIssuer(7n, ONE);
    history.chain.mine();
    await newNode('7').round();
    expect(await stored()).toEqual({ 7: ONE });
  });
});

describe('a key that is unsafe', () => {
  it.each(worldId4.bad_keys)('is not stored, and is reported: $why', async (bad) => {
    registry.setIssuer(5n, pointOf(bad));
    registry.setOprfKey(0xaan, pointOf(bad));
    registry.setIssuer(6n, ONE);
    history.chain.mine();
    const node = newNode();
    expect(await node.round()).toBe('advanced');
    expect(await stored()).toEqual({ 6: ONE });
    // A zero says that there is no key.
    const isZero = BigInt(bad.x) === 0n || BigInt(bad.y) === 0n;
    expect(badKeys.sort()).toEqual(isZero ? [] : ['issuers 5', 'oprfKeys 170']);
  });

  it('removes the one that was there', async () => {
    const [bad] = worldId4.bad_keys;
    if (bad === undefined) throw new Error('expected a bad key');
    const node = newNode();
    registry.setIssuer(5n, ONE);
    history.chain.mine();
    await node.round();
    registry.setIssuer(5n, pointOf(bad));
    await withNewRoot(node);
    expect([await stored(), badKeys]).toEqual([{}, ['issuers 5']]);
  });
});

describe('a registry of keys', () => {
  const ELSEWHERE = `0x${'d1'.repeat(20)}`;

  it.each([
    ['no contract', undefined, 'roots.contract_missing'],
    ['a contract whose answer has another length', hexWords(1n), 'roots.wrong_contract'],
    ['a contract that answers with a text', hexWords(32n, 2n, 3n), 'roots.wrong_contract'],
  ])('that is %s fails the round, and removes no key', async (_name, view, code) => {
    registry.setIssuer(5n, ONE);
    registry.setOprfKey(0xaan, ONE);
    history.chain.mine();
    await newNode().round();
    for (const field of ['issuers', 'oprfKeys'] as const) {
      await open({ [field]: ELSEWHERE });
      if (view !== undefined) for (const getter of GETTERS) history.chain.setView(ELSEWHERE, getter, view);
      addApp(RP_ID);
      history.chain.mine();
      await expect(newNode('5').round(), field).rejects.toMatchObject({ code });
      expect(await stored()).toEqual({ 5: ONE, [RP_ID]: ONE });
    }
  });
});
