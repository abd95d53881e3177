// Rules: spec/sign-in.md#key-set
import { beforeAll, describe, expect, it } from 'vitest';
import { createKeySet, type KeySet } from '../../../src/oidc/keys/key-set.ts';
import { createSealer, generateKey } from '../../../src/oidc/keys/sealed-keys.ts';
import type { SigningKeyRow } from '../../../src/storage/signin/signing-keys.ts';
import { CACHE, createClock, START } from './support/key-folder.ts';

let active: SigningKeyRow;
let newcomer: SigningKeyRow;

beforeAll(async () => {
  const parts = { sealer: createSealer(new Uint8Array(32)), isDevelopment: true, now: () => START };
  [active, newcomer] = await Promise.all([generateKey(parts), generateKey(parts)]);
});

interface CountedSet {
  readonly keySet: KeySet;
  readonly reads: () => number;
  readonly rows: SigningKeyRow[];
  readonly clock: ReturnType<typeof createClock>;
  fail(error: Error | undefined): void;
  /** Counts a change of the store. */
  change(): void;
}

function countedSet(cacheSeconds = CACHE): CountedSet {
  const clock = createClock();
  const rows = [active];
  let reads = 0;
  let changes = 0;
  let failure: Error | undefined;
  const store = {
    async list() {
      reads++;
      if (failure !== undefined) throw failure;
      return [...rows];
    },
  };
  const keySet = createKeySet({
    store,
    use: 'signin',
    cacheMs: cacheSeconds * 1000,
    now: clock.now,
    changes: { count: () => changes },
  });
  return {
    keySet,
    rows,
    clock,
    reads: () => reads,
    fail(error) {
      failure = error;
    },
    change: () => void changes++,
  };
}

/** Returns an unknown kid of valid form. */
const madeUp = (index: number): string => Buffer.alloc(32, index).toString('base64url');

describe('published key set', () => {
  it('is read once per storage.cacheSeconds, even by concurrent callers', async () => {
    const { keySet, reads, clock } = countedSet();
    await Promise.all([keySet.jwks(), keySet.rows(), keySet.verificationKey(active.kid)]);
    clock.advance(CACHE - 1);
    await keySet.jwks();
    expect(reads()).toBe(1);
    clock.advance(1);
    await keySet.jwks();
    expect(reads()).toBe(2);
  });

  it('is read again once this process has changed the store', async () => {
    const { keySet, rows, reads, change } = countedSet();
    await keySet.jwks();
    rows.push(newcomer);
    expect(await keySet.rows()).toHaveLength(1);
    change();
    expect(await keySet.rows()).toHaveLength(2);
    expect(reads()).toBe(2);
  });

  it('is read each time if nothing may be cached', async () => {
    const { keySet, reads } = countedSet(0);
    await keySet.jwks();
    await keySet.jwks();
    expect(reads()).toBe(2);
  });

  it('is read at least once a minute, however long storage.cacheSeconds is', async () => {
    const { keySet, reads, clock } = countedSet(3600);
    await keySet.jwks();
    clock.advance(60);
    await keySet.jwks();
    expect(reads()).toBe(2);
  });

  it('is read again when the clock was set back', async () => {
    const { keySet, reads, clock } = countedSet();
    await keySet.jwks();
    clock.advance(-3600);
    await keySet.jwks();
    expect(reads()).toBe(2);
  });

  it('finds a key that another process published a moment ago', async () => {
    const { keySet, rows, clock } = countedSet();
    await keySet.jwks();
    rows.push(newcomer);
    clock.advance(1);
    expect(await keySet.verificationKey(newcomer.kid)).toBeDefined();
  });

  it('is read at most once a second for a flood of unknown kids', async () => {
    const { keySet, reads, clock } = countedSet();
    await keySet.jwks();
    for (let second = 0; second < 3; second++) {
      clock.advance(1);
      const found = await Promise.all(
        Array.from({ length: 200 }, (_, i) => keySet.verificationKey(madeUp(i))),
      );
      expect(found.every((key) => key === undefined)).toBe(true);
      for (let index = 0; index < 50; index++) await keySet.verificationKey(madeUp(index));
    }
    expect(reads()).toBe(4);
  });

  it.each([
    '',
    'x',
    `${'A'.repeat(43)}=`,
    'A'.repeat(44),
    `${'A'.repeat(42)}/`,
    '__proto__',
    `${'A'.repeat(42)}\u0000`,
  ])('is not read at all for %j, which cannot be a kid', async (kid) => {
    const { keySet, reads } = countedSet();
    expect(await keySet.verificationKey(kid)).toBeUndefined();
    expect(reads()).toBe(0);
  });

  it('forgets a key that was removed, also one that verified before', async () => {
    const { keySet, rows, clock } = countedSet();
    expect(await keySet.verificationKey(active.kid)).toBeDefined();
    rows.length = 0;
    clock.advance(CACHE);
    expect(await keySet.verificationKey(active.kid)).toBeUndefined();
  });

  it('is read again if the read in flight began before the change', async () => {
    const { keySet, rows, reads } = countedSet();
    const early = keySet.jwks();
    const late = keySet.reread();
    rows.push(newcomer);
    await early;
    expect((await late).map(({ kid }) => kid)).toEqual([active.kid, newcomer.kid]);
    expect(reads()).toBe(2);
  });

  it('fails while the store is unreachable, and recovers', async () => {
    const { keySet, fail } = countedSet();
    fail(new Error('gone'));
    await expect(keySet.verificationKey(active.kid)).rejects.toThrow('gone');
    await expect(keySet.jwks()).rejects.toThrow('gone');
    fail(undefined);
    expect((await keySet.jwks()).keys).toHaveLength(1);
  });

  it('never publishes a private member, even if one is stored', async () => {
    const { keySet, rows } = countedSet();
    rows[0] = { ...active, publicJwk: JSON.stringify({ ...JSON.parse(active.publicJwk), d: 'planted' }) };
    expect(JSON.stringify(await keySet.jwks())).not.toContain('planted');
  });
});
