// Rules: spec/sign-in.md#client-administration
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ShownApp } from '../../../../src/apps/show-app.ts';
import { type CliFolder, makeCliFolder, NOW, productionEnv, useCliFolder } from '../../support/cli.ts';

const CALLBACK = 'https://shop.example/cb';
const SECRET = `sk_${'0123456789abcdef'.repeat(3)}`;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const DAY_MS = 24 * 3_600_000;
const folder = useCliFolder({ isShared: true });

type Shown = ShownApp & { readonly client_secret?: string; readonly secret_id?: string };

beforeAll(async () => {
  await writeFile(join(folder.path, 'logo.png'), PNG);
});

async function json(argv: readonly string[], input: Parameters<CliFolder['run']>[1] = {}): Promise<Shown> {
  return (await folder.json<unknown>(argv, input)) as Shown;
}

async function add(...options: readonly string[]): Promise<Shown> {
  return await json(['apps', 'add', '--redirect-uri', CALLBACK, ...options]);
}

/** Standard error of a refused command. */
async function refusal(argv: readonly string[], code = 1): Promise<string> {
  const result = await folder.run(argv);
  expect(result.code, result.stderr).toBe(code);
  expect(result.stdout).toBe('');
  return result.stderr;
}

describe('proofgate apps, where signin.allowLocalLogout is off', () => {
  it('refuse a backchannel_logout_uri of this machine', async () => {
    const env = { PROOFGATE_SIGNIN_ALLOW_LOCAL_LOGOUT: 'false' };
    const uri = ['--backchannel-logout-uri', 'https://127.0.0.1/out'];
    const { app_id: id } = await add();
    for (const argv of [
      ['apps', 'add', '--redirect-uri', CALLBACK, ...uri],
      ['apps', 'update', id, ...uri],
    ]) {
      await folder.fails(argv, 1, 'signin.allowLocalLogout', { env });
      expect((await folder.run(argv)).code).toBe(0);
    }
  });
});

describe('proofgate apps add, for sign-in', () => {
  it('shows the secret once', async () => {
    const app = await add('--name', 'Shop', '--redirect-uri', 'https://shop.example/other');
    expect(app.client_secret).toMatch(/^sk_[0-9a-f]{48}$/);
    expect(app).toMatchObject({
      redirect_uris: [CALLBACK, 'https://shop.example/other'],
      token_endpoint_auth_method: 'client_secret_basic',
      secrets: [{ created_at: new Date(NOW).toISOString(), expires_at: null }],
    });
    for (const command of [
      ['apps', 'show', app.app_id],
      ['apps', 'list'],
      ['apps', 'update', app.app_id, '--name', 'Shop 2'],
    ]) {
      for (const argv of [command, [...command, '--json']]) {
        const { stdout, stderr } = await folder.run(argv);
        expect(stdout).toContain(app.app_id);
        expect(stdout + stderr).not.toContain(app.client_secret);
      }
    }
    expect(await json(['apps', 'show', app.app_id])).toMatchObject({ secrets: app.secrets });
  });

  it('prints the secret as text and advises to keep it', async () => {
    const { stdout } = await folder.run(['apps', 'add', '--redirect-uri', CALLBACK]);
    expect(stdout).toMatch(/^client_secret +sk_[0-9a-f]{48}$/m);
    expect(stdout).toMatch(new RegExp(`^redirect_uri +${CALLBACK}$`, 'm'));
    expect(stdout).toContain('Save the client secret now: it is not shown again.');
  });

  it('creates public and native clients without a secret', async () => {
    const app = await json([
      'apps',
      'add',
      '--public',
      '--native',
      '--redirect-uri',
      'com.example.app:/cb',
      '--redirect-uri',
      'http://127.0.0.1/cb',
    ]);
    expect(app).toMatchObject({ token_endpoint_auth_method: 'none', application_type: 'native' });
    expect(app.client_secret).toBeUndefined();
    const agreeing = ['--public', '--auth-method', 'none', '--native', '--application-type', 'native'];
    expect(await add(...agreeing)).toMatchObject({ token_endpoint_auth_method: 'none' });
    const differing = await refusal(['apps', 'add', '--public', '--auth-method', 'client_secret_post'], 2);
    expect(differing).toContain('--public means none, but client_secret_post was given too');
  });

  it('accepts every field', async () => {
    const app = await add(
      '--staging',
      '--response-types',
      'code, token id_token code',
      '--auth-method',
      'client_secret_post',
      '--require-pkce',
      '--signal-is-nonce',
      '--logo',
      join(folder.path, 'logo.png'),
      '--redirect-uri',
      'http://shop.test:3000/cb',
    );
    expect(app.app_id).toMatch(/^app_staging_[0-9a-f]{32}$/);
    expect(app).toMatchObject({
      response_types: ['code', 'code id_token token'],
      token_endpoint_auth_method: 'client_secret_post',
      require_pkce: true,
      signal_is_nonce: true,
      logo: true,
      redirect_uris: [CALLBACK, 'http://shop.test:3000/cb'],
    });
  });

  it('imports an app with its existing secret, from a file and from standard input', async () => {
    const path = join(folder.path, 'secret');
    await writeFile(path, `${SECRET}\n`);
    const ids = ['app_369183bd38f1641b6964ab51d7a20434', 'app_staging_cb4113a6f4f9dcd1f6cd6e05377dd614'];
    const [one = '', two = ''] = ids;
    expect(await add('--app-id', one, '--client-secret-file', path)).toMatchObject({ client_secret: SECRET });
    const argv = ['apps', 'add', '--redirect-uri', CALLBACK, '--app-id', two, '--client-secret-file', '-'];
    expect(await json(argv, { stdin: SECRET })).toMatchObject({ app_id: two, client_secret: SECRET });
    const wrong = await folder.run(argv, { stdin: 'hunter2' });
    expect(wrong.stderr).toContain('app.invalid: client_secret: expected sk_ and 48 lower-case hex digits');
    expect(wrong.stderr).not.toContain('hunter2');
  });

  it.each([
    [
      ['--redirect-uri', 'http://shop.example/cb'],
      'redirect_uris[0]: "http://shop.example/cb" is http, which',
    ],
    [
      ['--post-logout-redirect-uri', 'http://shop.example/bye'],
      'post_logout_redirect_uris[0]: "http://shop.example/bye" is http, which',
    ],
    [
      ['--backchannel-logout-uri', 'http://10.0.0.1/logout'],
      'backchannel_logout_uri: "http://10.0.0.1/logout" is http, which',
    ],
    [
      ['--native', '--backchannel-logout-uri', 'org.example.app:/logout'],
      'backchannel_logout_uri: "org.example.app:/logout" is not an http or https address',
    ],
    [['--redirect-uri', '/cb'], 'redirect_uris[0]: "/cb" is not absolute'],
    [['--response-types', 'token'], 'response_types[0]: expected one or more of "code"'],
    [['--response-types', ''], 'response_types[0]: expected one or more of "code"'],
    [['--logo', 'SECRETLESS'], 'SECRETLESS cannot be read', 2],
    [['--logo', import.meta.filename], 'expected a PNG, JPEG or WebP, got other first bytes'],
    [['--staging', '--app-id', 'app_369183bd38f1641b6964ab51d7a20434'], '--staging generates an id', 2],
    [['--application-type', 'desktop'], "argument 'desktop' is invalid. Allowed choices are web, native", 2],
  ])('refuses %o', async (options, text, code = 1) => {
    expect(await refusal(['apps', 'add', ...options], code)).toContain(text);
  });
});

describe('proofgate apps update', () => {
  it('adds and removes redirect URIs, turns switches on and off, and leaves the rest', async () => {
    const { app_id: id } = await add('--require-pkce');
    const other = 'https://other.example/cb';
    const updated = await json([
      'apps',
      'update',
      id,
      '--add-redirect-uri',
      other,
      '--remove-redirect-uri',
      CALLBACK,
      '--signal-is-nonce',
      '--logo',
      join(folder.path, 'logo.png'),
      '--response-types',
      'code',
    ]);
    expect(updated).toMatchObject({
      redirect_uris: [other],
      require_pkce: true,
      signal_is_nonce: true,
      logo: true,
      response_types: ['code'],
    });
    const back = ['apps', 'update', id, '--no-require-pkce', '--no-signal-is-nonce', '--no-logo'];
    expect(await json(back)).toMatchObject({
      redirect_uris: [other],
      require_pkce: false,
      signal_is_nonce: false,
      logo: false,
      response_types: ['code'],
    });
    const missing = ['apps', 'update', id, '--remove-redirect-uri', 'https://x.example/'];
    expect(await refusal(missing)).toContain('redirect_uris: "https://x.example/" is not a URI of the app');
    const twice = ['apps', 'update', id, '--add-redirect-uri', other];
    expect(await refusal(twice)).toContain('redirect_uris: expected at most 50 different URIs');
    const refused = ['apps', 'update', id, '--add-redirect-uri', 'http://x.example/', '--name', 'Not kept'];
    expect(await refusal(refused)).toContain('redirect_uris[1]: "http://x.example/" is http');
    expect(await json(['apps', 'show', id])).toMatchObject({ name: id, redirect_uris: [other] });
  });

  it('turns refresh tokens, pushed requests, DPoP and sign-out on and off', async () => {
    const [bye, logout] = ['https://shop.example/bye', 'https://shop.example/logout'];
    const on = {
      refresh_tokens: true,
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: true,
      post_logout_redirect_uris: [bye],
      backchannel_logout_uri: logout,
    };
    const switches = ['--refresh-tokens', '--require-par', '--dpop', '--backchannel-logout-uri', logout];
    expect(await add(...switches, '--post-logout-redirect-uri', bye)).toMatchObject(on);
    const { app_id: id } = await add();
    const update = ['apps', 'update', id];
    expect(await json([...update, ...switches, '--add-post-logout-redirect-uri', bye])).toMatchObject(on);
    expect((await folder.run(['apps', 'show', id])).stdout).toMatch(/backchannel_logout_uri +https:/);
    const off = ['--no-refresh-tokens', '--no-require-par', '--no-dpop', '--no-backchannel-logout-uri'];
    expect(await json([...update, ...off, '--remove-post-logout-redirect-uri', bye])).toMatchObject({
      refresh_tokens: false,
      require_pushed_authorization_requests: false,
      dpop_bound_access_tokens: false,
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
    });
    const absent = [...update, '--remove-post-logout-redirect-uri', bye];
    expect(await refusal(absent)).toContain(`post_logout_redirect_uris: "${bye}" is not a URI of the app`);
  });

  it('explains how a client without a secret gets one', async () => {
    const { app_id: id } = await json(['apps', 'add']);
    const { stderr } = await folder.run(['apps', 'update', id, '--add-redirect-uri', CALLBACK]);
    expect(stderr).toBe(`the app has no client secret yet: run proofgate apps rotate-secret ${id}\n`);
    const { client_secret } = await json(['apps', 'rotate-secret', id]);
    expect(client_secret).toMatch(/^sk_/);
    expect((await folder.run(['apps', 'update', id, '--name', 'Shop'])).stderr).toBe('');
  });
});

describe('proofgate apps rotate-secret and remove-secret', () => {
  it('adds a new secret; the old one expires after a day', async () => {
    const app = await add();
    const later = NOW + 1000;
    const rotated = await json(['apps', 'rotate-secret', app.app_id], { now: later });
    expect(rotated.client_secret).not.toBe(app.client_secret);
    expect(rotated.secrets).toEqual([
      { ...app.secrets?.[0], expires_at: new Date(later + DAY_MS).toISOString() },
      { secret_id: rotated.secret_id, created_at: new Date(later).toISOString(), expires_at: null },
    ]);
    const show = ['apps', 'show', app.app_id];
    expect((await json(show, { now: later + DAY_MS - 1 })).secrets).toHaveLength(2);
    expect((await json(show, { now: later + DAY_MS })).secrets).toHaveLength(1);
  });

  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['7d', 7 * DAY_MS],
  ])('keeps the old one valid for %s', async (overlap, overlapMs) => {
    const { app_id: id } = await add();
    const { secrets } = await json(['apps', 'rotate-secret', id, '--overlap', overlap], { now: NOW + 1 });
    expect(secrets?.[0]?.expires_at).toBe(new Date(NOW + 1 + overlapMs).toISOString());
  });

  it('refuses a third secret until one is removed', async () => {
    const { app_id: id, secrets } = await add();
    await json(['apps', 'rotate-secret', id], { now: NOW + 1 });
    const third = await refusal(['apps', 'rotate-secret', id]);
    expect(third).toContain('proofgate: app.two_secrets: ');
    const secretId = secrets?.[0]?.secret_id ?? '';
    expect(await refusal(['apps', 'remove-secret', id, secretId])).toContain('pass --yes');
    const removed = await json(['apps', 'remove-secret', id, secretId, '--yes']);
    expect(removed.secrets?.map((secret) => secret.secret_id)).not.toContain(secretId);
    expect(removed.secrets).toHaveLength(1);
    expect((await json(['apps', 'rotate-secret', id])).secrets).toHaveLength(2);
  });

  it('refuses a public client, an unknown secret, an unknown app and a malformed overlap', async () => {
    const { app_id: id } = await add('--public');
    expect(await refusal(['apps', 'rotate-secret', id])).toContain('proofgate: app.public: ');
    const unknown = ['apps', 'remove-secret', id, 'cs_0', '--yes'];
    expect(await refusal(unknown)).toContain('proofgate: app.secret_unknown: ');
    expect(await refusal(['apps', 'rotate-secret', 'app_1'])).toContain('proofgate: app.unknown: ');
    for (const overlap of ['24', '1 h', '-1h', 'soon']) {
      const argv = ['apps', 'rotate-secret', id, `--overlap=${overlap}`];
      expect(await refusal(argv, 2)).toContain('--overlap: expected a duration such as 90s');
    }
  });
});

describe('apps of the configuration, seen by commands', () => {
  const ID = 'app_00000000000000000000000000000001';
  const list = [{ client_id: ID, name: 'Listed', redirect_uris: [CALLBACK], client_secret: SECRET }];
  const env = { PROOFGATE_APPS_LIST: JSON.stringify(list) };

  it('are listed and shown without their secret', async () => {
    const shown = await json(['apps', 'show', ID], { env });
    expect(shown).toMatchObject({ name: 'Listed', created_at: null, secrets: [{ created_at: null }] });
    const { stdout } = await folder.run('apps list', { env });
    expect(stdout).toMatch(new RegExp(`^${ID} .* confidential +Listed$`, 'm'));
    const text = await folder.run(['apps', 'show', ID], { env });
    expect(text.stdout).toMatch(/^created_at +by the configuration$/m);
    const explained = await folder.run('config explain', { env });
    expect(explained.stdout).toContain('"client_secret":"(set, 51 characters)"');
    for (const output of [JSON.stringify(shown), stdout, text.stdout, explained.stdout]) {
      expect(output).not.toContain(SECRET);
    }
  });

  it('cannot be changed', async () => {
    for (const argv of [
      ['apps', 'update', ID, '--name', 'Mine'],
      ['apps', 'disable', ID],
      ['apps', 'rotate-secret', ID],
      ['apps', 'remove', ID, '--yes'],
    ]) {
      await folder.fails(argv, 1, `proofgate: app.read_only: app ${ID} is in apps.list`, { env });
    }
  });

  it('make a command fail when one is in the registry too', async () => {
    await json(['apps', 'add', '--app-id', ID]);
    await folder.fails('apps list', 78, `apps.list "${ID}" is in the registry too; keep one`, { env });
    expect((await folder.run(['apps', 'remove', ID, '--yes'])).code).toBe(0);
    expect((await folder.run('apps list', { env })).code).toBe(0);
  });
});

describe('clients in production', () => {
  it('get secrets without the development mark, and may use http only on loopback', async () => {
    const production = await makeCliFolder();
    onTestFinished(() => production.remove());
    const masterKey = Buffer.alloc(32, 9).toString('base64url');
    const env = { ...productionEnv(production.path), PROOFGATE_KEYS_MASTER_KEY: masterKey };
    expect((await production.run('migrate up', { env })).code).toBe(0);
    const app = await production.json(['apps', 'add', '--redirect-uri', CALLBACK], { env });
    expect(app).toMatchObject({ development: false, client_secret: expect.stringMatching(/^sk_/) });
    const http = ['apps', 'add', '--staging', '--redirect-uri', 'http://shop.test/cb'];
    const refused = await production.run(http, { env });
    expect(refused.stderr).toContain('is http on a host other than localhost, 127.0.0.1, [::1]');
  });

  it('get no secret without a master key', async () => {
    const production = await makeCliFolder();
    onTestFinished(() => production.remove());
    const env = { ...productionEnv(production.path), PROOFGATE_KEYS_MASTER_KEY: '' };
    await production.run('migrate up', { env });
    const { code, stderr } = await production.run(['apps', 'add', '--redirect-uri', CALLBACK], { env });
    expect(code).toBe(78);
    expect(stderr).toContain('keys.masterKey (PROOFGATE_KEYS_MASTER_KEY): required');
  });
});
