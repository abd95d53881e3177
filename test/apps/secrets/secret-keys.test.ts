import { hkdfSync } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSecretKeys, secretKeyId, secretKeysOf } from '../../../src/apps/index.ts';
import { type Config, loadConfig } from '../../../src/config/index.ts';
import { environmentOf } from '../../support/server/environment-of.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-secret-keys-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const text = (fill: number): string => Buffer.from(bytes(fill)).toString('base64url');
const derived = (fill: number): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', bytes(fill), '', 'proofgate client secret v1', 32));

async function configOf(settings: Record<string, string>): Promise<Config> {
  const env = environmentOf({ dataDir: join(folder, 'data'), ...settings });
  return (await loadConfig({ env, cwd: folder })).config;
}

const MASTER = { 'keys.masterKey': text(1) };
const FORMER_MASTER = { 'keys.masterKeyPrevious': text(2) };
const HMAC = { 'apps.secretHmacKey': text(3) };
const FORMER_HMAC = { 'apps.secretHmacKeyPrevious': text(4) };

describe('the keys under which a client secret is taken', () => {
  it.each<[what: string, settings: Record<string, string>, current: Uint8Array, former: Uint8Array[]]>([
    ['a master key alone', MASTER, derived(1), []],
    ['a rotated master key', { ...MASTER, ...FORMER_MASTER }, derived(1), [derived(2)]],
    ['a key of its own, set for the first time', { ...MASTER, ...HMAC }, bytes(3), [derived(1)]],
    [
      'a key of its own that was changed',
      { ...MASTER, ...HMAC, ...FORMER_HMAC },
      bytes(3),
      [bytes(4), derived(1)],
    ],
    ['a key of its own that was removed', { ...MASTER, ...FORMER_HMAC }, derived(1), [bytes(4)]],
    [
      'a key of its own, set while the master key was rotated',
      { ...MASTER, ...FORMER_MASTER, ...HMAC },
      bytes(3),
      [derived(2), derived(1)],
    ],
    [
      'all of it at once',
      { ...MASTER, ...FORMER_MASTER, ...HMAC, ...FORMER_HMAC },
      bytes(3),
      [bytes(4), derived(2), derived(1)],
    ],
    [
      'a former value that is the present one',
      { ...MASTER, 'keys.masterKeyPrevious': text(1), ...HMAC, 'apps.secretHmacKeyPrevious': text(3) },
      bytes(3),
      [derived(1)],
    ],
  ])('%s', async (_what, settings, current, former) => {
    const config = await configOf(settings);
    expect(secretKeysOf(config)).toEqual({ current, former });
    expect(findSecretKeys(config)).toEqual({ current, former });
  });

  it('are not made up by a look at them', async () => {
    const config = await configOf({});
    expect(findSecretKeys(config)).toBeUndefined();
    expect(existsSync(join(folder, 'data'))).toBe(false);
    const made = secretKeysOf(config);
    expect(findSecretKeys(config)).toEqual(made);
  });

  it('have ids that tell them apart and are not part of them', () => {
    expect(secretKeyId(bytes(1))).toMatch(/^[0-9a-f]{16}$/);
    expect(secretKeyId(bytes(1))).toBe(secretKeyId(bytes(1)));
    expect(secretKeyId(bytes(1))).not.toBe(secretKeyId(bytes(2)));
    expect(Buffer.from(bytes(1)).toString('hex')).not.toContain(secretKeyId(bytes(1)));
  });
});
