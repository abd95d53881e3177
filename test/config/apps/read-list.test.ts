// Rules: spec/sign-in.md#client-administration
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CLIENT } from '../../../src/config/apps/client-of.ts';
import { configJsonSchema } from '../../../src/config/settings/json-schema.ts';
import { explainConfig } from '../../../src/config/sources/explain.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import type { LoadedConfig } from '../../../src/config/sources/loaded-config.ts';
import { isServiceError } from '../../../src/errors/service-error.ts';

const ID = 'app_369183bd38f1641b6964ab51d7a20434';
const STAGING = 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614';
const SECRET = `sk_${'0123456789abcdef'.repeat(3)}`;
const CALLBACK = 'https://shop.example/cb';
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofgate-app-list-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function load(list: unknown, env: Record<string, string> = {}): Promise<LoadedConfig> {
  const path = join(folder, 'proofgate.config.json');
  await writeFile(path, JSON.stringify({ apps: { list } }), { mode: 0o600 });
  return await loadConfig({ env, cwd: folder });
}

async function faultsOf(list: unknown, env: Record<string, string> = {}): Promise<string[]> {
  try {
    await load(list, env);
  } catch (error) {
    if (!isServiceError(error, 'config.invalid')) throw error;
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  throw new Error('the configuration was accepted');
}

describe('apps.list', () => {
  it('accepts an app with only an id, which can then only verify', async () => {
    const { config } = await load([{ client_id: ID }]);
    expect(config.apps.list).toEqual([
      {
        clientId: ID,
        name: ID,
        status: 'active',
        verification: 'registered',
        policy: { environments: ['production', 'staging'] },
        client: DEFAULT_CLIENT,
        secret: undefined,
        logo: undefined,
      },
    ]);
  });

  it('accepts every field, with secret and logo from files relative to the working directory', async () => {
    await writeFile(join(folder, 'secret'), `${SECRET}\n`, { mode: 0o600 });
    await writeFile(join(folder, 'logo.png'), PNG);
    const entry = {
      client_id: STAGING,
      name: 'Shop',
      redirect_uris: [CALLBACK, 'http://127.0.0.1:3000/cb', 'myapp://cb'],
      response_types: ['code', 'code id_token'],
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'native',
      allow_short_scheme: true,
      allowed_origins: ['capacitor://localhost'],
      require_pkce: true,
      signal_is_nonce: true,
      refresh_tokens: true,
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: true,
      introspects: [`app_${'1'.repeat(32)}`],
      email_form: 'short',
      binding: 'paired',
      link_world_ids: true,
      post_logout_redirect_uris: ['https://shop.example/bye'],
      backchannel_logout_uri: 'https://shop.example/logout',
      status: 'disabled',
      verification: 'none',
      client_secret_file: 'secret',
      logo_file: './logo.png',
    };
    const { config, origins, warnings } = await load([entry]);
    expect(warnings).toContainEqual(
      expect.stringContaining(`apps.list: ${STAGING}: any other app of a device may claim the scheme myapp `),
    );
    expect(config.apps.list).toEqual([
      {
        clientId: STAGING,
        name: 'Shop',
        status: 'disabled',
        verification: 'none',
        policy: { environments: ['production', 'staging'] },
        client: {
          redirectUris: entry.redirect_uris,
          responseTypes: entry.response_types,
          tokenEndpointAuthMethod: 'client_secret_post',
          applicationType: 'native',
          allowShortScheme: true,
          allowedOrigins: ['capacitor://localhost'],
          requirePkce: true,
          signalIsNonce: true,
          refreshTokens: true,
          requirePushedAuthorizationRequests: true,
          dpopBoundAccessTokens: true,
          postLogoutRedirectUris: ['https://shop.example/bye'],
          backchannelLogoutUri: 'https://shop.example/logout',
          introspects: entry.introspects,
          emailForm: 'short',
          binding: 'paired',
          linkWorldIds: true,
        },
        secret: SECRET,
        logo: { contentType: 'image/png', bytes: PNG },
      },
    ]);
    expect(origins['apps.list']).toBe('file');
    expect(new Ajv2020().compile(configJsonSchema())({ apps: { list: [entry] } })).toBe(true);
  });

  it('can be set in a variable as JSON', async () => {
    const PROOFGATE_APPS_LIST = JSON.stringify([{ client_id: ID }]);
    const { config, origins } = await loadConfig({ env: { PROOFGATE_APPS_LIST }, cwd: folder });
    expect(config.apps.list.map((app) => app.clientId)).toEqual([ID]);
    expect(origins['apps.list']).toBe('env');
  });

  it('reports all faults together with those of other settings, each naming its entry', async () => {
    const faults = await faultsOf(
      [
        { client_id: 'app_1' },
        { client_id: ID, redirect_uris: ['http://shop.example/cb', 'https://x.example/#'], colour: 'red' },
        {
          client_id: STAGING,
          redirect_uris: ['http://shop.example/cb', `${CALLBACK}#`],
          client_secret: SECRET,
        },
        'app',
        {},
      ],
      { PROOFGATE_SERVER_PORT: '-1' },
    );
    expect(faults.sort()).toEqual([
      `apps.list[0] "app_1": client_id: expected app_ or app_staging_ and 32 lower-case hex digits, got "app_1"   from file`,
      `apps.list[1] "${ID}": colour: unknown field   from file`,
      `apps.list[2] "${STAGING}": redirect_uris[1]: "${CALLBACK}#" has a fragment   from file`,
      'apps.list[3]: app: expected an object, got a string   from file',
      'apps.list[4]: client_id: required   from file',
      'server.port (PROOFGATE_SERVER_PORT): expected 0..65535, got -1   from env',
    ]);
  });

  it.each([
    [
      { name: '' },
      'name: expected 1 to 64 characters without control, direction and invisible characters, got ""',
    ],
    [
      { name: 'a\nb' },
      'name: expected 1 to 64 characters without control, direction and invisible characters, got "a\\nb"',
    ],
    [{ name: 'Bank\u202emoc.live' }, 'name: expected 1 to 64 characters without control, direction'],
    [{ name: 'Ba\u200bnk' }, 'name: expected 1 to 64 characters without control, direction'],
    [
      { name: 'Ba\u{e0041}nk' },
      'name: expected 1 to 64 characters without control, direction and invisible characters, got a lone surrogate or an invisible character',
    ],
    [{ redirect_uris: [CALLBACK, CALLBACK] }, 'redirect_uris: expected at most 50 different URIs'],
    [{ redirect_uris: [1] }, 'redirect_uris[0]: expected at most 50 different URIs'],
    [{ response_types: [] }, 'response_types: expected one or more of "code", "id_token"'],
    [{ response_types: ['token'] }, 'response_types[0]: expected one or more of "code", "id_token"'],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth_method: expected one of'],
    [{ application_type: 'desktop' }, 'application_type: expected one of web, native, got "desktop"'],
    [{ require_pkce: 'yes' }, 'require_pkce: expected true or false, got "yes"'],
    [{ statu: 'active' }, 'statu: unknown field; did you mean status?'],
    [{ redirect_uris: [CALLBACK] }, 'client_secret: required with redirect_uris'],
    [{ client_secret: 'short' }, 'client_secret: expected sk_ and 48 lower-case hex digits'],
    [{ client_secret: SECRET, client_secret_file: 'x' }, 'client_secret: expected client_secret or'],
    [
      { client_secret: SECRET, token_endpoint_auth_method: 'none' },
      'token_endpoint_auth_method: is none, so the client must not have a secret',
    ],
    [{ logo_file: 'absent.png' }, 'logo_file: "absent.png": cannot be read: ENOENT'],
    [{ logo_file: 'proofgate.config.json' }, 'logo_file: "proofgate.config.json": expected a PNG'],
    [{ client_secret_file: 'absent' }, 'client_secret_file: the file '],
    [
      { client_secret_file: 'proofgate.config.json' },
      'client_secret_file: expected sk_ and 48 lower-case hex digits',
    ],
  ])('refuses %o', async (fields, text) => {
    const faults = await faultsOf([{ client_id: ID, ...fields }]);
    expect(faults[0]).toContain(`apps.list[0] "${ID}": ${text}`);
    expect(faults.join()).not.toContain(SECRET);
  });

  it('refuses a duplicate id', async () => {
    expect(await faultsOf([{ client_id: ID }, { client_id: STAGING }, { client_id: ID }])).toEqual([
      `apps.list[2] "${ID}": client_id: is also that of apps.list[0]   from file`,
    ]);
  });

  it('accepts http on any host only for staging clients outside production', async () => {
    const list = [
      { client_id: STAGING, redirect_uris: ['http://shop.test/cb'], token_endpoint_auth_method: 'none' },
    ];
    expect((await load(list)).config.apps.list).toHaveLength(1);
    expect(await faultsOf(list, { PROOFGATE_PROFILE: 'production' })).toEqual([
      `apps.list[0] "${STAGING}": redirect_uris[0]: "http://shop.test/cb" is http on a host other than localhost, 127.0.0.1, [::1]; expected https   from file`,
    ]);
  });

  it('shows no secret when the value is not a list or not JSON', async () => {
    expect(await faultsOf({ client_secret: SECRET })).toEqual([
      'apps.list (PROOFGATE_APPS_LIST): expected an array of apps, got an object   from file',
    ]);
    await expect(loadConfig({ env: { PROOFGATE_APPS_LIST: `[{"${SECRET}` }, cwd: folder })).rejects.toThrow(
      'apps.list (PROOFGATE_APPS_LIST): expected an array of apps, got a string   from env',
    );
    expect((await faultsOf([SECRET])).join()).not.toContain(SECRET);
  });
});

describe('secrets of apps.list', () => {
  const entry = { client_id: ID, redirect_uris: [CALLBACK], client_secret: SECRET };

  it('are masked by explain', async () => {
    const rows = explainConfig(await load([entry]));
    const row = rows.find(({ key }) => key === 'apps.list');
    expect(row?.value).toEqual([{ ...entry, client_secret: '(set, 51 characters)' }]);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });

  it('cause a warning when other users may read the configuration file', async () => {
    await load([entry]);
    const path = join(folder, 'proofgate.config.json');
    await chmod(path, 0o644);
    const { warnings } = await loadConfig({ env: {}, cwd: folder });
    expect(warnings).toEqual([
      `${path}: holds apps.list and is readable by other users; \`chmod 0600 ${path}\``,
    ]);
  });

  it('cause a warning in development and a fault in production when other users may read their file', async () => {
    const path = join(folder, 'secret');
    await writeFile(path, SECRET, { mode: 0o644 });
    const list = [{ client_id: ID, redirect_uris: [CALLBACK], client_secret_file: 'secret' }];
    const text = `apps.list[0]: client_secret_file: ${path} is readable by other users; \`chmod 0600 ${path}\``;
    expect((await load(list)).warnings).toEqual([text]);
    expect(await faultsOf(list, { PROOFGATE_PROFILE: 'production' })).toEqual([text]);
  });

  it('are refused on the command line and not shown', async () => {
    const flags = { 'apps.list': JSON.stringify([entry]) };
    const refusal: unknown = await loadConfig({ env: {}, cwd: folder, flags }).catch(
      (error: unknown) => error,
    );
    expect(String(refusal)).toMatch(
      /--apps\.list: a client_secret is .* use client_secret_file {3}from flag$/,
    );
    expect(String(refusal)).not.toContain(SECRET);
  });
});
