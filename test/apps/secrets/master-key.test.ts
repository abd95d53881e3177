import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createByteSealer,
  type KeyConfig,
  masterKeyOf,
  previousMasterKeyOf,
} from '../../../src/apps/secrets/master-key.ts';
import { secretKeyOf } from '../../../src/apps/secrets/secrets.ts';
import { isDevelopmentKey } from '../../../src/config/sources/development-key.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { environmentOf } from '../../support/server/environment-of.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofgate-key-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const SET = Buffer.alloc(32, 0xfb);

async function configOf(flags: Record<string, string> = {}): Promise<KeyConfig> {
  const loaded = await loadConfig({
    env: environmentOf({ dataDir: join(folder, 'data'), ...flags }),
    cwd: folder,
  });
  return loaded.config;
}

const file = (): string => join(folder, 'data', 'master-key');

describe('master key', () => {
  it('is the configured one, in either base64 alphabet, and no file is written', async () => {
    for (const text of [SET.toString('base64'), SET.toString('base64url')]) {
      expect(Buffer.from(masterKeyOf(await configOf({ 'keys.masterKey': text })))).toEqual(SET);
    }
    expect(existsSync(file())).toBe(false);
  });

  it('is generated once in development, readable by the owner only, with a mark and no other files', async () => {
    const first = masterKeyOf(await configOf());
    expect(first).toHaveLength(32);
    expect(masterKeyOf(await configOf())).toEqual(first);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'data'))).toEqual(['master-key']);
    expect(readFileSync(file(), 'utf8')).toMatch(/^development-[\w-]{31}\n$/);
    expect(isDevelopmentKey(Buffer.from(first).toString('base64'))).toBe(true);
    expect(isDevelopmentKey(SET.toString('base64'))).toBe(false);
  });

  it('differs between two data folders', async () => {
    const first = masterKeyOf(await configOf());
    expect(masterKeyOf(await configOf({ dataDir: join(folder, 'other') }))).not.toEqual(first);
  });

  it('is never generated in production', async () => {
    const config = await configOf();
    expect(() => masterKeyOf({ ...config, profile: 'production' })).toThrow(/keys\.masterKey .*required/);
    expect(existsSync(file())).toBe(false);
  });

  it('is refused from a malformed file, which is named but not printed', async () => {
    const config = await configOf();
    masterKeyOf(config);
    writeFileSync(file(), 'c2hvcnQ');
    expect(() => masterKeyOf(config)).toThrow(/master-key: expected 32 bytes in base64url, got 5 bytes/);
    expect(() => masterKeyOf(config)).not.toThrow(/c2hvcnQ/);
  });

  it('has a predecessor only when one is configured', async () => {
    expect(previousMasterKeyOf(await configOf())).toBeUndefined();
    const config = await configOf({ 'keys.masterKeyPrevious': SET.toString('base64') });
    expect(Buffer.from(previousMasterKeyOf(config) ?? [])).toEqual(SET);
  });
});

describe('HMAC key of client secrets', () => {
  it('is the configured one', async () => {
    const config = await configOf({ 'apps.secretHmacKey': SET.toString('base64url') });
    expect(Buffer.from(secretKeyOf(config))).toEqual(SET);
    expect(existsSync(file())).toBe(false);
  });

  it('is derived from the master key by HKDF-SHA256 (RFC 5869), which this test computes step by step', async () => {
    const config = await configOf({ 'keys.masterKey': SET.toString('base64url') });
    const extracted = createHmac('sha256', Buffer.alloc(32)).update(SET).digest();
    const info = Buffer.from('proofgate client secret v1\u0001', 'utf8');
    const expanded = createHmac('sha256', extracted).update(info).digest();
    expect(Buffer.from(secretKeyOf(config))).toEqual(expanded);
  });
});

const SECRET = randomBytes(32);

describe('the sealer of secrets', () => {
  it('opens what it sealed, and seals a secret to a different text each time that does not contain it', async () => {
    const sealer = createByteSealer(randomBytes(32));
    const texts = [await sealer.seal(SECRET), await sealer.seal(SECRET)];
    expect(new Set(texts).size).toBe(2);
    for (const text of texts) {
      expect(await sealer.open(text)).toEqual({ bytes: new Uint8Array(SECRET), isUnderCurrentKey: true });
      for (const part of text.split('.')) expect(Buffer.from(part, 'base64url').includes(SECRET)).toBe(false);
    }
  });

  it('opens what the previous master key sealed, and reports it', async () => {
    const [former, present] = [randomBytes(32), randomBytes(32)];
    const text = await createByteSealer(former).seal(SECRET);
    expect((await createByteSealer(present, former).open(text))?.isUnderCurrentKey).toBe(false);
    expect(await createByteSealer(present).open(text)).toBeUndefined();
  });

  it('opens no text that was changed anywhere', async () => {
    const sealer = createByteSealer(randomBytes(32));
    const text = await sealer.seal(SECRET);
    for (const [index, part] of text.split('.').entries()) {
      const bytes = Buffer.from(part, 'base64url');
      if (bytes.length === 0) continue;
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      const changed = text.split('.').with(index, bytes.toString('base64url')).join('.');
      expect(await sealer.open(changed), String(index)).toBeUndefined();
    }
    for (const other of ['', '....', 'text', `${text}.x`]) expect(await sealer.open(other)).toBeUndefined();
  });
});
