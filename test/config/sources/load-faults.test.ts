// Rules: spec/operations.md#faults-and-warnings
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { envName } from '../../../src/config/settings/setting.ts';
import { faultsOf, folder, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const SECRETS = SETTINGS.filter(({ isSecret }) => isSecret).map(({ key }) => key);

describe('loadConfig, faults', () => {
  it('reports all faults together, each with key, variable, expected, got and origin', async () => {
    await put('proofgate.config.json', {
      engine: { maxQueue: 0, backend: 'gpu' },
      verify: { enabled: 'yes' },
    });
    const faults = await faultsOf({
      env: { PROOFGATE_HTTP_MAX_OPEN_EXCHANGES: 'many', PROOFGATE_BASE_URL: 'https://id.example/' },
      flags: { 'server.port': '65536' },
    });
    expect(faults.sort()).toEqual([
      'baseUrl (PROOFGATE_BASE_URL): expected an http or https URL without trailing slash, query and fragment, got "https://id.example/"   from env',
      'engine.backend (PROOFGATE_ENGINE_BACKEND): expected auto, native, wasm, native-ifma, native-avx2, native-adx, native-arm64, native-portable, native-ifma-emulated, native-avx2-emulated, wasm-relaxed, wasm-simd, wasm-scalar, got "gpu"   from file',
      'engine.maxQueue (PROOFGATE_ENGINE_MAX_QUEUE): expected 1..1000000, got 0   from file',
      'http.maxOpenExchanges (PROOFGATE_HTTP_MAX_OPEN_EXCHANGES): expected 1..1000000, got "many"   from env',
      'server.port (PROOFGATE_SERVER_PORT): expected 0..65535, got 65536   from flag',
      'verify.enabled (PROOFGATE_VERIFY_ENABLED): expected true or false, got "yes"   from file',
    ]);
  });

  it('refuses an unknown key in the file and names the nearest one', async () => {
    await put('proofgate.config.json', {
      engine: { maxqueue: 5 },
      sever: { port: 1 },
      zzzzzzzz: 1,
      'engine.maxBatch': 5,
    });
    expect((await faultsOf({})).sort()).toEqual([
      'engine.maxBatch: write one object for each dot: {"engine":{"maxBatch":"…"}}   from file',
      'engine.maxqueue: unknown setting; did you mean engine.maxQueue?   from file',
      'sever: unknown setting; did you mean server?   from file',
      'zzzzzzzz: unknown setting   from file',
    ]);
  });

  it('refuses a value that is not an object where members are expected', async () => {
    await put('proofgate.config.json', { engine: 5 });
    expect(await faultsOf({ env: { PROOFGATE_ENGINE_WORKERS: '1' } })).toEqual([
      'engine: expected an object, got 5   from file',
    ]);
  });

  it('warns about an unknown variable and names the nearest one', async () => {
    const { warnings } = await load({
      env: { PROOFGATE_ENGINE_WORKER: '3', PROOFGATE_SERVICE_HOST: '10.0.0.1', HOME: '/' },
    });
    expect(warnings[0]).toBe(
      'PROOFGATE_ENGINE_WORKER: unknown variable, ignored; did you mean PROOFGATE_ENGINE_WORKERS?',
    );
    expect(warnings[1]).toMatch(/^PROOFGATE_SERVICE_HOST: unknown variable, ignored/);
    expect(warnings).toHaveLength(2);
  });

  it('refuses an unknown flag and names the nearest one', async () => {
    expect(await faultsOf({ flags: { 'engine.worker': '3' } })).toEqual([
      '--engine.worker: unknown setting; did you mean --engine.workers?   from flag',
    ]);
  });

  it('refuses a secret given both as a value and as a file', async () => {
    const path = await put('token', 'sixteen-characters-at-least');
    const env = { PROOFGATE_ADMIN_TOKEN: 'another-secret-of-length', PROOFGATE_ADMIN_TOKEN_FILE: path };
    expect(await faultsOf({ env })).toEqual([
      'admin.token (PROOFGATE_ADMIN_TOKEN): expected PROOFGATE_ADMIN_TOKEN or PROOFGATE_ADMIN_TOKEN_FILE, got both   from env',
    ]);
  });

  it('refuses a secret file that is missing or empty', async () => {
    const empty = await put('token', '\n');
    const missing = join(folder, 'absent');
    expect(await faultsOf({ env: { PROOFGATE_ADMIN_TOKEN_FILE: empty } })).toEqual([
      `PROOFGATE_ADMIN_TOKEN_FILE: the file ${empty} is empty`,
    ]);
    const [fault] = await faultsOf({ env: { PROOFGATE_ADMIN_TOKEN_FILE: missing } });
    expect(fault).toContain(`PROOFGATE_ADMIN_TOKEN_FILE: the file ${missing} cannot be read`);
  });

  it('warns in development about a secret file that other users may read, and refuses it in production', async () => {
    const path = await put('token', 'sixteen-characters-at-least', 0o644);
    const env = { PROOFGATE_ADMIN_TOKEN_FILE: path };
    const text = `PROOFGATE_ADMIN_TOKEN_FILE: ${path} is readable by other users; \`chmod 0600 ${path}\``;
    expect((await load({ env })).warnings).toEqual([text]);
    expect(await faultsOf({ env: { ...env, PROOFGATE_PROFILE: 'production' } })).toEqual([text]);
  });

  it('warns about a configuration file with a secret that other users may read', async () => {
    const path = await put(
      'proofgate.config.json',
      { admin: { token: 'sixteen-characters-at-least' } },
      0o644,
    );
    const { warnings } = await load();
    expect(warnings).toEqual([
      `${path}: holds admin.token and is readable by other users; \`chmod 0600 ${path}\``,
    ]);
  });

  it.each(SECRETS)('refuses %s as a flag, names both variables and does not show it', async (key) => {
    const name = envName(key);
    const [fault, ...others] = await faultsOf({ flags: { [key]: 'value-that-nobody-may-see' } });
    expect(others).toEqual([]);
    expect(fault).toMatch(new RegExp(`^--${key}: .*${name}_FILE, or set ${name}   from flag$`));
    expect(fault).not.toContain('nobody');
  });

  it('never shows a secret in a fault', async () => {
    await put('proofgate.config.json', { storage: { url: 12_345_678 } });
    const faults = await faultsOf({ env: { PROOFGATE_ADMIN_TOKEN: 'short-secret' } });
    expect(faults).toEqual([
      'admin.token (PROOFGATE_ADMIN_TOKEN): expected 16 to 512 visible ASCII characters, got (set, 12 characters)   from env',
      'storage.url (PROOFGATE_STORAGE_URL): expected libsql:<path> or postgres://<user>@<host>/<database>, got a number   from file',
    ]);
    const broken = await put('broken.json', '{"admin":{"token":"short-secret"} x}');
    const [fault] = await faultsOf({ configFile: broken });
    expect(fault).toContain(`${broken}: expected JSON`);
    expect(fault).not.toContain('short');
  });

  it('refuses a named file that does not exist, a folder, and a file that is not an object', async () => {
    const [missing] = await faultsOf({ configFile: 'absent.json' });
    expect(missing).toContain(
      `${join(folder, 'absent.json')}: the configuration file cannot be read: ENOENT`,
    );
    const [directory] = await faultsOf({ configFile: '.' });
    expect(directory).toContain('the configuration file cannot be read: EISDIR');
    const list = await put('list.json', '[1]');
    expect(await faultsOf({ configFile: list })).toEqual([
      `${list}: expected a JSON object, got [1]   from file`,
    ]);
  });
});
