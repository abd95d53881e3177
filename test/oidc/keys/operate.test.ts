// Rules: spec/sign-in.md#key-states
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyOperator, removeKey, rotateNow } from '../../../src/oidc/keys/operate.ts';
import type { KeyOperator } from '../../../src/oidc/keys/rotation.ts';
import type { SigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { opened } from '../../support/opened.ts';
import { expectRejected } from '../../support/rejects.ts';
import {
  CACHE,
  type KeyFolder,
  LEAD,
  makeKeyFolder,
  makeTemplate,
  RETIREMENT,
} from './support/key-folder.ts';

let folder: KeyFolder;
let keys: SigningKeys;
let operator: KeyOperator;

const template = opened(makeTemplate, 'remove');

beforeEach(async () => {
  folder = await makeKeyFolder(template);
  keys = await folder.open();
  operator = createKeyOperator(folder.store.signingKeys, await folder.config(), folder.clock.now);
});

afterEach(async () => {
  await folder.remove();
});

async function kids(): Promise<string[]> {
  return (await folder.rows()).map(({ kid }) => kid);
}

describe('manual rotation', () => {
  it('is refused while the next key is younger than its lead, and reports when that key may sign', async () => {
    const before = await folder.rows();
    folder.clock.advance(LEAD - 1);
    await expect(rotateNow(operator, false)).rejects.toMatchObject({
      code: 'signing_key.too_young',
      message: `key ${before[1]?.kid} may sign from 2026-06-02T12:00:00.000Z`,
    });
    expect(await folder.rows()).toEqual(before);
  });

  it('succeeds after the lead, whatever the age of the active key, and keeps that key published', async () => {
    const [first, second] = await kids();
    folder.clock.advance(LEAD);
    await keys.jwks();
    const change = await rotateNow(operator, false);
    expect(change).toEqual({ activeKid: second, nextKid: expect.any(String), isEarly: false });
    const rows = await folder.rows();
    expect(rows.map(({ kid, state }) => [kid, state])).toEqual([
      [second, 'active'],
      [change.nextKid, 'next'],
      [first, 'retired'],
    ]);
    expect(rows[2]?.expiresAt).toBe(folder.clock.now() + RETIREMENT * 1000);
    expect((await keys.jwks()).keys).toHaveLength(2);
    folder.clock.advance(CACHE);
    expect((await keys.jwks()).keys.map(({ kid }) => kid)).toEqual([second, change.nextKid, first]);
  });

  it('can be forced, and reports that it was early', async () => {
    const [, second] = await kids();
    expect(await rotateNow(operator, true)).toMatchObject({ activeKid: second, isEarly: true });
    expect((await kids())[0]).toBe(second);
  });

  it('fails if a concurrent rotation was faster', async () => {
    const outcomes = await Promise.allSettled([
      rotateNow(operator, true),
      rotateNow(operator, true),
      rotateNow(operator, true),
    ]);
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    expect(lost.length).toBeGreaterThan(0);
    for (const outcome of lost) {
      expect(outcome).toMatchObject({ reason: { code: 'signing_key.changed' } });
    }
    expect((await folder.rows()).filter(({ state }) => state === 'active')).toHaveLength(1);
    expect((await folder.rows()).filter(({ state }) => state === 'next')).toHaveLength(1);
  });

  it('fails if there are no keys', async () => {
    const store = { ...folder.store.signingKeys, list: async () => [] };
    await expect(rotateNow({ ...operator, store }, true)).rejects.toMatchObject({ code: 'signing_key.none' });
  });
});

describe('removal', () => {
  it('of the active key activates the next one, and unpublishes the removed one', async () => {
    const [first, second] = (await kids()) as [string, string];
    const change = await removeKey(first, operator);
    expect(change).toEqual({ activeKid: second, nextKid: expect.any(String), isEarly: true });
    expect(await kids()).toEqual([second, change.nextKid]);
    folder.clock.advance(CACHE);
    expect(await keys.verificationKey(first)).toBeUndefined();
    expect(await keys.check()).toBe(second);
  });

  it('of the active key is not early once the next one has been published for its lead', async () => {
    const [first] = (await kids()) as [string];
    folder.clock.advance(LEAD);
    expect(await removeKey(first, operator)).toMatchObject({ isEarly: false });
  });

  it('of the next key replaces it with a new one, which is published from then on', async () => {
    const [first, second] = (await kids()) as [string, string];
    folder.clock.advance(100);
    const change = await removeKey(second, operator);
    expect(change).toMatchObject({ activeKid: first, isEarly: false });
    expect(await kids()).toEqual([first, change.nextKid]);
    expect((await folder.rows())[1]?.createdAt).toBe(folder.clock.now());
  });

  it('of a retired key leaves the two others', async () => {
    const [first, second] = (await kids()) as [string, string];
    const { nextKid } = await rotateNow(operator, true);
    expect(await removeKey(first, operator)).toEqual({ activeKid: second, nextKid, isEarly: false });
    expect(await kids()).toEqual([second, nextKid]);
  });

  it('refuses a kid that is not published', async () => {
    const before = await folder.rows();
    for (const kid of ['', 'x', 'A'.repeat(43)]) {
      await expect(removeKey(kid, operator)).rejects.toMatchObject({ code: 'signing_key.unknown' });
    }
    expect(await folder.rows()).toEqual(before);
  });

  it.each(['active', 'next', 'retired'] as const)(
    'of the %s key fails and changes nothing if a concurrent removal was faster',
    async (state) => {
      await rotateNow(operator, true);
      const rows = await folder.rows();
      const kid = rows.find((row) => row.state === state)?.kid ?? '';
      const outdated = { ...folder.store.signingKeys, list: async () => [...rows] };
      await removeKey(kid, operator);
      const after = await folder.rows();
      await expectRejected(removeKey(kid, { ...operator, store: outdated }), 'signing_key.changed');
      expect(await folder.rows()).toEqual(after);
    },
  );

  it('works with a master key that opens no stored key, so that development keys can leave a production store', async () => {
    const config = await folder.config({ 'keys.masterKey': Buffer.alloc(32, 1).toString('base64') });
    const production = createKeyOperator(
      folder.store.signingKeys,
      { ...config, profile: 'production' },
      folder.clock.now,
    );
    for (const kid of await kids()) await removeKey(kid, production);
    expect((await folder.rows()).map(({ isDevelopment, state }) => [isDevelopment, state])).toEqual([
      [false, 'active'],
      [false, 'next'],
    ]);
  });
});
