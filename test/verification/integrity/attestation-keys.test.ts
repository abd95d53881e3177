// Rules: spec/worldid4.md#integrity-bundle
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AttestationKeys,
  createAttestationKeys,
} from '../../../src/verification/integrity/attestation-keys.ts';
import type { KeySet } from '../../../src/verification/integrity/load-key-set.ts';

const DAY_MS = 24 * 3600 * 1000;
const UNAVAILABLE = { code: 'verify.integrity_failed', details: { rule: 'keys_unavailable' } };

describe('the cached keys of an issuer', () => {
  let now: number;
  let readings: number;
  let isDown: boolean;
  let failures: unknown[];
  let keys: AttestationKeys;

  beforeEach(() => {
    now = 1_800_000_000_000;
    readings = 0;
    isDown = false;
    failures = [];
    const load = async (): Promise<KeySet> => {
      readings++;
      if (isDown) throw new Error('down');
      return new Map();
    };
    keys = createAttestationKeys(
      load,
      () => now,
      (cause) => failures.push(cause),
    );
  });

  it('are read once for many callers, and again after a day', async () => {
    const [first, second] = await Promise.all([keys.current(), keys.current()]);
    expect(second).toBe(first);
    now += DAY_MS - 1;
    expect(await keys.current()).toBe(first);
    expect(readings).toBe(1);
    now += 1;
    expect(await keys.current()).not.toBe(first);
    expect(readings).toBe(2);
  });

  it('are read again for a token that fails, at most once per minute', async () => {
    const first = await keys.current();
    now += 59_999;
    expect(await keys.newerThan(first)).toBeUndefined();
    now += 1;
    const [second, third] = await Promise.all([keys.newerThan(first), keys.newerThan(first)]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(await keys.newerThan(first)).toBe(second);
    expect(await keys.newerThan(second ?? first)).toBeUndefined();
    expect(readings).toBe(2);
  });

  it('are not read again for 10 seconds after they could not be read', async () => {
    isDown = true;
    await expect(keys.current()).rejects.toMatchObject(UNAVAILABLE);
    isDown = false;
    now += 9999;
    await expect(keys.current()).rejects.toMatchObject(UNAVAILABLE);
    expect(readings).toBe(1);
    expect(failures).toEqual([expect.objectContaining({ message: 'down' })]);
    now += 1;
    await keys.current();
    expect(readings).toBe(2);
  });

  it('stay in use while newer ones cannot be read', async () => {
    const first = await keys.current();
    isDown = true;
    now += 60_000;
    await expect(keys.newerThan(first)).rejects.toMatchObject(UNAVAILABLE);
    await expect(keys.newerThan(first)).rejects.toMatchObject(UNAVAILABLE);
    expect(await keys.current()).toBe(first);
    expect(readings).toBe(2);
  });

  it('are not kept longer by a clock that is set back', async () => {
    const first = await keys.current();
    now -= DAY_MS;
    expect(await keys.current()).not.toBe(first);
  });
});
