import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  makeCliFolder,
  NOW,
  productionEnv,
  unapplyNewestMigration,
  useCliFolder,
} from '../../support/cli.ts';

const ID = 'app_369183bd38f1641b6964ab51d7a20434';
const RP = 'rp_47ac69c81397b357';
const folder = useCliFolder({ isShared: true });

describe('proofgate apps', () => {
  it('adds a given app with the rp_id derived from it', async () => {
    expect(await folder.json(`apps add --app-id ${ID} --name Shop`)).toEqual({
      app_id: ID,
      rp_id: RP,
      name: 'Shop',
      status: 'active',
      verification: 'registered',
      policy: { environments: ['production', 'staging'] },
      redirect_uris: [],
      response_types: [
        'code',
        'id_token',
        'id_token token',
        'code id_token',
        'code token',
        'code id_token token',
      ],
      response_types_named: false,
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
      allow_short_scheme: false,
      allowed_origins: [],
      require_pkce: false,
      signal_is_nonce: false,
      refresh_tokens: false,
      require_pushed_authorization_requests: false,
      dpop_bound_access_tokens: false,
      introspects: [],
      email_form: 'long',
      binding: 'bound',
      link_world_ids: false,
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      logo: false,
      development: true,
      created_at: new Date(NOW).toISOString(),
      updated_at: new Date(NOW).toISOString(),
      version: NOW,
    });
  });

  it('generates an id and prints text', async () => {
    const { code, stdout } = await folder.run('apps add');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^app_id +app_[0-9a-f]{32}\nrp_id +rp_[0-9a-f]{16}\n/);
  });

  it('refuses an existing app and a malformed id', async () => {
    const again = await folder.run(['apps', 'add', '--app-id', ID]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('proofgate: app.exists: ');
    const wrong = await folder.run('apps add --app-id app_x');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('proofgate: app.invalid: app_id: expected ');
  });

  it('adds an app under another rp_id, which can be changed and belongs to one app', async () => {
    const app = 'app_00000000000000000000000000000001';
    const added = await folder.json(['apps', 'add', '--app-id', app, '--rp-id', 'rp_0387DF34F862CD4E']);
    expect(added.rp_id).toBe('rp_0387df34f862cd4e');
    for (const argv of [
      ['add', '--rp-id', 'rp_0387df34f862cd4e'],
      ['update', app, '--rp-id', RP],
    ]) {
      const { code, stderr } = await folder.run(['apps', ...argv]);
      expect([code, /app\.\w+/.exec(stderr)?.[0]]).toEqual([1, 'app.rp_id_taken']);
    }
    const moved = await folder.json('apps update rp_0387df34f862cd4e --rp-id rp_0387df34f862cd4f');
    expect(moved).toMatchObject({ app_id: app, rp_id: 'rp_0387df34f862cd4f' });
    await folder.json(['apps', 'remove', app, '--yes']);
  });

  it('lists all apps, as a table and as JSON', async () => {
    const { apps } = await folder.json<{ apps: { app_id: string }[] }>('apps list');
    expect(apps).toHaveLength(2);
    expect(apps.map((app) => app.app_id)).toContain(ID);
    const { stdout } = await folder.run('apps list');
    expect(stdout.split('\n')[0]).toMatch(/^app_id +rp_id +status +verification +sign-in +name$/);
    expect(stdout).toContain(`${ID}  ${RP}  active  registered`);
  });

  it('shows an app by either id', async () => {
    expect((await folder.json(['apps', 'show', ID])).rp_id).toBe(RP);
    expect((await folder.json(['apps', 'show', RP.toUpperCase().replace('RP', 'rp')])).app_id).toBe(ID);
    const unknown = await folder.run('apps show app_00000000000000000000000000000000');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('proofgate: app.unknown: ');
  });

  it('changes name and verification state', async () => {
    const later = NOW + 5000;
    const change = ['apps', 'update', ID, '--name', 'Other', '--verification', 'deactivated'];
    expect(await folder.json(change, { now: later })).toMatchObject({
      name: 'Other',
      verification: 'deactivated',
      created_at: new Date(NOW).toISOString(),
      updated_at: new Date(later).toISOString(),
    });
    const nothing = await folder.run(['apps', 'update', ID]);
    expect(nothing.code).toBe(2);
    expect(nothing.stderr).toContain('nothing to change: pass --name or another option');
  });

  it('disables and enables', async () => {
    expect((await folder.json(['apps', 'disable', ID])).status).toBe('disabled');
    expect((await folder.json(['apps', 'show', ID])).status).toBe('disabled');
    expect((await folder.json(['apps', 'enable', ID])).status).toBe('active');
    expect((await folder.run('apps enable app_1')).code).toBe(1);
  });

  it('removes only when confirmed', async () => {
    const unasked = await folder.run(['apps', 'remove', ID]);
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain('proofgate: cli.refused: ');
    expect(unasked.stderr).toContain('pass --yes');
    const no = await folder.run(`apps remove ${ID}`, {
      isInteractive: true,
      stdin: Readable.from(['n\n']),
    });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain(`Remove app ${ID} (Other)? [y/N] `);
    expect((await folder.run(['apps', 'show', ID])).code).toBe(0);
    const yes = await folder.run(`apps remove ${ID}`, {
      isInteractive: true,
      stdin: Readable.from(['yes\n']),
    });
    expect(yes.code).toBe(0);
    expect(yes.stdout).toBe(`removed ${ID}\n`);
    expect((await folder.run(['apps', 'show', ID])).code).toBe(1);
  });

  it('removes without asking with --yes', async () => {
    await folder.run(['apps', 'add', '--app-id', ID]);
    expect(await folder.json(['apps', 'remove', RP, '--yes'])).toMatchObject({ removed: { app_id: ID } });
  });
});

describe('proofgate apps in production', () => {
  it('refuses to guess the store', async () => {
    const { code, stderr } = await folder.run('apps list', { env: { PROOFGATE_PROFILE: 'production' } });
    expect(code).toBe(78);
    expect(stderr).toContain('storage.url (PROOFGATE_STORAGE_URL): required when profile is "production"');
  });

  it('refuses a store that is not migrated, and adds apps without the development mark afterwards', async () => {
    const production = await makeCliFolder();
    onTestFinished(() => production.remove());
    const env = productionEnv(production.path);
    unapplyNewestMigration(production.path);
    const early = await production.run('apps add', { env });
    expect(early.code).toBe(78);
    expect(early.stderr).toContain('proofgate: store.migrations_pending: ');
    expect((await production.run('migrate up', { env })).code).toBe(0);
    expect((await production.json('apps add', { env })).development).toBe(false);
  });
});
