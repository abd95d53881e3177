// Rules: spec/sign-in.md#client-fields
import { describe, expect, it } from 'vitest';
import type { ShownApp } from '../../../../src/apps/show-app.ts';
import { useCliFolder } from '../../support/cli.ts';

const CALLBACK = 'https://shop.example/cb';
const OTHER_ID = `app_${'1'.repeat(32)}`;
const folder = useCliFolder({ isShared: true });

type Shown = ShownApp & { readonly client_secret?: string; readonly warnings?: readonly string[] };

async function json(...argv: readonly string[]): Promise<Shown> {
  return (await folder.json<unknown>(['apps', ...argv])) as Shown;
}

describe('origins of pages', () => {
  it('are given when an app is added, and added and removed later', async () => {
    const origins = ['--allowed-origin', 'https://localhost', '--allowed-origin', 'capacitor://localhost'];
    const app = await json(
      'add',
      '--native',
      '--public',
      '--redirect-uri',
      'com.example.app:/cb',
      ...origins,
    );
    expect(app.allowed_origins).toEqual(['https://localhost', 'capacitor://localhost']);
    const change = [
      '--add-allowed-origin',
      'tauri://localhost',
      '--remove-allowed-origin',
      'https://localhost',
    ];
    const changed = await json('update', app.app_id, ...change);
    expect(changed.allowed_origins).toEqual(['capacitor://localhost', 'tauri://localhost']);
    const { stdout } = await folder.run(['apps', 'show', app.app_id]);
    expect(stdout).toMatch(/^allowed_origin +capacitor:\/\/localhost$/m);
    const gone = ['apps', 'update', app.app_id, '--remove-allowed-origin', 'https://localhost'];
    await folder.fails(gone, 1, 'allowed_origins: "https://localhost" is not an origin of the app');
  });

  it.each([
    ['https://app.example/', 'allowed_origins[0]: "https://app.example/" is not what browsers send'],
    ['null', 'allowed_origins[0]: "null" is the origin of every sandboxed page'],
    ['https://*.example', 'allowed_origins[0]: "https://*.example" has a "*"'],
  ])('are refused: %s', async (origin, text) => {
    await folder.fails(['apps', 'add', '--allowed-origin', origin], 1, text);
  });

  it('are at most 50', async () => {
    const origins = Array.from({ length: 51 }, (_, index) => [
      '--allowed-origin',
      `https://a${index}.example`,
    ]);
    const text = 'allowed_origins: expected at most 50 different origins';
    await folder.fails(['apps', 'add', ...origins.flat()], 1, text);
    const app = await json('add', ...origins.slice(1).flat());
    await folder.fails(['apps', 'update', app.app_id, '--add-allowed-origin', 'https://b.example'], 1, text);
  });
});

describe('clients whose tokens an app introspects', () => {
  it('give an API without redirect URIs a secret, and are added and removed later', async () => {
    const app = await json('add', '--redirect-uri', CALLBACK);
    const api = await json('add', '--introspects', app.app_id);
    expect(api).toMatchObject({ introspects: [app.app_id], redirect_uris: [] });
    expect(api.client_secret).toMatch(/^sk_[0-9a-f]{48}$/);
    expect(api.warnings).toBeUndefined();
    const other = await json('add');
    const change = ['--add-introspects', other.app_id, '--remove-introspects', app.app_id];
    expect((await json('update', api.app_id, ...change)).introspects).toEqual([other.app_id]);
    const { stdout } = await folder.run(['apps', 'show', api.app_id]);
    expect(stdout).toMatch(new RegExp(`^introspects +${other.app_id}$`, 'm'));
    const gone = ['apps', 'update', api.app_id, '--remove-introspects', app.app_id];
    await folder.fails(gone, 1, `introspects: "${app.app_id}" is not a client of the app`);
  });

  it('are replaced when an app is changed, and then not added or removed as well', async () => {
    const [app, other, api] = [await json('add'), await json('add'), await json('add')];
    const both = ['--introspects', app.app_id, '--introspects', other.app_id];
    expect((await json('update', api.app_id, ...both)).introspects).toEqual([app.app_id, other.app_id]);
    const one = ['update', api.app_id, '--introspects', other.app_id];
    expect((await json(...one)).introspects).toEqual([other.app_id]);
    await folder.fails(['apps', ...one, '--add-introspects', app.app_id], 2, 'pass either --introspects');
  });

  it('cause a warning if there is no such app', async () => {
    const { code, stderr } = await folder.run(['apps', 'add', '--introspects', OTHER_ID]);
    expect([code, stderr]).toEqual([0, `warning: introspects: there is no app ${OTHER_ID} yet\n`]);
    const { warnings } = await json('add', '--introspects', OTHER_ID);
    expect(warnings).toEqual([`introspects: there is no app ${OTHER_ID} yet`]);
  });

  it('are not those of a public client, not all clients, and not more than 100', async () => {
    const isNone = 'introspects: a public client cannot authenticate at /introspect';
    await folder.fails(['apps', 'add', '--public', '--introspects', OTHER_ID], 1, isNone);
    const api = await json('add', '--introspects', OTHER_ID);
    await folder.fails(['apps', 'update', api.app_id, '--auth-method', 'none'], 1, isNone);
    await folder.fails(['apps', 'add', '--introspects', '*'], 1, 'introspects[0]: expected at most 100');
    const many = Array.from({ length: 101 }, (_, index) => `app_${String(index).padStart(32, '0')}`);
    const argv = many.flatMap((id) => ['--introspects', id]);
    await folder.fails(['apps', 'add', ...argv], 1, 'introspects: expected at most 100');
  });
});

describe('the form of the e-mail address', () => {
  it('is that of the setting for a new app, unless it names its own, and stays until it is changed', async () => {
    const long = await json('add', '--redirect-uri', CALLBACK);
    expect(long.email_form).toBe('long');
    expect((await json('add', '--email-form', 'short')).email_form).toBe('short');
    const env = { PROOFGATE_SIGNIN_EMAIL_FORM: 'short' };
    const byDefault = await folder.run(['apps', 'add', '--json'], { env });
    expect(JSON.parse(byDefault.stdout).email_form).toBe('short');
    const named = await folder.run(['apps', 'add', '--email-form', 'long', '--json'], { env });
    expect(JSON.parse(named.stdout).email_form).toBe('long');
    const renamed = await folder.run(['apps', 'update', long.app_id, '--name', 'Shop', '--json'], { env });
    expect(JSON.parse(renamed.stdout).email_form).toBe('long');
    const changed = await json('update', long.app_id, '--email-form', 'short');
    expect(changed).toMatchObject({
      email_form: 'short',
      warnings: [expect.stringContaining('email_form: each person of the app has another e-mail address')],
    });
    expect((await json('update', long.app_id, '--email-form', 'short')).warnings).toBeUndefined();
  });
});

describe('schemes without a dot', () => {
  const native = ['--native', '--public'];
  const allowed = [...native, '--allow-short-scheme'];

  it.each(['audiobookshelf://oauth', 'vscode://vscode.github-authentication/did-authenticate', 'myapp:/cb'])(
    'are accepted with the option, with a warning: %s',
    async (uri) => {
      await folder.fails(['apps', 'add', ...native, '--redirect-uri', uri], 1, 'without a dot');
      const scheme = uri.split(':')[0];
      const argv = ['apps', 'add', ...allowed, '--redirect-uri', uri, '--post-logout-redirect-uri', uri];
      const { code, stderr } = await folder.run(argv);
      expect(code).toBe(0);
      expect(stderr).toContain(`warning: any other app of a device may claim the scheme ${scheme} `);
    },
  );

  it('may be allowed later, and not be disallowed while there is one', async () => {
    const app = await json('add', ...native, '--redirect-uri', 'com.example.app:/cb');
    const { app_id: id } = app;
    await folder.fails(['apps', 'update', id, '--add-redirect-uri', 'myapp://cb'], 1, 'without a dot');
    const changed = await json('update', id, '--allow-short-scheme', '--add-redirect-uri', 'myapp://cb');
    expect(changed.warnings).toHaveLength(1);
    await folder.fails(['apps', 'update', id, '--no-allow-short-scheme'], 1, 'without a dot');
    const back = ['--no-allow-short-scheme', '--remove-redirect-uri', 'myapp://cb'];
    expect((await json('update', id, ...back)).warnings).toBeUndefined();
  });

  it('are for native clients only, and never those that a browser or the system interprets', async () => {
    const web = ['apps', 'add', '--public', '--allow-short-scheme', '--redirect-uri', 'myapp://cb'];
    await folder.fails(web, 1, 'which only native clients may have');
    for (const uri of ['javascript:alert(1)', 'intent://x', 'web+shop://cb', 'file:///x', 'data:,x']) {
      await folder.fails(['apps', 'add', ...allowed, '--redirect-uri', uri], 1, 'which is never allowed');
    }
  });
});
