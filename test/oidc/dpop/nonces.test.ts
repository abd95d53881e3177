// Rules: spec/sign-in.md#nonces-of-proofs
import { describe, expect, it } from 'vitest';
import type { KeyConfig } from '../../../src/apps/index.ts';
import { createDpopNonces } from '../../../src/oidc/dpop/check-proof.ts';

const WINDOW_MS = 300_000;
const [FIRST, SECOND] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

function configOf(masterKey: string | undefined, masterKeyPrevious?: string): KeyConfig {
  const keys = { masterKey, masterKeyPrevious };
  return { profile: 'production', dataDir: '/nowhere', keys, apps: {} } as KeyConfig;
}

describe('the nonces of proofs', () => {
  it('are equal on all nodes with the same master key, and say when they end', () => {
    const [one, other] = [1, 2].map(() => createDpopNonces(configOf(FIRST), () => 10 * WINDOW_MS));
    const nonce = one?.current() ?? '';
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(other?.endOf(nonce)).toBe(12 * WINDOW_MS);
  });

  it('are valid in their window and the next', () => {
    const at = (now: number) => createDpopNonces(configOf(FIRST), () => now);
    const nonce = at(10 * WINDOW_MS).current();
    expect(at(11 * WINDOW_MS - 1).current()).toBe(nonce);
    expect(at(11 * WINDOW_MS).current()).not.toBe(nonce);
    for (const [now, end] of [
      [10 * WINDOW_MS - 1, undefined],
      [10 * WINDOW_MS, 12 * WINDOW_MS],
      [12 * WINDOW_MS - 1, 12 * WINDOW_MS],
      [12 * WINDOW_MS, undefined],
    ] as const) {
      expect([now, at(now).endOf(nonce)]).toEqual([now, end]);
    }
  });

  it('are refused under another master key, and accepted under the former one', () => {
    const under = (...keys: [string | undefined, string?]) => createDpopNonces(configOf(...keys), () => 0);
    const nonce = under(FIRST).current();
    expect(under(SECOND).endOf(nonce)).toBeUndefined();
    expect(under(SECOND, FIRST).endOf(nonce)).toBe(2 * WINDOW_MS);
    expect(under(SECOND, FIRST).current()).toBe(under(SECOND).current());
  });
});
