import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerApp } from '../../../src/apps/apps.ts';
import { secretKeyOf } from '../../../src/apps/secrets/secrets.ts';
import type { CheckResult } from '../../../src/cli/doctor/check.ts';
import { countClientSecrets } from '../../../src/cli/doctor/checks/client-secrets.ts';
import { checkKeys } from '../../../src/cli/doctor/checks/keys.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { createKeyOperator, rotateNow } from '../../../src/oidc/keys/operate.ts';
import { rotateCredentialKey } from '../../../src/refresh/keys/operate.ts';
import { createCredentialKeyOperator } from '../../../src/refresh/keys/registered-keys.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';
import { type KeyFolder, makeKeyFolder } from '../../oidc/keys/support/key-folder.ts';

const key32 = (): string => randomBytes(32).toString('base64url');
const [OLD, NEW, OTHER] = [key32(), key32(), key32()];
const MASTER = { 'keys.masterKey': OLD };
const ROTATED = { 'keys.masterKey': NEW, 'keys.masterKeyPrevious': OLD };
const ALONE = { 'keys.masterKey': NEW };

let template: KeyFolder;
let folder: KeyFolder;
let engine: Engine;

beforeAll(async () => {
  ({ engine } = await startEngine({ backend: 'auto', workers: 0 }));
  template = await makeKeyFolder();
  await template.open(MASTER);
  await template.store.close();
});
beforeEach(async () => {
  folder = await makeKeyFolder(template);
});
afterEach(() => folder.remove());
afterAll(async () => {
  await engine.close();
  rmSync(template.path, { recursive: true, force: true });
});

type Checks = Readonly<Record<string, CheckResult>>;

async function examine(settings: Record<string, string>): Promise<Checks> {
  const config = await folder.config(settings);
  const now = folder.clock.now();
  const checks = await checkKeys(
    {
      signingKeys: await folder.rows(),
      issuerKeys: await folder.store.issuerKeys.listAll(),
      secrets: await countClientSecrets(config, folder.store, now),
    },
    config,
    { withEngine: (_settings, use) => use(engine), now: () => now },
  );
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

async function addSecret(settings: Record<string, string>): Promise<string> {
  const config = await folder.config(settings);
  const fields = { redirect_uris: ['https://shop.example/cb'] };
  const registration = { fields, isDevelopment: true };
  const { app } = await registerApp(folder.store.apps, registration, () => secretKeyOf(config), 1);
  return app.appId;
}

async function makeCredentialKey(settings: Record<string, string>): Promise<void> {
  const { issuerKeys: store } = folder.store;
  const config = await folder.config(settings);
  await rotateCredentialKey(
    createCredentialKeyOperator({ store, engine, config, now: folder.clock.now }),
    undefined,
  );
}

describe('doctor, signing keys', () => {
  it('are ok with their master key, current or previous', async () => {
    expect((await examine(MASTER))['signing keys']).toMatchObject({ status: 'ok' });
    expect((await examine(ROTATED))['signing keys']).toMatchObject({ status: 'ok' });
  });

  it('fail, and name the cure, with a master key that does not open them', async () => {
    for (const settings of [ALONE, { ...ALONE, 'keys.masterKeyPrevious': OTHER }]) {
      expect((await examine(settings))['signing keys']).toMatchObject({
        status: 'fail',
        detail: expect.stringMatching(/^signing key \S{43}: it is sealed under another master key$/),
        cure: expect.stringContaining('keys.masterKeyPrevious'),
      });
    }
  });

  it('fail when the generated development master key is missing, and the check generates none', async () => {
    expect((await examine({}))['signing keys']).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(`that was generated in ${folder.path} is gone`),
    });
    expect(existsSync(join(folder.path, 'master-key'))).toBe(false);
  });

  it('may include a retired one that cannot be opened', async () => {
    const operator = createKeyOperator(
      folder.store.signingKeys,
      await folder.config(MASTER),
      folder.clock.now,
    );
    folder.clock.advance(100_000);
    await rotateNow(operator, false);
    for (const row of await folder.rows()) {
      if (row.state === 'retired') continue;
      const opened = await operator.sealer.open(row);
      const config = await folder.config(ALONE);
      const { sealer } = createKeyOperator(folder.store.signingKeys, config, folder.clock.now);
      await folder.store.signingKeys.reseal(row.kid, row.privateJwk, await sealer.seal(opened.jwk));
    }
    expect((await examine(ALONE))['signing keys']?.status).toBe('ok');
    expect((await examine(MASTER))['signing keys']?.status).toBe('fail');
  });
});

describe('doctor, credential keys', () => {
  it('fail, and name the cure, with a master key that does not open the active one', async () => {
    await makeCredentialKey(MASTER);
    expect((await examine(ROTATED))['credential keys']).toMatchObject({ status: 'ok' });
    expect((await examine(ALONE))['credential keys']).toMatchObject({
      status: 'fail',
      cure: expect.stringContaining('keys.masterKeyPrevious'),
    });
    expect((await examine({}))['credential keys']).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('is gone'),
    });
    expect(existsSync(join(folder.path, 'master-key'))).toBe(false);
  });
});

describe('doctor, client secrets', () => {
  it('are counted by their keys, and fail when some are refused', async () => {
    expect((await examine(MASTER))['client secrets']).toMatchObject({ detail: 'none in the registry' });
    const appId = await addSecret(MASTER);
    expect((await examine(MASTER))['client secrets']).toMatchObject({
      status: 'ok',
      detail: '1 under the key in force',
    });
    expect((await examine(ROTATED))['client secrets']).toMatchObject({
      status: 'ok',
      detail: `0 under the key in force; 1 under a former key, until their next use (${appId})`,
    });
    expect((await examine({ ...MASTER, 'apps.secretHmacKey': NEW }))['client secrets']?.status).toBe('ok');
    expect((await examine(ALONE))['client secrets']).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('1 refused'),
      cure: expect.stringContaining('apps rotate-secret'),
    });
  });

  it('are not counted when the key is not generated yet', async () => {
    await addSecret(MASTER);
    expect((await examine({}))['client secrets']).toBeUndefined();
    expect(existsSync(join(folder.path, 'master-key'))).toBe(false);
  });
});

describe('doctor, former keys', () => {
  it('reports what still needs the previous master key, and when it can be removed', async () => {
    expect((await examine(MASTER))['keys.masterKeyPrevious']).toBeUndefined();
    await makeCredentialKey(MASTER);
    await addSecret(MASTER);
    expect((await examine(ROTATED))['keys.masterKeyPrevious']).toMatchObject({
      status: 'ok',
      detail:
        'still needed by 2 signing keys, until the next start; 1 credential keys, until the next start; 1 client secrets, until their next use',
    });
    await folder.open(ROTATED);
    const { issuerKeys } = folder.store;
    const config = await folder.config(ROTATED);
    const operator = createCredentialKeyOperator({
      store: issuerKeys,
      engine,
      config,
      now: folder.clock.now,
    });
    for (const row of await issuerKeys.listAll()) {
      const opened = await operator.sealer.open(row.sealedSeed ?? '');
      const sealed = await operator.sealer.seal(opened?.bytes ?? new Uint8Array(0));
      await issuerKeys.reseal(row.issuerSchemaId, row.keyId, row.sealedSeed ?? '', sealed);
    }
    expect((await examine(ROTATED))['keys.masterKeyPrevious']).toMatchObject({
      status: 'ok',
      detail: 'still needed by 1 client secrets, until their next use',
    });
    for (const { appId } of await folder.store.apps.list()) await folder.store.apps.remove(appId);
    expect((await examine(ROTATED))['keys.masterKeyPrevious']).toMatchObject({
      status: 'warn',
      detail: 'nothing needs it any longer',
      cure: 'Remove keys.masterKeyPrevious (PROOFGATE_KEYS_MASTER_KEY_PREVIOUS).',
    });
  });

  it('reports the same for the previous key of client secrets, which seals nothing', async () => {
    const former = { ...MASTER, 'apps.secretHmacKey': OLD };
    const present = { ...MASTER, 'apps.secretHmacKey': NEW, 'apps.secretHmacKeyPrevious': OLD };
    const appId = await addSecret(former);
    const name = 'apps.secretHmacKeyPrevious';
    expect((await examine(present))[name]).toMatchObject({
      status: 'ok',
      detail: 'still needed by 1 client secrets, until their next use',
    });
    await folder.store.apps.remove(appId);
    expect((await examine(present))[name]?.status).toBe('warn');
  });

  it('does not report the previous key as unused while a secret has no record of its key', async () => {
    await folder.open(ROTATED);
    const appId = await addSecret(ALONE);
    const [row] = await folder.store.apps.listSecrets(appId, 1);
    await folder.store.apps.removeSecret(appId, row?.secretId ?? '');
    if (row !== undefined) await folder.store.apps.addSecret({ ...row, keyId: null }, 1, 1);
    expect((await examine(ROTATED))['keys.masterKeyPrevious']).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('1 client secrets whose key is not recorded (possibly)'),
    });
  });
});
