// Rules: spec/operations.md#commands-on-a-running-service
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AdminClient, startAdmin } from '../../admin/support/admin-client.ts';
import { builtInJson } from '../../support/crypto/make-zkey.ts';
import { makeCertificate } from '../../support/server/certificate.ts';
import { endServer, listen } from '../../support/server/listen.ts';
import { type CliInput, type CliResult, expectFailure, makeCliFolder, runIn } from '../support/cli.ts';

const CALLBACK = 'https://shop.example/cb';

let admin: AdminClient;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  admin = await startAdmin();
  // Neither settings nor a store: only the token.
  folder = await mkdtemp(join(tmpdir(), 'proofgate-operator-'));
  env = { PROOFGATE_ADMIN_TOKEN: admin.token };
});

afterAll(async () => {
  await admin.app.stop();
  await rm(folder, { recursive: true });
});

function run(argv: readonly string[], input: CliInput = {}): Promise<CliResult> {
  return runIn(folder, argv, { env, ...input });
}

function onServer(argv: readonly string[], input: CliInput = {}): Promise<CliResult> {
  return run([...argv, '--server', admin.app.adminUrl], input);
}

/** Runs a command on a store of its own. */
async function onStore(argv: readonly string[], input: CliInput = {}): Promise<CliResult> {
  const local = await makeCliFolder();
  try {
    return await local.run(argv, input);
  } finally {
    await local.remove();
  }
}

async function json(argv: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await onServer([...argv, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('commands with --server', () => {
  it('add, show, list, change and remove an app of a running service, with the output of the same commands on a store', async () => {
    const added = await json(['apps', 'add', '--name', 'Shop', '--redirect-uri', CALLBACK, '--no-dpop']);
    expect(added).toMatchObject({ name: 'Shop', client_secret: expect.stringMatching(/^sk_/) });
    const id = String(added.app_id);
    const local = await makeCliFolder();
    try {
      const members = Object.keys(await local.json(['apps', 'add', '--redirect-uri', CALLBACK]));
      expect(Object.keys(added)).toEqual(members);
    } finally {
      await local.remove();
    }
    const { apps } = (await json(['apps', 'list'])) as { apps: { app_id: string }[] };
    expect(apps.map(({ app_id }) => app_id)).toContain(id);
    const changes = ['--add-redirect-uri', `${CALLBACK}2`, '--require-par', '--no-policy'];
    expect(await json(['apps', 'update', id, ...changes])).toMatchObject({
      redirect_uris: [CALLBACK, `${CALLBACK}2`],
      require_pushed_authorization_requests: true,
    });
    expect(await json(['apps', 'disable', id])).toMatchObject({ status: 'disabled' });
    expect(await json(['apps', 'rotate-secret', id, '--overlap', '1h'])).toMatchObject({
      secrets: [{}, { expires_at: null }],
    });
    expect(await json(['apps', 'show', id])).toMatchObject({ status: 'disabled', secrets: [{}, {}] });
    expect(await json(['apps', 'remove', id, '--yes'])).toMatchObject({ removed: { app_id: id } });
    const { items } = (await admin.call(`GET /audit?target=${id}`)).body;
    expect(items.map(({ action, actor }) => [actor, action])).toContainEqual(['api:config', 'app.created']);
  });

  it('register an app with the secret that it already has', async () => {
    const secret = `sk_${'0123456789abcdef'.repeat(3)}`;
    const argv = ['apps', 'add', '--redirect-uri', CALLBACK, '--client-secret-file', '-', '--json'];
    const { stdout } = await onServer(argv, { stdin: secret });
    expect(JSON.parse(stdout)).toMatchObject({ client_secret: secret });
    const wrong = await onServer(argv, { stdin: 'hunter2' });
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/app\.invalid.*client_secret: expected/),
    ]);
    expect(wrong.stderr).not.toContain('hunter2');
  });

  it('send an empty body if every member of it is absent', async () => {
    const { app_id } = await json(['apps', 'add', '--redirect-uri', CALLBACK]);
    expect(await json(['apps', 'rotate-secret', String(app_id)])).toMatchObject({ secrets: [{}, {}] });
  });

  it('refuse an id that would make the path that of another operation', async () => {
    for (const sid of ['', '.', '..']) {
      const { code, stderr } = await onServer(['sessions', 'revoke', sid, '--yes']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cli.usage: sid: expected an id')]);
    }
  });

  it('read and write what else the admin API has', async () => {
    const root = ['--environment', 'staging', '--tree', 'orb', '--root', '0x5'];
    expect(await json(['roots', 'add', ...root, '--received-at', '1700000000000'])).toEqual({
      environment: 'staging',
      tree: 'orb',
      root: `0x${'5'.padStart(64, '0')}`,
      received_at: '2023-11-14T22:13:20.000Z',
      superseded_at: null,
      key: null,
    });
    expect(await json(['roots', 'list', '--tree', 'orb'])).toMatchObject({
      roots: expect.arrayContaining([expect.objectContaining({ environment: 'staging' })]),
    });
    expect((await json(['keys', 'list', '--use', 'signin'])).keys).toHaveLength(2);
    expect(await json(['roots', 'sources', 'list'])).toEqual({ sources: [] });
    expect(await json(['webhooks', 'list'])).toEqual({ webhooks: [] });
    expect((await json(['vkey', 'list'])).keys).not.toEqual([]);
    expect(await json(['orb-keys', 'list', 'orb-1'])).toEqual({ keys: [] });
    expect(await json(['refresh', 'enable'])).toMatchObject({ enabled: true });
    expect((await json(['audit', 'list', '--limit', '3'])).audit).toHaveLength(3);
    const { app_id } = await json(['apps', 'add']);
    expect(await json(['sessions', 'list', '--app', String(app_id)])).toEqual({ sessions: [] });
    const list = ['refresh-tokens', 'list', '--app', String(app_id)];
    expect(await json(list)).toEqual({ refresh_tokens: [] });
  });

  it('remove keys, import a verifying key and name the nodes, with the output of the same commands on a store', async () => {
    const { keys } = (await json(['keys', 'list'])) as {
      keys: { kid: string; use: string; state: string }[];
    };
    const kidOf = (use: string, state: string): string =>
      keys.find((key) => key.use === use && key.state === state)?.kid ?? '';
    const [active, next] = [kidOf('signin', 'active'), kidOf('signin', 'next')];
    const removal = await onServer(['keys', 'remove', active, '--yes', '--json']);
    expect([removal.code, removal.stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: the active key may/),
    ]);
    expect(JSON.parse(removal.stdout)).toEqual({
      removed: active,
      active: next,
      next: expect.stringMatching(/./),
      early: null,
    });
    const credential = kidOf('credential', 'active');
    const revocation = await onServer([
      'keys',
      'remove',
      credential,
      '--use',
      'credential',
      '--yes',
      '--json',
    ]);
    expect([revocation.code, JSON.parse(revocation.stdout)]).toEqual([
      0,
      { revoked: credential, issuer_schema_ids: ['1'], unsigned: ['1'] },
    ]);
    const key = JSON.stringify(builtInJson('semaphore-depth16'));
    const argv = ['vkey', 'import', '-', '--id', 'own', '--depth', '16', '--json'];
    const [there, here] = [await onServer(argv, { stdin: key }), await onStore(argv, { stdin: key })];
    expect([there.code, JSON.parse(there.stdout)]).toEqual([0, JSON.parse(here.stdout)]);
    const { nodes } = (await json(['nodes', 'list'])) as { nodes: object[] };
    expect(nodes.map((node) => Object.keys(node))).toEqual([['node_id', 'version', 'started_at', 'seen_at']]);
  });

  it('fail as on a store, with the same code and text', async () => {
    const local = await makeCliFolder();
    onTestFinished(() => local.remove());
    for (const argv of [
      ['keys', 'remove', 'none', '--yes'],
      ['keys', 'remove', 'none', '--use', 'credential', '--yes'],
      ['vkey', 'import', '/no/file', '--id', 'own'],
      ['vkey', 'import', '-', '--id', 'OWN'],
      ['issuers', 'add', '--environment', 'test', '--id', '1', '--x', '1', '--y', '1'],
      ['issuers', 'remove', '--environment', 'staging', '--id', 'one', '--yes'],
      ['issuers', 'remove', '--environment', 'staging', '--id', '1', '--yes'],
      ['oprf-keys', 'remove', '--environment', 'staging', '--rp-id', 'rp_0387df34f862cd4e', '--yes'],
      ['webhooks', 'test'],
      ['apps', 'show', 'app_00000000000000000000000000000000'],
      ['apps', 'add', '--app-id', 'app_x', '--redirect-uri', '/cb'],
      ['admin-tokens', 'revoke', 'at_none', '--yes'],
      ['signups', 'show', '0xff'],
      ['sessions', 'revoke', 'AAAAAAAAAAAAAAAAAAAAAA', '--yes'],
      ['apps', 'remove', 'app_1'],
    ]) {
      const [here, there] = [await local.run(argv), await onServer(argv)];
      expect([there.code, there.stderr]).toEqual([here.code, here.stderr]);
    }
  });
});

describe('a value that the schema of the service refuses', () => {
  const long = 'x'.repeat(100);
  it.each([
    [['roots', 'add', '--environment', 'test', '--tree', 'orb', '--root', '0x5']],
    [['roots', 'add', '--environment', 'staging', '--tree', 'orb', '--root', '0x5', '--received-at', 'now']],
    [['admin-tokens', 'add', '--name', '', '--scope', 'read']],
    [['admin-tokens', 'add', '--name', 'a', '--scope', 'read', '--expires-in', '5000d']],
    [['admin-tokens', 'revoke', long, '--yes']],
    [['apps', 'show', long]],
    [['sessions', 'revoke', long, '--yes']],
    [['signups', 'show', 'zz']],
    [['orb-keys', 'revoke', 'orb-1', 'zz', '--yes']],
    [['issuers', 'remove', '--environment', 'staging', '--id', long.repeat(3), '--yes']],
    [['roots', 'sources', 'reset', long, '--yes']],
  ])('has the code that it has on a store: %j', async (argv) => {
    const codeOf = ({ code, stderr }: CliResult): unknown[] => [
      code,
      /proofgate: ([\w.]+):/.exec(stderr)?.[1],
    ];
    const [here, there] = [await onStore(argv), await onServer(argv)];
    expect(codeOf(there)).toEqual(codeOf(here));
    expect(there.stderr).not.toContain('admin.invalid_request');
  });
});

describe('the token of commands with --server', () => {
  it('is read from a file or standard input, never from the command line', async () => {
    const file = join(folder, 'token');
    await writeFile(file, `${admin.token}\n`);
    const list = ['admin-tokens', 'list', '--token-file'];
    expect((await onServer([...list, file], { env: {} })).code).toBe(0);
    expect((await onServer([...list, '-'], { env: {}, stdin: admin.token })).code).toBe(0);
    expect((await onServer([...list, '-'], { env: {}, stdin: '' })).code).toBe(2);
    expect(
      (await onServer(['admin-tokens', 'list'], { env: { PROOFGATE_ADMIN_TOKEN_FILE: file } })).code,
    ).toBe(0);
    const flag = await onServer(['admin-tokens', 'list', '--admin-token', admin.token], { env: {} });
    expect([flag.code, flag.stderr.includes(admin.token)]).toEqual([78, false]);
    expect((await run([...list, file])).stderr).toContain('--token-file: expected only with --server');
  });

  it('is required, must be right, and of scope write for a change', async () => {
    const none = await onServer(['apps', 'list'], { env: {} });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('PROOFGATE_ADMIN_TOKEN')]);
    const wrong = await onServer(['apps', 'list'], { env: { PROOFGATE_ADMIN_TOKEN: 'x'.repeat(40) } });
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('proofgate: http.unauthenticated: '),
    ]);
    const { token } = await json(['admin-tokens', 'add', '--name', 'ci', '--scope', 'read']);
    const reader = { PROOFGATE_ADMIN_TOKEN: String(token) };
    expect((await onServer(['apps', 'list'], { env: reader })).code).toBe(0);
    const change = await onServer(['apps', 'add'], { env: reader });
    expect([change.code, change.stderr]).toEqual([
      1,
      expect.stringContaining('proofgate: admin.forbidden: '),
    ]);
  });

  it('is not sent in clear to another machine, nor to what is no origin', async () => {
    for (const url of [
      'http://id.example:9090',
      'http://169.254.1.1:9090',
      'id.example',
      'https://id.example/admin',
      'file:///x',
    ]) {
      const { code, stderr } = await run(['apps', 'list', '--server', url]);
      expect([url, code, stderr]).toEqual([url, 2, expect.stringContaining('cli.usage: --server: expected')]);
    }
  });
});

describe('a server that commands cannot use', () => {
  it('is absent: exit code 69', async () => {
    const server = createServer();
    const port = await listen(server);
    endServer(server);
    const { code, stderr } = await run(['apps', 'list', '--server', `http://127.0.0.1:${port}`]);
    expect(code).toBe(69);
    expect(stderr).toContain(`cli.server_unreachable: http://127.0.0.1:${port}: no answer: ECONNREFUSED`);
  });

  it('has a certificate that is not trusted: exit code 69, and nothing is sent', async () => {
    let requests = 0;
    const server = createTlsServer(await makeCertificate('127.0.0.1'), () => {
      requests += 1;
    });
    onTestFinished(() => endServer(server));
    const origin = `https://127.0.0.1:${await listen(server)}`;
    const result = run(['apps', 'list', '--server', origin]);
    await expectFailure(result, 69, 'no answer: DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(requests).toBe(0);
  });

  it.each([
    [200, '<h1>Welcome</h1>', 'status 200'],
    [404, '{"code":"later.code"}', 'status 404, later.code'],
    [302, '', 'status 302'],
    [204, '', 'status 204'],
    [200, '{"app_id":"app_1"}', 'status 200'],
    [200, '{"items":[]}', 'status 200'],
    [200, '{"items":[{"app_id":1}],"next_cursor":null}', 'status 200'],
    [200, '{"items":[],"next_cursor":"x"}', 'a list that does not end'],
    [400, '{"code":"\\u001b[31mred"}', 'status 400, \ufffd[31mred'],
  ])('answers %i with something else', async (status, body, text) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    onTestFinished(() => endServer(server));
    const origin = `http://127.0.0.1:${await listen(server)}`;
    await expectFailure(run(['apps', 'list', '--server', origin]), 1, `cli.server_answer: ${text}`);
  });
});
