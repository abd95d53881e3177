import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envName, type LoadOptions, loadConfig, SETTINGS, type Setting } from '../../src/config/index.ts';
import { isServiceError } from '../../src/errors/index.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofgate-config-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function put(name: string, content: unknown, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(path, mode);
  return path;
}

function load(options: LoadOptions = {}): ReturnType<typeof loadConfig> {
  return loadConfig({ env: {}, cwd: folder, ...options });
}

async function faultsOf(options: LoadOptions): Promise<string[]> {
  try {
    await load(options);
  } catch (error) {
    if (!isServiceError(error, 'config.invalid')) {
      throw error;
    }
    const [head, ...faults] = error.message.split('\n');
    expect(head).toBe(`config: ${faults.length} problem${faults.length === 1 ? '' : 's'}`);
    return faults.map((fault) => fault.trim());
  }
  throw new Error('the configuration was accepted');
}

/** A text that a setting takes and that is not its default. */
/** Values of settings whose form no other setting has. */
const SAMPLES: Readonly<Record<string, string>> = {
  'proxy.trusted': '10.0.0.0/8,fd00::/8',
  'refresh.pcpVersions': '2.3,2.4',
  'refresh.pcpSignupReasons': 'NORMAL,FRAUD',
  'refresh.externalNullifier': 'another text',
  'refresh.issuerSchemaId': '18446744073709551615',
  'refresh.validity': 'P2Y',
  'refresh.signingSeed': '0a'.repeat(32),
  'refresh.verificationKey': 'some-name',
};

function sampleOf(setting: Setting): string {
  const { key } = setting;
  const sample = SAMPLES[key];
  if (sample !== undefined) return sample;
  if (setting.type === 'integer') return String(setting.maximum);
  if (setting.type === 'boolean') return 'true';
  if (setting.type === 'choice') return String(setting.choices.at(-1));
  if (/url$/i.test(key) && key !== 'storage.url') return 'https://id.example';
  if (key.endsWith('Key') || key === 'keys.masterKeyPrevious') return 'A'.repeat(43);
  return key.startsWith('verify.key') || key.endsWith('.host')
    ? 'some-name'
    : 'libsql:a-value-of-26-characters';
}

/** What a setting's largest value needs of others. */
function companionsOf(key: string): Record<string, string> {
  if (key === 'bridge.bodyLimitBytes') return { PROOFGATE_HTTP_BODY_LIMIT_BYTES: '5242880' };
  if (key === 'refresh.bodyLimitBytes') return { PROOFGATE_HTTP_BODY_LIMIT_BYTES: '16777216' };
  if (key.endsWith('TokenTtlSeconds')) return { PROOFGATE_KEYS_RETIRE_AFTER_SECONDS: '86700' };
  if (key === 'keys.jwksMaxAgeSeconds') {
    return { PROOFGATE_KEYS_PUBLISH_LEAD_SECONDS: '31536000' };
  }
  if (key === 'tls.certFile') return { PROOFGATE_TLS_KEY_FILE: '/key.pem' };
  if (key === 'tls.keyFile') return { PROOFGATE_TLS_CERT_FILE: '/cert.pem' };
  return {};
}

describe('loadConfig, sources', () => {
  it('starts with nothing set', async () => {
    const { config, origins, warnings, file } = await load();
    expect(config.profile).toBe('development');
    expect(config.baseUrl).toBe('http://localhost:8080');
    expect(config.verifyUrl).toBe('http://localhost:8080');
    expect(config.server).toEqual({ host: '127.0.0.1', port: 8080, allowExposedDevelopment: false });
    expect(config.storage.url).toBe('libsql:./.proofgate/proofgate.db');
    expect(config.engine.workers).toBe(Math.max(1, availableParallelism() - 1));
    expect(config.admin.token).toBeUndefined();
    expect(config.metrics.requireToken).toBe(false);
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.staging': 'dev-depth30',
    });
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
    expect(Object.keys(origins)).toEqual(SETTINGS.map((setting) => setting.key));
    expect(warnings).toEqual([]);
    expect(file).toBeUndefined();
  });

  it('takes the production defaults in the production profile', async () => {
    const { config } = await load({ env: { PROOFGATE_PROFILE: 'production' }, isTerminal: true });
    expect(config.server.host).toBe('0.0.0.0');
    expect(config.shutdown.drainDelayMs).toBe(5000);
    expect(config.log.format).toBe('json');
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.staging': 'semaphore-depth30',
    });
  });

  it.each([
    ['development', true, 120],
    ['production', false, 120],
    ['test', true, 0],
    ['bench', true, 0],
  ])('has the defaults of the bridge for profile %s', async (profile, rootAlias, perMinute) => {
    const { config } = await load({ flags: { profile } });
    expect(config.bridge).toEqual({
      enabled: true,
      rootAlias,
      bodyLimitBytes: 65_536,
      maxEntries: 20_000,
      maxBytes: 268_435_456,
      url: 'http://localhost:8080/bridge',
    });
    expect(config.rateLimits.bridge).toBe(perMinute);
  });

  it('derives defaults from the terminal and from other settings', async () => {
    const env = {
      PROOFGATE_ADMIN_HOST: '10.1.2.3',
      PROOFGATE_SERVER_PORT: '8181',
      PROOFGATE_DATA_DIR: '/data',
    };
    const { config } = await load({ env, isTerminal: true });
    expect(config.log.format).toBe('pretty');
    expect(config.metrics.requireToken).toBe(true);
    expect(config.issuerUrl).toBe('http://localhost:8181');
    expect(config.storage.url).toBe('libsql:/data/proofgate.db');
  });

  it('lets a flag win over the environment, that over the file, and that over the default', async () => {
    const members = {
      engine: { maxQueue: 10, maxBatch: 11, maxBatchDelayMs: 12 },
      verify: { maxResponses: 1 },
    };
    await put('proofgate.config.json', members);
    const { config, origins, file } = await load({
      env: { PROOFGATE_ENGINE_MAX_QUEUE: '20', PROOFGATE_ENGINE_MAX_BATCH: '21' },
      flags: { 'engine.maxQueue': '30' },
    });
    expect(config.engine).toMatchObject({ maxQueue: 30, maxBatch: 21, maxBatchDelayMs: 12, backend: 'auto' });
    expect(origins).toMatchObject({
      'engine.maxQueue': 'flag',
      'engine.maxBatch': 'env',
      'engine.maxBatchDelayMs': 'file',
      'engine.backend': 'default',
    });
    expect(file).toBe(join(folder, 'proofgate.config.json'));
  });

  it('reads a file named by --config in place of the default one', async () => {
    await put('proofgate.config.json', { engine: { maxQueue: 1 } });
    await put('other.json', `\uFEFF${JSON.stringify({ $schema: './x.json', engine: { maxQueue: 2048 } })}`);
    expect((await load({ configFile: 'other.json' })).config.engine.maxQueue).toBe(2048);
  });

  it('binds keys to an environment and to one tree', async () => {
    await put('proofgate.config.json', {
      verify: { key: { staging: 'my-key', 'staging.face': 'face-key' } },
    });
    const { config } = await load({ env: { PROOFGATE_VERIFY_KEY_PRODUCTION_SECURE_DOCUMENT: 'doc-key' } });
    expect(config.verify.keys).toEqual({
      'verify.key.production': 'semaphore-depth30',
      'verify.key.production.secure_document': 'doc-key',
      'verify.key.staging': 'my-key',
      'verify.key.staging.face': 'face-key',
    });
  });

  it('reads every setting from its variable', async () => {
    for (const setting of SETTINGS) {
      // app-list.test.ts has that one
      if (setting.type === 'apps') continue;
      const value = sampleOf(setting);
      const env = { ...companionsOf(setting.key), [envName(setting.key)]: value };
      const loaded = await load({ env });
      expect(String(loaded.values[setting.key]), setting.key).toBe(value);
      expect(loaded.origins[setting.key], setting.key).toBe('env');
    }
  });

  it('counts an empty variable as not set', async () => {
    const { origins } = await load({ env: { PROOFGATE_ENGINE_WORKERS: '' } });
    expect(origins['engine.workers']).toBe('default');
  });

  it('takes a secret from a file', async () => {
    const path = await put('token', 'sixteen-characters-at-least\n');
    const { config, origins, warnings } = await load({ env: { PROOFGATE_ADMIN_TOKEN_FILE: path } });
    expect(config.admin.token).toBe('sixteen-characters-at-least');
    expect(origins['admin.token']).toBe('env-file');
    expect(warnings).toEqual([]);
  });
});

describe('loadConfig, faults', () => {
  it('reports all faults at once, each with key, variable, expected, got and origin', async () => {
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
      'engine.backend (PROOFGATE_ENGINE_BACKEND): expected auto, native, wasm, native-ifma, native-avx2, native-adx, native-portable, native-ifma-portable, native-avx2-portable, wasm-relaxed, wasm-simd, wasm-scalar, got "gpu"   from file',
      'engine.maxQueue (PROOFGATE_ENGINE_MAX_QUEUE): expected 1..1000000, got 0   from file',
      'http.maxOpenExchanges (PROOFGATE_HTTP_MAX_OPEN_EXCHANGES): expected 1..1000000, got "many"   from env',
      'server.port (PROOFGATE_SERVER_PORT): expected 0..65535, got 65536   from flag',
      'verify.enabled (PROOFGATE_VERIFY_ENABLED): expected true or false, got "yes"   from file',
    ]);
  });

  it('refuses an unknown key of the file and names the nearest one', async () => {
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

  it('refuses something else than an object where members are expected', async () => {
    await put('proofgate.config.json', { engine: 5 });
    expect(await faultsOf({ env: { PROOFGATE_ENGINE_WORKERS: '1' } })).toEqual([
      'engine: expected an object, got 5   from file',
    ]);
  });

  it('warns of an unknown variable and names the nearest one', async () => {
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

  it('warns of a secret file that others may read in development and refuses it in production', async () => {
    const path = await put('token', 'sixteen-characters-at-least', 0o644);
    const env = { PROOFGATE_ADMIN_TOKEN_FILE: path };
    const text = `PROOFGATE_ADMIN_TOKEN_FILE: ${path} is readable by other users; chmod o-r closes it`;
    expect((await load({ env })).warnings).toEqual([text]);
    expect(await faultsOf({ env: { ...env, PROOFGATE_PROFILE: 'production' } })).toEqual([text]);
  });

  it('warns of a configuration file with a secret that others may read', async () => {
    const path = await put(
      'proofgate.config.json',
      { admin: { token: 'sixteen-characters-at-least' } },
      0o644,
    );
    const { warnings } = await load();
    expect(warnings).toEqual([
      `${path}: holds admin.token and is readable by other users; chmod o-r closes it`,
    ]);
  });

  it('warns of a secret on the command line', async () => {
    const { warnings } = await load({ flags: { 'admin.token': 'sixteen-characters-at-least' } });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^--admin\.token: .*PROOFGATE_ADMIN_TOKEN_FILE$/);
  });

  it('warns of settings that defeat each other', async () => {
    const flags = {
      'verify.maxResponses': '64',
      'engine.maxQueue': '10',
      'verify.deadlineMs': '30000',
      'verify.rateLimitBurst': '5',
    };
    const { warnings } = await load({ flags });
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual([
      'verify.maxResponses',
      'verify.deadlineMs',
      'verify.rateLimitBurst',
    ]);
  });

  it.each([
    'http://localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:8080/sign/in',
    'https://id.example',
    'https://id.example:8443/a/b',
    'https://xn--bcher-kva.example/%C3%BC',
  ])('takes the public address %s', async (baseUrl) => {
    expect((await load({ flags: { baseUrl } })).config.baseUrl).toBe(baseUrl);
  });

  it.each([
    ['http://:80', 'expected an address that a browser can open, got "http://:80"'],
    ['https://id:word@id.example', 'expected no user name or password, got one'],
    ...['https://id.example/a;b', 'https://id.example//other.example', 'https://id.example/a/:b'].map(
      (text) => [
        text,
        `expected a path of one or more segments of letters, digits and -._~!$&'()*+,=@%, got ${JSON.stringify(text)}`,
      ],
    ),
    ...[
      ['https://ID.example', 'https://id.example'],
      ['https://id.example:443', 'https://id.example'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
      ['https://id.example/ü', 'https://id.example/%C3%BC'],
      ['https://id.example/a/../b', 'https://id.example/b'],
      ['https://id.example/a"b', 'https://id.example/a%22b'],
      ['https://id.example\\a', 'https://id.example/a'],
    ].map(([text, normal]) => [
      String(text),
      `expected it as browsers and clients write it, ${JSON.stringify(normal)}, since the issuer is compared byte for byte; got ${JSON.stringify(text)}`,
    ]),
    ...['http://id.example', 'http://192.168.1.7:8080', 'http://localhost.example'].map((text) => [
      text,
      `expected https, or http on localhost, 127.0.0.1 or [::1], got ${JSON.stringify(text)}`,
    ]),
  ])('refuses the public address %s', async (baseUrl, fault) => {
    expect(await faultsOf({ flags: { baseUrl: String(baseUrl) } })).toEqual([
      `baseUrl (PROOFGATE_BASE_URL): ${fault}`,
    ]);
  });

  it('refuses refreshes that are larger than the listener takes, unless refresh is off', async () => {
    const flags = { 'http.bodyLimitBytes': '1048575' };
    expect(await faultsOf({ flags })).toEqual([
      expect.stringContaining(
        'http.bodyLimitBytes (PROOFGATE_HTTP_BODY_LIMIT_BYTES): expected at least refresh.bodyLimitBytes (1048576)',
      ),
    ]);
    await load({ flags: { ...flags, 'refresh.enabled': 'false' } });
    await load({ flags: { ...flags, 'refresh.bodyLimitBytes': '1048575' } });
  });

  it('refuses an issuer schema id above a u64', async () => {
    expect(await faultsOf({ flags: { 'refresh.issuerSchemaId': '18446744073709551616' } })).toEqual([
      expect.stringContaining('refresh.issuerSchemaId'),
    ]);
  });

  it('refuses a bridge that takes larger bodies than the listener, unless the bridge is off', async () => {
    const flags = { 'http.bodyLimitBytes': '65535', 'refresh.enabled': 'false' };
    expect(await faultsOf({ flags })).toEqual([
      'http.bodyLimitBytes (PROOFGATE_HTTP_BODY_LIMIT_BYTES): expected at least bridge.bodyLimitBytes (65536), since no body may be larger; got 65535',
    ]);
    const enough = { ...flags, 'http.bodyLimitBytes': '65536' };
    expect((await load({ flags: enough })).config.bridge.bodyLimitBytes).toBe(65_536);
    expect(
      (await load({ flags: { ...flags, 'bridge.enabled': 'false', 'signin.enabled': 'false' } })).config
        .bridge.enabled,
    ).toBe(false);
  });

  it('refuses sign-in without a bridge, unless another one is named', async () => {
    const flags = { 'bridge.enabled': 'false' };
    expect(await faultsOf({ flags })).toEqual([
      'bridge.enabled (PROOFGATE_BRIDGE_ENABLED): expected true, or another bridge in bridge.url: no wallet could answer a sign-in',
    ]);
    const elsewhere = await load({ flags: { ...flags, 'bridge.url': 'https://bridge.example' } });
    expect(elsewhere.config.bridge.enabled).toBe(false);
  });

  it('refuses a publish lead that does not exceed the time others cache the key set', async () => {
    const flags = { 'keys.publishLeadSeconds': '3605' };
    expect(await faultsOf({ flags })).toEqual([
      'keys.publishLeadSeconds (PROOFGATE_KEYS_PUBLISH_LEAD_SECONDS): expected more than keys.jwksMaxAgeSeconds + storage.cacheSeconds (3605), else a key signs before verifiers know it; got 3605',
    ]);
    const longer = await load({ flags: { 'keys.publishLeadSeconds': '3606' } });
    expect(longer.config.keys.publishLeadSeconds).toBe(3606);
    const uncached = { ...flags, 'storage.cacheSeconds': '4' };
    expect((await load({ flags: uncached })).config.keys.publishLeadSeconds).toBe(3605);
  });

  it.each(['signin.accessTokenTtlSeconds', 'signin.idTokenTtlSeconds'])(
    'refuses keys that leave the set before a token of %s ends',
    async (ttl) => {
      const flags = { [ttl]: '6901' };
      expect(await faultsOf({ flags })).toEqual([
        'keys.retireAfterSeconds (PROOFGATE_KEYS_RETIRE_AFTER_SECONDS): expected at least the longest token life + 300 (7201), else valid tokens are refused; got 7200',
      ]);
      expect((await load({ flags: { [ttl]: '6900' } })).config.keys.retireAfterSeconds).toBe(7200);
    },
  );

  it.each(['keys.masterKey', 'keys.masterKeyPrevious', 'apps.secretHmacKey'])(
    'takes 32 bytes of either base64 for %s and nothing else',
    async (key) => {
      for (const text of [`${'A'.repeat(42)}w=`.replaceAll('A', '+'), `${'_-'.repeat(21)}w`]) {
        expect((await load({ flags: { [key]: text } })).values[key]).toBe(text);
      }
      for (const text of ['A'.repeat(42), 'A'.repeat(44), '00'.repeat(32), `+${'A'.repeat(42)}`]) {
        expect(await faultsOf({ flags: { [key]: text } })).toEqual([
          `${key} (${envName(key)}): expected 32 bytes in base64 or base64url, got (set, ${text.length} characters)   from flag`,
        ]);
      }
    },
  );

  it('refuses one TLS file without the other', async () => {
    expect(await faultsOf({ flags: { 'tls.certFile': '/cert.pem' } })).toEqual([
      'tls.keyFile (PROOFGATE_TLS_KEY_FILE): expected tls.certFile and tls.keyFile together, got one of them',
    ]);
    expect(await faultsOf({ flags: { 'tls.keyFile': '/key.pem' } })).toEqual([
      'tls.certFile (PROOFGATE_TLS_CERT_FILE): expected tls.certFile and tls.keyFile together, got one of them',
    ]);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '300.1.1.1',
    'fd00::/129',
    '::ffff:10.0.0.1',
    '0:0::ffff:a00:1/128',
    '1:2:3',
    '10.0.0.0/08',
  ])('refuses %s among the trusted proxies', async (block) => {
    expect(await faultsOf({ flags: { 'proxy.trusted': `10.0.0.0/8,${block},fd00::1` } })).toEqual([
      `proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected IP addresses or CIDR blocks, IPv4 in its own form, got "${block}"`,
    ]);
  });

  it('takes trusted proxies as a list of the file, as JSON and separated by commas', async () => {
    const trusted = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'];
    for (const text of [trusted.join(', '), JSON.stringify(trusted)]) {
      expect((await load({ flags: { 'proxy.trusted': text } })).config.proxy.trusted).toEqual(trusted);
    }
    await put('proofgate.config.json', { proxy: { trusted } });
    expect((await load()).config.proxy.trusted).toEqual(trusted);
    expect(await faultsOf({ flags: { 'proxy.trusted': '["10.0.0.0/8"' } })).toEqual([
      'proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected IP addresses or CIDR blocks, separated by commas, got "[\\"10.0.0.0/8\\""   from flag',
    ]);
  });

  it('warns of a named header and of PROXY where no proxy is trusted', async () => {
    const { warnings } = await load({ flags: { 'proxy.header': 'forwarded', 'proxy.protocolV2': 'true' } });
    expect(warnings).toEqual([
      'proxy.protocolV2 has no effect while proxy.trusted is empty',
      'proxy.header (forwarded) has no effect while proxy.trusted is empty',
    ]);
  });

  it('refuses PROXY before TLS that ends in the process', async () => {
    const flags = { 'tls.certFile': '/c.pem', 'tls.keyFile': '/k.pem', 'proxy.trusted': '::1' };
    expect(await faultsOf({ flags: { ...flags, 'proxy.protocolV2': 'true' } })).toEqual([
      'proxy.protocolV2 (PROOFGATE_PROXY_PROTOCOL_V2): expected false with tls.certFile: a proxy sends the PROXY header before TLS begins, where it cannot be read',
    ]);
  });

  it('never shows a secret in a fault', async () => {
    await put('proofgate.config.json', { storage: { url: 12_345_678 } });
    const faults = await faultsOf({ env: { PROOFGATE_ADMIN_TOKEN: 'short-secret' } });
    expect(faults).toEqual([
      'admin.token (PROOFGATE_ADMIN_TOKEN): expected 16 to 512 visible ASCII characters, got (set, 12 characters)   from env',
      'storage.url (PROOFGATE_STORAGE_URL): expected libsql:<path>, got a number   from file',
    ]);
    const broken = await put('broken.json', '{"admin":{"token":"short-secret"} x}');
    const [fault] = await faultsOf({ configFile: broken });
    expect(fault).toContain(`${broken}: expected JSON`);
    expect(fault).not.toContain('short');
  });

  it('refuses a named file that does not exist, a folder, and a file that is no object', async () => {
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
