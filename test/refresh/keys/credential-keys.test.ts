// Rules: spec/credential.md#issuer-keys
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createByteSealer } from '../../../src/apps/secrets/master-key.ts';
import { isDevelopmentKey } from '../../../src/config/sources/development-key.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { issuerKeysDocument } from '../../../src/refresh/keys/credential-keys.ts';
import { revokeCredentialKey, rotateCredentialKey } from '../../../src/refresh/keys/operate.ts';
import type { IssuerKeyRow } from '../../../src/storage/refresh/issuer-keys.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import vectors from '../../vectors/credential-vectors.json' with { type: 'json' };
import { CACHE_SECONDS, type IssuerFolder, makeIssuerFolder, START } from './support/issuer-folder.ts';

const SAMPLE = vectors.credentials[2];
const SEED = SAMPLE?.signing_key?.seed ?? '';
const KEY_ID = SAMPLE?.signing_key?.public_key_compressed ?? '';
const HASH = wordOf(SAMPLE?.hash ?? '');
const OTHER_SEED = vectors.eddsa[0]?.seed_hex ?? '';
const OTHER_KEY_ID = vectors.eddsa[0]?.public_key_compressed ?? '';
/** Settings of a process in production, with a master key of its own. */
const production = (masterKey = key32()): Record<string, string> => ({
  profile: 'production',
  baseUrl: 'https://id.example',
  'keys.masterKey': masterKey,
});

let engine: Engine;
let folder: IssuerFolder;

beforeAll(async () => {
  ({ engine } = await startEngine({ workers: 0 }));
});

afterAll(() => engine.close());

beforeEach(async () => {
  folder = await makeIssuerFolder(engine);
});

afterEach(() => folder.remove());

function wordOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}

function key32(): string {
  return randomBytes(32).toString('base64url');
}

const seeded = (seed: string): { settings: Record<string, string> } => ({
  settings: { 'refresh.signingSeed': seed },
});

async function states(): Promise<string[][]> {
  return (await folder.rows()).map(({ keyId, status, origin }) => [keyId, status, origin]);
}

async function onlyRow(): Promise<IssuerKeyRow & { sealedSeed: string }> {
  const [row, ...others] = await folder.rows();
  if (row === undefined || row.sealedSeed === null || others.length > 0)
    throw new Error('expected exactly one row, with a sealed seed');
  return { ...row, sealedSeed: row.sealedSeed };
}

describe('a configured seed', () => {
  it('signs as in the vectors, and its key is active and listed', async () => {
    const { keys, lines } = await folder.node(seeded(SEED));
    const { signature, ...rest } = await keys.sign(HASH);
    expect(Buffer.from(signature).toString('hex')).toBe(SAMPLE?.signature);
    expect(rest).toEqual({ keyId: KEY_ID, pk: SAMPLE?.signing_key?.public_key });
    expect(await keys.list()).toEqual([
      { issuerSchemaId: '1', pk: SAMPLE?.signing_key?.public_key, status: 'active' },
    ]);
    expect(await states()).toEqual([[KEY_ID, 'active', 'configured']]);
    expect(await keys.check()).toBe(KEY_ID);
    expect(lines).toEqual([{ level: 'info', event: 'issuer_key.activated', keyId: KEY_ID }]);
  });

  it('in upper case is the same key, and a second start changes nothing', async () => {
    await folder.node(seeded(SEED));
    const before = await folder.rows();
    folder.advance(60);
    const { keys, lines } = await folder.node(seeded(SEED.toUpperCase()));
    expect(await keys.check()).toBe(KEY_ID);
    expect(await folder.rows()).toEqual(before);
    expect(lines).toEqual([]);
  });

  it('is not in the store, not even sealed', async () => {
    const { keys } = await folder.node(seeded(SEED));
    await keys.sign(HASH);
    expect((await folder.rows()).map(({ sealedSeed }) => sealedSeed)).toEqual([null]);
    expectAbsent(SEED);
  });

  it('replaces the former key, and becomes active again when it is configured again', async () => {
    await folder.node(seeded(SEED));
    folder.advance(1);
    await folder.node(seeded(OTHER_SEED));
    expect(await states()).toEqual([
      [OTHER_KEY_ID, 'active', 'configured'],
      [KEY_ID, 'retired', 'configured'],
    ]);
    folder.advance(1);
    const { keys } = await folder.node(seeded(SEED));
    expect((await states()).map(([keyId, status]) => [keyId, status])).toEqual([
      [KEY_ID, 'active'],
      [OTHER_KEY_ID, 'retired'],
    ]);
    expect((await keys.list()).map(({ status }) => status)).toEqual(['active', 'retired']);
  });

  it('replaces a key that the development profile generated', async () => {
    await folder.node();
    folder.advance(1);
    const { keys } = await folder.node(seeded(SEED));
    expect((await keys.sign(HASH)).keyId).toBe(KEY_ID);
    expect((await states()).map(([, ...rest]) => rest)).toEqual([
      ['active', 'configured'],
      ['retired', 'development'],
    ]);
  });

  it('signs on its node while another node has another seed; only a start changes states', async () => {
    const one = await folder.node(seeded(SEED));
    folder.advance(1);
    const other = await folder.node(seeded(OTHER_SEED));
    const after = await states();
    for (let round = 0; round < 3; round++) {
      folder.advance(CACHE_SECONDS + 1);
      expect((await one.keys.sign(HASH)).keyId).toBe(KEY_ID);
      expect((await other.keys.sign(HASH)).keyId).toBe(OTHER_KEY_ID);
    }
    expect(await states()).toEqual(after);
    expect((await one.keys.list()).map(({ status }) => status)).toEqual(['active', 'retired']);
  });

  it('that is revoked makes the start fail', async () => {
    await folder.node(seeded(SEED));
    await revokeCredentialKey(KEY_ID, await folder.operator());
    const failure = await folder.node(seeded(SEED)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'issuer_key.revoked', spec: { exit: 78 } });
    expect(String(failure)).not.toContain(SEED);
  });

  it('stops signing on a running node within storage.cacheSeconds once it is revoked', async () => {
    const { keys } = await folder.node(seeded(SEED));
    await revokeCredentialKey(KEY_ID, await folder.operator());
    expect((await keys.sign(HASH)).keyId).toBe(KEY_ID);
    folder.advance(CACHE_SECONDS + 1);
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'issuer_key.revoked' });
    await expect(keys.check()).rejects.toMatchObject({ code: 'issuer_key.revoked' });
    expect((await keys.list()).map(({ status }) => status)).toEqual(['revoked']);
  });

  it('whose row has another public key makes the start fail', async () => {
    const row = { ...(await rowOf(OTHER_SEED)), keyId: KEY_ID };
    await folder.store.issuerKeys.activate(row, OTHER_KEY_ID, START);
    await expect(folder.node(seeded(SEED))).rejects.toMatchObject({ code: 'issuer_key.cannot_open' });
  });

  async function rowOf(seed: string): Promise<IssuerKeyRow> {
    await folder.node(seeded(seed));
    const [row] = await folder.rows();
    if (row === undefined) throw new Error('no row');
    return row;
  }
});

describe('no configured seed', () => {
  it('in development, generates a key once and reuses it at the next start', async () => {
    const { keys, lines } = await folder.node();
    const row = await onlyRow();
    expect(row).toMatchObject({
      status: 'active',
      origin: 'development',
      registeredAt: START,
      retiredAt: null,
    });
    expect(lines).toEqual([{ level: 'info', event: 'issuer_key.created', keyId: row.keyId }]);
    const first = await keys.sign(HASH);
    const again = await folder.node();
    expect(await again.keys.sign(HASH)).toEqual(first);
    expect(again.lines).toEqual([]);
    expect(first.keyId).toBe(row.keyId);
  });

  it('keeps the seed sealed at rest, so that no file contains its bytes or its text', async () => {
    await folder.node();
    const seed = await openSeed(await onlyRow());
    expect(isDevelopmentKey(Buffer.from(seed).toString('base64'))).toBe(true);
    expectAbsent(Buffer.from(seed).toString('hex'));
    expect(folder.files().includes((await onlyRow()).sealedSeed)).toBe(true);
  });

  it('in production, makes the start fail without an active key', async () => {
    const settings = production();
    await expect(folder.node({ settings })).rejects.toMatchObject({ code: 'issuer_key.none' });
    expect(await folder.rows()).toEqual([]);
  });

  it('in production, signs with the key of a rotation, which is not marked as a development key', async () => {
    const settings = production();
    const { active, former } = await rotateCredentialKey(await folder.operator(settings), undefined);
    expect(former).toBeUndefined();
    const row = await onlyRow();
    expect(row).toMatchObject({ keyId: active.keyId, origin: 'generated', status: 'active' });
    const seed = await openSeed(row, settings['keys.masterKey']);
    expect(isDevelopmentKey(Buffer.from(seed).toString('base64'))).toBe(false);
    expectAbsent(Buffer.from(seed).toString('hex'));
    const { keys } = await folder.node({ settings });
    expect((await keys.sign(HASH)).keyId).toBe(active.keyId);
  });

  it('in production, cannot sign with an active key whose seed was configured before', async () => {
    await folder.node(seeded(SEED));
    await expect(folder.node({ settings: production() })).rejects.toMatchObject({ code: 'issuer_key.none' });
    const { keys } = await folder.node();
    expect((await states()).map(([, ...rest]) => rest)).toEqual([
      ['active', 'development'],
      ['retired', 'configured'],
    ]);
    expect((await keys.sign(HASH)).keyId).not.toBe(KEY_ID);
  });

  it('gives nodes that start at the same time one common key', async () => {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => folder.node()));
    const { keyId } = await onlyRow();
    const signed = await Promise.all(nodes.map(({ keys }) => keys.sign(HASH)));
    expect(new Set(signed.map((one) => one.keyId))).toEqual(new Set([keyId]));
    expect(nodes.flatMap(({ lines }) => lines)).toHaveLength(1);
  });
});

describe('a rotation', () => {
  it('is followed by a running node within storage.cacheSeconds', async () => {
    const { keys } = await folder.node();
    const { keyId: before } = await keys.sign(HASH);
    folder.advance(1);
    const { active, former } = await rotateCredentialKey(await folder.operator(), undefined);
    expect(former?.keyId).toBe(before);
    expect((await keys.sign(HASH)).keyId).toBe(before);
    folder.advance(CACHE_SECONDS + 1);
    expect((await keys.sign(HASH)).keyId).toBe(active.keyId);
    expect(await keys.check()).toBe(active.keyId);
    expect((await keys.list()).map(({ status }) => status)).toEqual(['active', 'retired']);
  });

  it('is refused with a configured seed, which the next start would make active again', async () => {
    await folder.node(seeded(SEED));
    const before = await states();
    const attempt = rotateCredentialKey(await folder.operator(), SEED);
    await expect(attempt).rejects.toMatchObject({ code: 'issuer_key.configured' });
    expect(await states()).toEqual(before);
  });

  it('succeeds once if two run at the same time, and the other changes nothing', async () => {
    await folder.node();
    const operators = await Promise.all([folder.operator(), folder.operator()]);
    const results = await Promise.allSettled(operators.map((one) => rotateCredentialKey(one, undefined)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { code?: string }).code)).toEqual(['issuer_key.changed']);
    expect((await states()).map(([, status]) => status)).toEqual(['active', 'retired']);
  });

  it('does not change the keys of another issuer schema', async () => {
    const settings = { 'refresh.issuerSchemaId': '18446744073709551615' };
    await folder.node();
    const [before] = await folder.rows();
    const { keys } = await folder.node({ settings });
    await rotateCredentialKey(await folder.operator(settings), undefined);
    expect(await folder.rows()).toEqual([before]);
    folder.advance(CACHE_SECONDS + 1);
    const listed = await keys.list();
    expect(listed.map(({ status }) => status)).toEqual(['active', 'retired']);
    expect(issuerKeysDocument(listed)).toBe(
      `{"keys":[${listed
        .map(
          ({ pk: [x, y], status }) =>
            `{"issuer_schema_id":18446744073709551615,"pk":["${x}","${y}"],"status":"${status}"}`,
        )
        .join(',')}]}`,
    );
  });
});

describe('a revocation', () => {
  it('deletes the seed in the store and stops the signing of running nodes', async () => {
    const { keys } = await folder.node();
    const { keyId } = await onlyRow();
    const result = await revokeCredentialKey(keyId, await folder.operator());
    expect(result.revoked.map((row) => [row.keyId, row.status])).toEqual([[keyId, 'active']]);
    expect(result.unsigned).toEqual(['1']);
    expect(await folder.rows()).toMatchObject([{ keyId, status: 'revoked', sealedSeed: null }]);
    folder.advance(CACHE_SECONDS + 1);
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'issuer_key.none' });
    await expect(keys.check()).rejects.toMatchObject({ code: 'issuer_key.none' });
  });

  it('of a retired key does not affect the active one', async () => {
    await folder.node();
    const { keyId } = await onlyRow();
    folder.advance(1);
    const operator = await folder.operator();
    const { active } = await rotateCredentialKey(operator, undefined);
    const result = await revokeCredentialKey(keyId, operator);
    expect(result.unsigned).toEqual([]);
    expect((await states()).map(([id, status]) => [id, status])).toEqual([
      [active.keyId, 'active'],
      [keyId, 'revoked'],
    ]);
  });

  it('applies to every issuer schema that has the key', async () => {
    await folder.node(seeded(SEED));
    await folder.node({ settings: { ...seeded(SEED).settings, 'refresh.issuerSchemaId': '7' } });
    const { unsigned } = await revokeCredentialKey(KEY_ID, await folder.operator());
    expect(unsigned).toEqual(['1', '7']);
    expect((await folder.store.issuerKeys.listAll()).map(({ status }) => status)).toEqual([
      'revoked',
      'revoked',
    ]);
  });

  it('of an unknown key is refused', async () => {
    const operator = await folder.operator();
    await expect(revokeCredentialKey(KEY_ID, operator)).rejects.toMatchObject({ code: 'issuer_key.unknown' });
  });

  it('is followed by normal service after a rotation', async () => {
    const { keys } = await folder.node();
    const operator = await folder.operator();
    await revokeCredentialKey((await onlyRow()).keyId, operator);
    const { active } = await rotateCredentialKey(operator, undefined);
    folder.advance(CACHE_SECONDS + 1);
    expect((await keys.sign(HASH)).keyId).toBe(active.keyId);
  });
});

describe('the master key', () => {
  it('that replaces another reseals the seed if the other one is configured as previous', async () => {
    const [old, present] = [key32(), key32()];
    const first = await (await folder.node({ settings: { 'keys.masterKey': old } })).keys.sign(HASH);
    const before = await onlyRow();
    const both = { 'keys.masterKey': present, 'keys.masterKeyPrevious': old };
    const { lines } = await folder.node({ settings: both });
    expect(lines).toEqual([{ level: 'info', event: 'issuer_key.resealed', keyId: before.keyId }]);
    expect((await onlyRow()).sealedSeed).not.toBe(before.sealedSeed);
    const alone = await folder.node({ settings: { 'keys.masterKey': present } });
    expect(await alone.keys.sign(HASH)).toEqual(first);
  });

  it('that opens no seed makes the start fail, with an error that names only the key id', async () => {
    await folder.node({ settings: { 'keys.masterKey': key32() } });
    const { keyId } = await onlyRow();
    await expect(folder.node({ settings: { 'keys.masterKey': key32() } })).rejects.toMatchObject({
      code: 'issuer_key.cannot_open',
      message: `credential key ${keyId}: its seed is sealed under another master key`,
    });
  });

  it('is replaced for the seeds of retired keys too, even while refresh is disabled', async () => {
    const [old, present] = [key32(), key32()];
    await folder.node({ settings: { 'keys.masterKey': old } });
    await rotateCredentialKey(await folder.operator({ 'keys.masterKey': old }), undefined);
    const both = { 'keys.masterKey': present, 'keys.masterKeyPrevious': old, 'refresh.enabled': 'false' };
    expect((await folder.node({ settings: both })).lines).toHaveLength(2);
    for (const row of await folder.rows()) {
      expect(await openSeed({ ...row, sealedSeed: row.sealedSeed ?? '' }, present)).toHaveLength(32);
    }
  });
});

describe('a row that was altered', () => {
  it.each([
    ['is that of another key', () => randomBytes(32)],
    ['is too short', () => randomBytes(31)],
  ])('so that its sealed seed %s stops the start and a running node', async (_what, draw) => {
    const masterKey = key32();
    const settings = { 'keys.masterKey': masterKey };
    const { keys } = await folder.node({ settings });
    const { keyId, sealedSeed } = await onlyRow();
    const sealed = await createByteSealer(Buffer.from(masterKey, 'base64url')).seal(draw());
    await folder.store.issuerKeys.reseal('1', keyId, sealedSeed, sealed);
    folder.advance(CACHE_SECONDS + 1);
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'issuer_key.cannot_open' });
    await expect(folder.node({ settings })).rejects.toMatchObject({ code: 'issuer_key.cannot_open' });
    await folder.store.issuerKeys.reseal('1', keyId, sealed, sealedSeed);
    folder.advance(CACHE_SECONDS + 1);
    expect((await keys.sign(HASH)).keyId).toBe(keyId);
  });

  it('so that its sealed seed is broken text stops the start, with an error that does not repeat it', async () => {
    await folder.node();
    const { keyId, sealedSeed } = await onlyRow();
    await folder.store.issuerKeys.reseal('1', keyId, sealedSeed, 'broken-text');
    const failure = await folder.node().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'issuer_key.cannot_open' });
    expect(String(failure)).not.toContain('broken-text');
  });
});

describe('a signature that does not verify', () => {
  it('is never returned, and causes an error and an alarm', async () => {
    const { keys, lines } = await folder.node({
      settings: seeded(SEED).settings,
      engine: { signCredentialHash: () => Promise.resolve(new Uint8Array(64).fill(1)) },
    });
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'refresh.signature_fault' });
    expect(lines.at(-1)).toEqual({ level: 'fatal', event: 'refresh.signature_fault', keyId: KEY_ID });
  });

  it('is detected when another key made it', async () => {
    const other = await folder.node(seeded(OTHER_SEED));
    const { keys } = await folder.node({
      settings: seeded(SEED).settings,
      engine: { signCredentialHash: async (_id, hash) => (await other.keys.sign(hash)).signature },
    });
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'refresh.signature_fault' });
  });
});

describe('refresh switched off by its setting', () => {
  it('needs no key, generates none, signs nothing and still lists keys', async () => {
    await folder.node(seeded(SEED));
    const settings = { ...production(), 'refresh.enabled': 'false' };
    const { keys } = await folder.node({ settings });
    expect(await keys.check()).toBeUndefined();
    expect((await keys.list()).map(({ status }) => status)).toEqual(['active']);
    await expect(keys.sign(HASH)).rejects.toMatchObject({ code: 'refresh.disabled' });
    expect(await states()).toHaveLength(1);
  });
});

describe('ages', () => {
  it('count from registration and from retirement, and omit revoked keys', async () => {
    const { keys } = await folder.node();
    const { keyId } = await onlyRow();
    folder.advance(100);
    const operator = await folder.operator();
    await rotateCredentialKey(operator, undefined);
    folder.advance(10);
    expect(await keys.ages()).toEqual([
      { use: 'credential', state: 'active', ageSeconds: 10, endsInSeconds: undefined },
      { use: 'credential', state: 'retired', ageSeconds: 10, endsInSeconds: undefined },
    ]);
    await revokeCredentialKey(keyId, operator);
    folder.advance(CACHE_SECONDS + 1);
    expect((await keys.ages()).map(({ state }) => state)).toEqual(['active']);
  });
});

/** Opens the seed of a row, by default with the master key that the development profile generated. */
async function openSeed(row: { readonly sealedSeed: string }, masterKey?: string): Promise<Uint8Array> {
  const { sealer } = await folder.operator(masterKey === undefined ? {} : { 'keys.masterKey': masterKey });
  const opened = await sealer.open(row.sealedSeed);
  if (opened === undefined) throw new Error('expected a seed that the master key opens');
  return opened.bytes;
}

function expectAbsent(seedHex: string): void {
  const files = folder.files();
  const seed = Buffer.from(seedHex, 'hex');
  expect(files.includes(seed)).toBe(false);
  for (const text of [seedHex, seedHex.toUpperCase(), seed.toString('base64'), seed.toString('base64url')]) {
    expect(files.includes(text)).toBe(false);
  }
  expect(files.length).toBeGreaterThan(10_000);
}
