// Rules: spec/operations.md#reload
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createReload, type Reload, type ReloadParts } from '../../src/app/parts/reload.ts';
import { LiveConfig } from '../../src/config/sources/changed-settings.ts';
import { examineConfig } from '../../src/config/sources/load.ts';
import type { ExaminedConfig } from '../../src/config/sources/loaded-config.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pollUntil } from '../support/until.ts';

const folder = temporaryFolder('reload', afterAll);
const token = (fill: string): string => fill.repeat(43);
const TEST_TIMES = { intervalMs: 10, settleMs: 5 };

interface Line {
  readonly event: string;
  readonly settings?: readonly string[];
  readonly reason?: string;
}

/** A service whose settings come from files, as far as reloading them goes. */
interface World {
  readonly reload: Reload;
  readonly live: LiveConfig;
  readonly lines: Line[];
  readonly path: (name: string) => string;
  readonly metrics: () => Record<string, number>;
}

const write = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 });

/** @param files - Content of secret files by variable, without `PROOFGATE_` and `_FILE`. */
async function open(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  servers: ReloadParts['servers'] = [],
  configFile?: string,
): Promise<World> {
  const base = mkdtempSync(join(folder, 'case-'));
  const path = (name: string): string => join(base, name);
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    write(path(name), text);
    variables[`PROOFGATE_${name}_FILE`] = path(name);
  }
  const examine = (): Promise<ExaminedConfig> =>
    examineConfig({
      env: { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: base, ...variables, ...env },
      cwd: base,
      isRoot: false,
      ...(configFile === undefined ? {} : { configFile }),
    });
  const loaded = await examine();
  expect(loaded.faults).toEqual([]);
  const live = new LiveConfig(loaded.config);
  const lines: Line[] = [];
  const log = (_: string, fields?: object): void => void lines.push(fields as Line);
  const reload = createReload({
    loaded,
    live,
    files: loaded.files,
    examine,
    servers,
    log: { info: log, warn: log },
    ...TEST_TIMES,
  });
  onTestFinished(() => reload.stop?.());
  const metrics = (): Record<string, number> => {
    const set: Record<string, number> = {};
    const gauge = {
      set({ reason }: { reason: string }, value: number) {
        set[reason] = value;
      },
    };
    void reload.metrics?.({ reloadUnusedChanges: gauge } as never);
    return set;
  };
  return { reload, live, lines, path, metrics };
}

/** Ways in which the content of a file is replaced. */
const WAYS: Readonly<Record<string, (path: string, text: string) => void>> = {
  'written in place': write,
  'renamed over'(path, text) {
    write(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  },
  'removed and made again'(path, text) {
    rmSync(path);
    write(path, text);
  },
  'behind a link that is switched'(path, text) {
    const version = mkdtempSync(`${path}-`);
    write(join(version, 'text'), text);
    symlinkSync(join(version, 'text'), `${path}.link`);
    renameSync(`${path}.link`, path);
  },
};

/** Faults of a file. */
const FAULTS: Readonly<Record<string, (path: string) => void>> = {
  gone: (path) => rmSync(path),
  empty: (path) => truncateSync(path),
  'of two lines': (path) => write(path, `${token('b')}\n${token('c')}`),
  'no file': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

describe('SIGHUP', () => {
  it.each(Object.entries(WAYS))('takes over an admin token that was %s', async (_, replace) => {
    const { reload, live, lines, path } = await open({ ADMIN_TOKEN: token('a') });
    replace(path('ADMIN_TOKEN'), token('b'));
    await reload.onSignal('SIGHUP');
    expect(live.current.admin.token).toBe(token('b'));
    expect(lines).toEqual([{ event: 'reload.done', reason: 'SIGHUP', settings: ['admin.token'] }]);
  });

  it.each(Object.entries(FAULTS))('keeps an admin token whose file is %s', async (_, harm) => {
    const { reload, live, lines, path, metrics } = await open({ ADMIN_TOKEN: token('a') });
    harm(path('ADMIN_TOKEN'));
    await reload.onSignal('SIGHUP');
    expect(live.current.admin.token).toBe(token('a'));
    expect(lines.map(({ event }) => event)).toEqual(['reload.done', 'reload.failed']);
    expect(lines[1]?.reason).toContain('ADMIN_TOKEN');
    expect(lines[1]?.reason).not.toContain('aaaa');
    expect(metrics()).toEqual({ unusable: 1, restart: 0 });
    rmSync(path('ADMIN_TOKEN'), { recursive: true, force: true });
    write(path('ADMIN_TOKEN'), token('c'));
    await reload.onSignal('SIGHUP');
    expect(live.current.admin.token).toBe(token('c'));
    expect(metrics()).toEqual({ unusable: 0, restart: 0 });
  });

  it.each<[variable: string, key: string, text: string, isTaken: boolean]>([
    ['ADMIN_TOKEN', 'admin.token', token('b'), true],
    ['METRICS_TOKEN', 'metrics.token', token('b'), true],
    ['WEBHOOKS_SECRET', 'webhooks.secret', `whsec_${'B'.repeat(32)}`, true],
    ['WEBHOOKS_SECRET_PREVIOUS', 'webhooks.secretPrevious', `whsec_${'B'.repeat(32)}`, true],
    ['STORAGE_PASSWORD', 'storage.password', 'another', true],
    ['STORAGE_URL', 'storage.url', 'postgres://other:word@h/d', true],
    ['STORAGE_URL', 'storage.url', 'postgres://svc:word@elsewhere/d', false],
    ['STORAGE_URL', 'storage.url', 'postgres://svc@h/d?sslmode=require', false],
    ['KEYS_MASTER_KEY', 'keys.masterKey', token('B'), false],
    ['KEYS_MASTER_KEY_PREVIOUS', 'keys.masterKeyPrevious', token('B'), false],
    ['APPS_SECRET_HMAC_KEY', 'apps.secretHmacKey', token('B'), false],
    ['APPS_SECRET_HMAC_KEY_PREVIOUS', 'apps.secretHmacKeyPrevious', token('B'), false],
    ['REFRESH_SIGNING_SEED', 'refresh.signingSeed', '0b'.repeat(32), false],
    ['SIGNIN_WORLDID4_SIGNING_KEY', 'signin.worldid4.signingKey', '0b'.repeat(32), false],
    ['ROOTS_RPC_ETHEREUM', 'roots.rpc.ethereum', 'https://other.example', false],
  ])('with a changed %s: %s takes effect (%s) now: %s', async (variable, key, text, isTaken) => {
    const secrets: Readonly<Record<string, string>> = {
      ADMIN_TOKEN: token('a'),
      METRICS_TOKEN: token('m'),
      WEBHOOKS_SECRET: `whsec_${'A'.repeat(32)}`,
      WEBHOOKS_SECRET_PREVIOUS: `whsec_${'C'.repeat(32)}`,
      STORAGE_PASSWORD: 'one',
      STORAGE_URL: 'postgres://svc@h/d',
      KEYS_MASTER_KEY: token('A'),
      KEYS_MASTER_KEY_PREVIOUS: token('C'),
      APPS_SECRET_HMAC_KEY: token('D'),
      APPS_SECRET_HMAC_KEY_PREVIOUS: token('E'),
      REFRESH_SIGNING_SEED: '0a'.repeat(32),
      SIGNIN_WORLDID4_SIGNING_KEY: '0c'.repeat(32),
      ROOTS_RPC_ETHEREUM: 'https://one.example',
    };
    const { reload, lines, path, metrics } = await open(secrets, {
      PROOFGATE_WEBHOOKS_URL: 'https://hooks.example',
    });
    write(path(variable), text);
    await reload.onSignal('SIGHUP');
    expect(metrics()).toEqual({ unusable: 0, restart: isTaken ? 0 : 1 });
    expect(lines).toEqual([
      { event: 'reload.done', reason: 'SIGHUP', settings: isTaken ? [key] : [] },
      ...(isTaken ? [] : [{ event: 'reload.restart_needed', settings: [key] }]),
    ]);
    await reload.onSignal('SIGHUP');
    // What waits for a restart is named each time that somebody asks.
    expect(lines.slice(isTaken ? 1 : 2).map(({ event }) => event)).toEqual(
      isTaken ? ['reload.done'] : ['reload.done', 'reload.restart_needed'],
    );
    write(path(variable), secrets[variable] ?? '');
    await reload.onSignal('SIGHUP');
    expect(metrics()).toEqual({ unusable: 0, restart: 0 });
  });

  it('names settings of the configuration file and contents that wait for a restart', async () => {
    const base = mkdtempSync(join(folder, 'case-'));
    const client = join(base, 'client');
    const list = [
      {
        client_id: `app_${'0a'.repeat(16)}`,
        redirect_uris: ['https://a.example/cb'],
        client_secret_file: client,
      },
    ];
    write(client, `sk_${'0a'.repeat(24)}`);
    write(join(base, 'proofgate.config.json'), JSON.stringify({ apps: { list }, log: { level: 'info' } }));
    const examine = (): Promise<ExaminedConfig> =>
      examineConfig({ env: { PROOFGATE_PROFILE: 'test' }, cwd: base, isRoot: false });
    const loaded = await examine();
    expect(loaded.faults).toEqual([]);
    expect(loaded.files).toEqual([client, join(base, 'proofgate.config.json')]);
    const waiting: unknown[] = [];
    const warn = (_: string, fields?: object): void => void waiting.push((fields as Line).settings);
    const { files } = loaded;
    const live = new LiveConfig(loaded.config);
    const parts = { loaded, live, files, examine, servers: [], log: { info: () => undefined, warn } };
    const reload = createReload(parts);
    write(client, `sk_${'0b'.repeat(24)}`);
    await reload.onSignal('SIGHUP');
    write(join(base, 'proofgate.config.json'), JSON.stringify({ apps: { list }, log: { level: 'warn' } }));
    await reload.onSignal('SIGHUP');
    expect(waiting).toEqual(
      [['apps.list'], ['log.level', 'apps.list']].map((keys) => expect.arrayContaining(keys)),
    );
    expect(live.current.log.level).toBe('info');
  });

  it.each([
    ['storage.password', { storage: { url: 'postgres://svc@h/d', password: 'one' } }, { password: 'two' }],
    ['storage.url', { storage: { url: 'postgres://svc:one@h/d' } }, { url: 'postgres://svc:two@h/d' }],
  ])('a changed %s in the configuration file itself waits for a restart', async (key, content, change) => {
    const base = mkdtempSync(join(folder, 'case-'));
    const file = join(base, 'proofgate.config.json');
    write(file, JSON.stringify(content));
    const { reload, metrics, lines } = await open({}, {}, [], file);
    write(file, JSON.stringify({ storage: { ...content.storage, ...change } }));
    await reload.onSignal('SIGHUP');
    expect(lines.at(-1)).toEqual({ event: 'reload.restart_needed', settings: [key] });
    expect(metrics()).toEqual({ unusable: 0, restart: 1 });
  });

  it('is answered once for several that come during a run, and is refused during a stop', async () => {
    let calls = 0;
    const server = {
      reloadCertificate: async () => {
        calls++;
        await new Promise((resolve) => setImmediate(resolve));
        return true;
      },
    };
    const { reload, lines } = await open({ ADMIN_TOKEN: token('a') }, {}, [server]);
    const signals = Array.from({ length: 50 }, () => reload.onSignal('SIGHUP'));
    await Promise.all(signals);
    expect(calls).toBe(1);
    const running = reload.onSignal('SIGHUP');
    await pollUntil(() => calls === 2);
    await Promise.all([running, ...Array.from({ length: 50 }, () => reload.onSignal('SIGHUP'))]);
    expect(calls).toBe(3);
    await reload.drain?.();
    await reload.onSignal('SIGHUP');
    expect(calls).toBe(3);
    expect(lines.at(-1)).toEqual({ event: 'signal.ignored', signal: 'SIGHUP' });
  });

  it('does not wait for a pipe, which can be read only once', async () => {
    const { reload, live, lines, path, metrics } = await open({ ADMIN_TOKEN: token('a') });
    rmSync(path('ADMIN_TOKEN'));
    execFileSync('mkfifo', [path('ADMIN_TOKEN')]);
    await reload.onSignal('SIGHUP');
    expect(lines.at(-1)).toMatchObject({
      event: 'reload.failed',
      reason: `${path('ADMIN_TOKEN')}: expected a file, which can be read a second time`,
    });
    expect(live.current.admin.token).toBe(token('a'));
    await reload.start?.();
    await pollUntil(() => metrics().unusable === 0);
    expect(lines.map(({ event }) => event)).toEqual(['reload.done', 'reload.failed']);
  });

  it('reloads the certificate also while the settings cannot be read, and says what fails of each', async () => {
    const good = { reloadCertificate: async () => true };
    const bad = { reloadCertificate: () => Promise.reject(new Error('key values mismatch')) };
    const { reload, lines, path, metrics } = await open({ ADMIN_TOKEN: token('a') }, {}, [good, bad]);
    rmSync(path('ADMIN_TOKEN'));
    await reload.onSignal('SIGHUP');
    expect(lines[0]).toMatchObject({ event: 'reload.done', settings: ['tls.certFile'] });
    expect(lines[1]?.reason).toMatch(/^key values mismatch\n[\s\S]*ADMIN_TOKEN/);
    expect(metrics()).toEqual({ unusable: 2, restart: 0 });
  });
});

describe('a changed file', () => {
  it.each(Object.entries(WAYS))('is noticed without a signal when it was %s', async (_, replace) => {
    const { reload, live, lines, path } = await open({ ADMIN_TOKEN: token('a') });
    await reload.start?.();
    replace(path('ADMIN_TOKEN'), token('b'));
    await pollUntil(() => live.current.admin.token === token('b'));
    replace(path('ADMIN_TOKEN'), token('c'));
    await pollUntil(() => live.current.admin.token === token('c'));
    await pollUntil(() => lines.length === 2);
    expect(lines).toEqual(
      Array(2).fill({ event: 'reload.done', reason: 'file changed', settings: ['admin.token'] }),
    );
  });

  it('that cannot be used is reported once, and is taken over when it can', async () => {
    const { reload, live, lines, path } = await open({ ADMIN_TOKEN: token('a') });
    await reload.start?.();
    rmSync(path('ADMIN_TOKEN'));
    await pollUntil(() => lines.length > 0);
    let looks = 0;
    // Looks at the file go on meanwhile.
    await pollUntil(() => ++looks > 20);
    write(path('ADMIN_TOKEN'), token('b'));
    await pollUntil(() => live.current.admin.token === token('b'));
    await pollUntil(() => lines.length > 1);
    expect(lines.map(({ event }) => event)).toEqual(['reload.failed', 'reload.done']);
  });

  it('between the reading at the start and the first look is noticed', async () => {
    const { reload, live, path } = await open({ METRICS_TOKEN: token('a') });
    write(path('METRICS_TOKEN'), token('b'));
    await reload.start?.();
    await pollUntil(() => live.current.metrics.token === token('b'));
  });

  it('that has its former content again changes nothing', async () => {
    const { reload, lines, path } = await open({ METRICS_TOKEN: token('a') });
    await reload.start?.();
    for (let count = 0; count < 5; count++) write(path('METRICS_TOKEN'), token('a'));
    await reload.onSignal('SIGHUP');
    expect(lines).toEqual([{ event: 'reload.done', reason: 'SIGHUP', settings: [] }]);
  });

  it('lets the service drain while the files do not answer', async () => {
    const ignore = (): void => undefined;
    let isAsked = false;
    const reloadCertificate = (): Promise<boolean> => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const config = (await examineConfig({ env: {}, cwd: folder })).config;
    const reload = createReload({
      loaded: { config, values: {}, origins: {} },
      live: new LiveConfig(config),
      files: [],
      examine: undefined,
      servers: [{ reloadCertificate }],
      log: { info: ignore, warn: ignore },
      ...TEST_TIMES,
    });
    void reload.onSignal('SIGHUP');
    await pollUntil(() => isAsked);
    await reload.drain?.();
  });
});
