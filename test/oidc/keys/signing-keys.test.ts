// Rules: spec/sign-in.md#signing-keys
import { randomBytes } from 'node:crypto';
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
} from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../../src/oidc/keys/sealed-keys.ts';
import { createSigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { RUNS_ALL } from '../../support/cases.ts';
import { opened } from '../../support/opened.ts';
import {
  CACHE,
  type KeyFolder,
  LEAD,
  makeKeyFolder,
  makeTemplate,
  PERIOD,
  RETIREMENT,
  START,
} from './support/key-folder.ts';

let folder: KeyFolder;

const template = opened(makeTemplate, 'remove');

/** Gives each test a folder with a copy of the template, which has keys, or with an empty store. */
function withFolder(from: () => KeyFolder | undefined): void {
  beforeEach(async () => {
    folder = await makeKeyFolder(from());
  });
  afterEach(() => folder.remove());
}

const key32 = (): string => randomBytes(32).toString('base64url');

async function stateOf(kid: string): Promise<string> {
  return (await folder.rows()).find((row) => row.kid === kid)?.state ?? 'gone';
}

describe('first start', () => {
  withFolder(() => undefined);

  it('makes one active key and one next key', async () => {
    const keys = await folder.open();
    const rows = await folder.rows();
    expect(rows.map(({ state }) => state)).toEqual(['active', 'next']);
    expect(rows[0]?.activatedAt).toBe(START);
    expect(rows[1]?.activatedAt).toBeNull();
    expect(await keys.check()).toBe(rows[0]?.kid);
  });

  it('publishes both with public members only, and with the RFC 7638 thumbprint as kid', async () => {
    const { keys } = await (await folder.open()).jwks();
    expect(keys.map(({ kid }) => kid)).toEqual((await folder.rows()).map(({ kid }) => kid));
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' });
      expect(Buffer.from(key.n ?? '', 'base64url')).toHaveLength(256);
      expect(await calculateJwkThumbprint(key)).toBe(key.kid);
    }
  });

  it('seals private keys, and marks them as development keys outside production', async () => {
    await folder.open();
    for (const row of await folder.rows()) {
      expect(row).toMatchObject({ isSealed: true, isDevelopment: true });
      expect(decodeProtectedHeader(row.privateJwk)).toEqual({ alg: 'dir', enc: 'A256GCM' });
      expect(row.publicJwk).not.toContain('"d"');
    }
  });

  it('does not mark keys in production', async () => {
    const config = await folder.config({ 'keys.masterKey': key32() });
    await createSigningKeys({
      store: folder.store.signingKeys,
      config: { ...config, profile: 'production' },
      now: folder.clock.now,
    });
    expect((await folder.rows()).map(({ isDevelopment }) => isDevelopment)).toEqual([false, false]);
  });

  if (RUNS_ALL) {
    it('of several processes at the same time makes the same two keys for all', async () => {
      const all = await Promise.all([folder.open(), folder.open(), folder.open()]);
      const sets = await Promise.all(all.map((keys) => keys.jwks()));
      expect(await folder.rows()).toHaveLength(2);
      for (const set of sets) expect(set).toEqual(sets[0]);
    });
  }
});

describe('signing', () => {
  withFolder(() => template);

  it('makes an RS256 JWS of the requested type with the active key, which the published set verifies', async () => {
    const keys = await folder.open();
    const [active] = (await keys.jwks()).keys;
    for (const typ of ['JWT', 'at+jwt'] as const) {
      const token = await keys.sign(typ, { sub: 'someone' });
      expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ, kid: active?.kid });
      const key = await importJWK(active as JWK, 'RS256');
      expect((await jwtVerify(token, key)).payload).toEqual({ sub: 'someone' });
    }
  });
});

describe('restart', () => {
  withFolder(() => template);

  it.each([
    ['after the first start', 0],
    ['after one rotation', 1],
    ['after two rotations', 2],
  ])('%s keeps every key in its state, and verifies what was signed before', async (_when, rotations) => {
    const before = await folder.open();
    const tokens: string[] = [];
    for (let count = 0; count < rotations; count++) {
      tokens.push(await before.sign('JWT', { count }));
      folder.clock.advance(PERIOD);
      await before.rotateIfDue();
    }
    tokens.push(await before.sign('JWT', {}));
    const rows = await folder.rows();
    const after = await folder.open();
    expect(await folder.rows()).toEqual(rows);
    expect(await after.jwks()).toEqual(await before.jwks());
    const verifiable = tokens.slice(-2);
    for (const token of verifiable) {
      const key = await after.verificationKey(decodeProtectedHeader(token).kid ?? '');
      expect(key).toBeDefined();
      if (key !== undefined) await expect(jwtVerify(token, key)).resolves.toBeDefined();
    }
    expect(decodeProtectedHeader(await after.sign('JWT', {})).kid).toBe(rows[0]?.kid);
  });
});

describe('automatic rotation', () => {
  withFolder(() => template);

  it('moves every key to its next state, and drops the key retired before', async () => {
    const keys = await folder.open();
    const [first, second] = (await folder.rows()).map(({ kid }) => kid) as [string, string];
    folder.clock.advance(PERIOD);
    await keys.rotateIfDue();
    const rows = await folder.rows();
    const third = rows[1]?.kid ?? '';
    expect(rows.map(({ kid, state }) => [kid, state])).toEqual([
      [second, 'active'],
      [third, 'next'],
      [first, 'retired'],
    ]);
    expect(rows[2]?.expiresAt).toBe(folder.clock.now() + RETIREMENT * 1000);
    folder.clock.advance(PERIOD);
    await keys.rotateIfDue();
    expect(await Promise.all([first, second, third].map(stateOf))).toEqual(['gone', 'retired', 'active']);
  });

  it('waits for the age of the active key, counted from its activation', async () => {
    const keys = await folder.open();
    const [first, second] = await folder.rows();
    folder.clock.advance(PERIOD - 1);
    await keys.rotateIfDue();
    expect(await stateOf(first?.kid ?? '')).toBe('active');
    folder.clock.advance(1);
    await keys.rotateIfDue();
    expect(await stateOf(second?.kid ?? '')).toBe('active');
    folder.clock.advance(PERIOD - 1);
    await keys.rotateIfDue();
    expect(await stateOf(second?.kid ?? '')).toBe('active');
  });

  it('waits for the lead of the next key', async () => {
    const settings = { 'keys.rotationPeriodSeconds': '10' };
    const keys = await folder.open(settings);
    const [first] = await folder.rows();
    folder.clock.advance(LEAD - 1);
    await keys.rotateIfDue();
    expect(await stateOf(first?.kid ?? '')).toBe('active');
    folder.clock.advance(1);
    await keys.rotateIfDue();
    expect(await stateOf(first?.kid ?? '')).toBe('retired');
  });

  it('never happens with a period of 0', async () => {
    const keys = await folder.open({ 'keys.rotationPeriodSeconds': '0' });
    const before = await folder.rows();
    folder.clock.advance(10 * PERIOD);
    await keys.rotateIfDue();
    expect(await folder.rows()).toEqual(before);
  });

  it("happens once when processes race, and all of them sign with the winner's key", async () => {
    const all = await Promise.all([folder.open(), folder.open(), folder.open(), folder.open()]);
    const [, second] = await folder.rows();
    folder.clock.advance(PERIOD);
    await Promise.all(all.map((keys) => keys.rotateIfDue()));
    expect(await folder.rows()).toHaveLength(3);
    for (const keys of all) {
      expect(decodeProtectedHeader(await keys.sign('JWT', {})).kid).toBe(second?.kid);
      expect((await keys.jwks()).keys).toHaveLength(3);
    }
  });

  it('is seen by another process after storage.cacheSeconds, which until then signs with a published key', async () => {
    const [one, other] = await Promise.all([folder.open(), folder.open()]);
    const [first, second] = await folder.rows();
    folder.clock.advance(PERIOD - 1);
    await other.jwks();
    folder.clock.advance(1);
    await one.rotateIfDue();
    const late = await other.sign('JWT', {});
    expect(decodeProtectedHeader(late).kid).toBe(first?.kid);
    expect(await one.verificationKey(first?.kid ?? '')).toBeDefined();
    folder.clock.advance(CACHE);
    expect(decodeProtectedHeader(await other.sign('JWT', {})).kid).toBe(second?.kid);
  });

  it('drops a retired key when it expires, even between two reads of the store', async () => {
    const keys = await folder.open({ 'storage.cacheSeconds': '60' });
    const [first] = await folder.rows();
    folder.clock.advance(PERIOD);
    await keys.rotateIfDue();
    folder.clock.advance(RETIREMENT - 1);
    expect(await keys.verificationKey(first?.kid ?? '')).toBeDefined();
    folder.clock.advance(1);
    expect(await keys.verificationKey(first?.kid ?? '')).toBeUndefined();
    expect((await keys.jwks()).keys.map(({ kid }) => kid)).not.toContain(first?.kid);
  });
});

describe('master key', () => {
  withFolder(() => undefined);

  it('that replaces another reseals the keys if the other one is configured as previous', async () => {
    const [old, present] = [key32(), key32()];
    const token = await (await folder.open({ 'keys.masterKey': old })).sign('JWT', {});
    const before = await folder.rows();
    await folder.open({ 'keys.masterKey': present, 'keys.masterKeyPrevious': old });
    const after = await folder.rows();
    expect(after.map(({ kid, state }) => [kid, state])).toEqual(before.map(({ kid, state }) => [kid, state]));
    for (const [index, row] of after.entries()) expect(row.privateJwk).not.toBe(before[index]?.privateJwk);
    const alone = await folder.open({ 'keys.masterKey': present });
    expect(decodeProtectedHeader(await alone.sign('JWT', {})).kid).toBe(decodeProtectedHeader(token).kid);
  });

  it('that opens no key makes the start fail, with an error that names only the kid', async () => {
    await folder.open({ 'keys.masterKey': key32() });
    const [active] = await folder.rows();
    await expect(folder.open({ 'keys.masterKey': key32() })).rejects.toMatchObject({
      code: 'signing_key.cannot_open',
      message: `signing key ${active?.kid}: it is sealed under another master key`,
    });
  });

  it('need not open a retired key, which does not sign', async () => {
    const [old, present] = [key32(), key32()];
    const keys = await folder.open({ 'keys.masterKey': old });
    const token = await keys.sign('JWT', {});
    folder.clock.advance(PERIOD);
    await keys.rotateIfDue();
    const sealer = createSealer(Buffer.from(present, 'base64url'), Buffer.from(old, 'base64url'));
    for (const row of await folder.rows()) {
      if (row.state === 'retired') continue;
      const { jwk } = await sealer.open(row);
      await folder.store.signingKeys.reseal(row.kid, row.privateJwk, await sealer.seal(jwk));
    }
    const after = await folder.open({ 'keys.masterKey': present });
    const key = await after.verificationKey(decodeProtectedHeader(token).kid ?? '');
    expect(key).toBeDefined();
  });

  it('seals a key that is found unsealed at the next start', async () => {
    const settings = { 'keys.masterKey': key32() };
    await folder.open(settings);
    const sealer = createSealer(Buffer.from(settings['keys.masterKey'], 'base64url'));
    for (const row of await folder.rows()) {
      const { jwk } = await sealer.open(row);
      await folder.store.signingKeys.reseal(row.kid, row.privateJwk, JSON.stringify(jwk));
    }
    expect((await folder.rows()).map(({ isSealed }) => isSealed)).toEqual([false, false]);
    const keys = await folder.open(settings);
    expect((await folder.rows()).map(({ isSealed }) => isSealed)).toEqual([true, true]);
    expect(await keys.sign('JWT', {})).toMatch(/^ey/);
  });

  it('is generated in development and reused, so that tokens survive a restart', async () => {
    const token = await (await folder.open()).sign('JWT', {});
    const after = await folder.open();
    const key = await after.verificationKey(decodeProtectedHeader(token).kid ?? '');
    expect(key).toBeDefined();
    expect(decodeProtectedHeader(await after.sign('JWT', {})).kid).toBe(decodeProtectedHeader(token).kid);
  });
});

describe('a row that was altered', () => {
  withFolder(() => template);

  async function replacePrivate(text: string): Promise<string> {
    await folder.open();
    const [active] = await folder.rows();
    await folder.store.signingKeys.reseal(active?.kid ?? '', active?.privateJwk ?? '', text);
    return active?.kid ?? '';
  }

  function otherKey(part: 'publicKey' | 'privateKey') {
    return async () =>
      JSON.stringify(await exportJWK((await generateKeyPair('RS256', { extractable: true }))[part]));
  }

  it.each([
    ['is not JSON', '{'],
    ['is a public key', otherKey('publicKey')],
    ['is another key', otherKey('privateKey')],
    [
      'is a broken JWE',
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA',
    ],
  ])('so that its private part %s makes the start fail', async (_what, text) => {
    const kid = await replacePrivate(typeof text === 'string' ? text : await text());
    const failure = await folder.open().then(
      () => undefined,
      (error: Error & { code: string }) => error,
    );
    expect(failure).toMatchObject({ code: 'signing_key.cannot_open' });
    expect(failure?.message).toContain(kid);
    expect(failure?.message).not.toContain(text);
  });

  it('makes a running service unready as soon as it is read', async () => {
    const keys = await folder.open();
    const [active] = await folder.rows();
    await folder.store.signingKeys.reseal(active?.kid ?? '', active?.privateJwk ?? '', '{}');
    folder.clock.advance(CACHE);
    await expect(keys.check()).rejects.toMatchObject({ code: 'signing_key.cannot_open' });
    await expect(keys.sign('JWT', {})).rejects.toMatchObject({ code: 'signing_key.cannot_open' });
  });
});
