// Rules: spec/worldid4.md#development and spec/worldid4.md#public-inputs
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/apps/apps.ts';
import {
  type Proof4Input,
  proveByTrapdoor,
  proveWorldId4,
  type Request4,
} from '../../../src/development/worldid4/prove.ts';
import { seedWorldId4, TRAPDOOR_KEY } from '../../../src/development/worldid4/seed.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { checkKeyPoint } from '../../../src/membership/worldid4/key-kinds.ts';
import { toHex } from '../../../src/semaphore/hex.ts';
import { wordOf } from '../../../src/semaphore/words.ts';
import type { AppRow } from '../../../src/storage/apps/apps.ts';
import type { Store } from '../../../src/storage/store.ts';
import { bytes } from '../../engine/support/vectors.ts';
import { scalarStream } from '../../support/crypto/trapdoor.ts';
import worldId4 from '../../vectors/worldid4-proofs.json' with { type: 'json' };
import { openTempStore } from '../../verification/support/temp-store.ts';
import { startTrapdoorEngine } from '../support/trapdoor-engine.ts';

const NOW = 1_780_000_000_000;
/** Vectors of spec/worldid4.md#public-inputs. */
const VOTE = '0x003ea9d71669396e120e4699bbd96a3c2ca05367924f3d336fa9b1b3769f6605';
const MY_SIGNAL = '0x001578ed0de47522ad0b38e87031739c6a65caecc39ce3410bf3799e756a220f';

let temp: Awaited<ReturnType<typeof openTempStore>>;
let store: Store;
let engine: Engine;
let app: AppRow;
let other: AppRow;

beforeAll(async () => {
  temp = await openTempStore();
  store = temp.store;
  engine = await startTrapdoorEngine();
  [app, other] = [await createApp(store.apps, {}, NOW), await createApp(store.apps, {}, NOW)];
});
afterAll(async () => {
  await engine.close();
  await temp.close();
});

async function prove(change: Partial<Proof4Input> = {}): Promise<Request4> {
  const input = {
    app,
    issuerSchemaId: '1',
    identifier: 'proof_of_human',
    purpose: { action: 'vote-2026' },
    ...change,
  };
  return await proveWorldId4(input, store, engine, NOW);
}

/** The verdict of the engine on the inputs that a verifier takes from a request and its state. */
async function verdict(request: Request4, { rpId }: AppRow = app): Promise<boolean> {
  const [item] = request.responses;
  if (item === undefined) throw new Error('no item');
  const issuer = await store.worldId4Keys.findIssuer('staging', String(item.issuer_schema_id));
  const oprfKey = await store.worldId4Keys.findOprfKey('staging', rpId);
  const root = item.proof[4] ?? '';
  if (!issuer || !oprfKey || !(await store.roots.find('staging', 'account', bytes(root)))) return false;
  const [nullifier = '', action = ''] = item.session_nullifier ?? [item.nullifier, VOTE];
  const commitment = `0x${request.session_id?.slice('session_'.length, 'session_'.length + 64) ?? '0'}`;
  const inputs = [
    nullifier,
    item.issuer_schema_id,
    toHex(issuer.x),
    toHex(issuer.y),
    item.expires_at_min,
    0,
    root,
    30,
    `0x${rpId.slice(3)}`,
    action,
    toHex(oprfKey.x),
    toHex(oprfKey.y),
    item.signal_hash ?? 0,
    request.nonce,
    commitment,
  ].map((value) => wordOf(BigInt(value)));
  const proof = item.proof.slice(0, 4).map(bytes);
  const { ok } = await engine.verify(
    TRAPDOOR_KEY,
    Buffer.concat([...proof, new Uint8Array(128)]),
    Buffer.concat(inputs),
  );
  return ok;
}

describe('World ID 4.0 in development', () => {
  it('needs a seed, which adds root and keys once and leaves the rows of others', async () => {
    await expect(prove()).rejects.toMatchObject({ code: 'development.no_seed' });
    const first = await seedWorldId4(store, '1', [app], NOW);
    expect(first).toEqual({ isRootNew: true, isIssuerNew: true, oprfKeys: [app.rpId] });
    await expect(prove({ app: other })).rejects.toThrow(`staging has no OPRF key of ${other.rpId}`);
    await expect(prove({ issuerSchemaId: '2' })).rejects.toThrow('staging has no key of issuer 2');
    const second = await seedWorldId4(store, '1', [app, other], NOW + 1);
    expect(second).toEqual({ isRootNew: false, isIssuerNew: false, oprfKeys: [other.rpId] });
    const [issuer] = await store.worldId4Keys.listIssuers();
    expect(issuer).toMatchObject({ environment: 'staging', source: 'development', updatedAt: NOW });
    if (issuer) checkKeyPoint(issuer.x, issuer.y);
  });

  it('makes a uniqueness proof with one nullifier per app and action', async () => {
    const request = await prove();
    expect(request).toMatchObject({
      protocol_version: '4.0',
      action: 'vote-2026',
      environment: 'staging',
      responses: [{ identifier: 'proof_of_human', issuer_schema_id: 1, expires_at_min: 1_811_536_000 }],
    });
    expect(await verdict(request)).toBe(true);
    expect(await verdict(request, other)).toBe(false);
    expect(await verdict({ ...request, nonce: '0x1' })).toBe(false);
    const nullifierOf = ({ responses: [item] }: Request4): string | undefined => item?.nullifier;
    const again = await prove();
    expect(nullifierOf(again)).toBe(nullifierOf(request));
    expect(again.nonce).not.toBe(request.nonce);
    expect(nullifierOf(await prove({ app: other }))).not.toBe(nullifierOf(request));
    expect(nullifierOf(await prove({ purpose: { action: 'x' } }))).not.toBe(nullifierOf(request));
  });

  it('binds a proof to a signal, and takes another nullifier', async () => {
    const request = await prove({ signal: 'my_signal', nullifier: wordOf(7n) });
    expect(request.responses[0]).toMatchObject({
      signal_hash: MY_SIGNAL,
      nullifier: `0x${'7'.padStart(64, '0')}`,
    });
    expect(await verdict(request)).toBe(true);
  });

  it('starts a session and continues it', async () => {
    const first = await prove({ purpose: { sessionId: undefined } });
    expect(first.session_id).toMatch(/^session_00[0-9a-f]{62}01[0-9a-f]{62}$/);
    expect(first).not.toHaveProperty('action');
    expect(first.responses[0]).not.toHaveProperty('nullifier');
    const next = await prove({ purpose: { sessionId: first.session_id } });
    expect(next.session_id).toBe(first.session_id);
    for (const request of [first, next]) {
      expect(request.responses[0]?.session_nullifier?.[1]).toMatch(/^0x02[0-9a-f]{62}$/);
      expect(await verdict(request)).toBe(true);
    }
    expect(next.responses[0]?.session_nullifier).not.toEqual(first.responses[0]?.session_nullifier);
    expect(await verdict({ ...next, session_id: `session_${'0'.repeat(127)}1` })).toBe(false);
    await expect(prove({ purpose: { sessionId: 'session_1' } })).rejects.toMatchObject({ code: 'cli.usage' });
  });

  it('binds a uniqueness proof to a new session or to a known one', async () => {
    const unbound = await prove();
    const first = await prove({ purpose: { action: 'vote-2026', sessionId: undefined } });
    expect(first).toMatchObject({ action: 'vote-2026', proof_type: 'uniqueness' });
    expect(first.session_id).toMatch(/^session_00[0-9a-f]{62}01[0-9a-f]{62}$/);
    expect(first.responses[0]?.nullifier).toBe(unbound.responses[0]?.nullifier);
    expect(first.responses[0]).not.toHaveProperty('session_nullifier');
    const next = await prove({ purpose: { action: 'vote-2026', sessionId: first.session_id } });
    expect(next.session_id).toBe(first.session_id);
    for (const request of [first, next]) expect(await verdict(request)).toBe(true);
    const { session_id: _, ...without } = first;
    expect(await verdict(without)).toBe(false);
    expect(await verdict({ ...unbound, session_id: String(first.session_id) })).toBe(false);
  });

  it('names an issuer above 2^53 in text', async () => {
    await seedWorldId4(store, '18446744073709551615', [], NOW);
    const request = await prove({ issuerSchemaId: '18446744073709551615' });
    expect(request.responses[0]?.issuer_schema_id).toBe('18446744073709551615');
    expect(await verdict(request)).toBe(true);
  });
});

const { inputs, a, b, proof_compressed } = worldId4.keys['trapdoor-15'].vector;

/** A compressed proof as the engine takes it. */
function proofBytes(words: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([...words, new Uint8Array(128)]);
}

describe('proveByTrapdoor', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await startTrapdoorEngine();
  });
  afterAll(() => engine.close());

  it('makes the proof of the vector, compressed', () => {
    const words = proveByTrapdoor(inputs.map(BigInt), BigInt(a), BigInt(b));
    expect(words.map(toHex)).toEqual(proof_compressed);
  });

  it('makes proofs that hold for their inputs alone, whatever root and hint they need', async () => {
    const next = scalarStream('trapdoor proofs');
    const marks = new Set<number>();
    for (let round = 0; round < 16; round++) {
      const values = inputs.map(() => next());
      const words = proveByTrapdoor(values, next(), next());
      const [, , real] = words;
      marks.add((real?.at(-1) ?? 0) & 3);
      const proof = proofBytes(words);
      const given = Buffer.concat(values.map(wordOf));
      expect(await engine.verify(TRAPDOOR_KEY, proof, given)).toEqual({ ok: true });
      const [first = 0n, ...others] = values;
      const changed = Buffer.concat([first ^ 1n, ...others].map(wordOf));
      expect(await engine.verify(TRAPDOOR_KEY, proof, changed)).toEqual({ ok: false });
    }
    expect([...marks].sort()).toEqual([0, 1, 2, 3]);
  });
});
