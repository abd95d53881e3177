import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../../src/apps/apps.ts';
import type { Grant } from '../../../../src/oidc/types.ts';
import { type CliFolder, type CliResult, NOW, useCliFolder } from '../../support/cli.ts';
import { makeSignedTemplate, type SignedFolder, signFolder } from '../../support/signed-folder.ts';

const CLIENT = `app_staging_${'1'.repeat(32)}`;
const JTI = 'a4ad2d0f-7ba1-4f3f-9e34-5f0c1f6a0f11';
const SUB = '0x2978b7ab28667fc641e0a38af57b6d177592d268a6d97aec19205a97bf456f23';
const END = new Date(NOW + 3_600_000).toISOString();
const GRANT: Grant = {
  clientId: CLIENT,
  scope: ['openid', 'email'],
  subject: { sub: SUB, level: 'orb', authTime: NOW / 1000 },
};

let template: CliFolder;
const folder = useCliFolder();
let signed: SignedFolder;
let token: string;

beforeAll(async () => {
  template = await makeSignedTemplate();
});

afterAll(() => template.remove());

beforeEach(async () => {
  await cp(template.path, folder.path, { recursive: true });
  signed = await signFolder(folder.path);
  await createApp(signed.store.apps, { appId: CLIENT, isDevelopment: true }, NOW);
  ({ token } = await signed.tokens.accessToken(GRANT, JTI));
});

afterEach(async () => {
  await signed.store.close();
});

async function introspect(stdin: string, now: number = NOW): Promise<CliResult & { readonly shown: object }> {
  const result = await folder.run('tokens introspect --json', { stdin, now });
  expect(result.stdout).not.toContain(SUB);
  if (stdin.length > 20) expect(result.stdout + result.stderr).not.toContain(stdin.trim());
  return { ...result, shown: JSON.parse(result.stdout) as object };
}

describe('proofgate tokens introspect', () => {
  const CLAIMS = {
    client_id: CLIENT,
    scope: 'openid email',
    jti: JTI,
    issued_at: new Date(NOW).toISOString(),
    expires_at: END,
    acr: 'orb',
  };

  it('shows the claims of a valid token from standard input, a file or an argument', async () => {
    const { code, shown } = await introspect(`${token}\n`);
    expect({ code, shown }).toEqual({ code: 0, shown: { active: true, ...CLAIMS } });
    const file = join(folder.path, 'token.txt');
    await writeFile(file, token);
    expect(await folder.json(['tokens', 'introspect', '--file', file])).toEqual(shown);
    expect(await folder.json(['tokens', 'introspect', '--token', token])).toEqual(shown);
    const text = (await folder.run('tokens introspect', { stdin: token })).stdout;
    expect(text).toContain('active\n');
    expect(text).toContain(JTI);
    expect(text).not.toContain(SUB);
    expect(text).not.toContain(token);
  });

  it('reports why a token is not active, with exit code 1', async () => {
    const cases: [string, number, string][] = [
      ['garbage', NOW, 'malformed'],
      [await signed.tokens.idToken(GRANT, {}), NOW, 'not_an_access_token'],
      [`${token.slice(0, -8)}AAAAAAAA`, NOW, 'bad_signature'],
      [token, NOW + 3_600_000, 'expired'],
      [token, NOW + 3_599_999, 'active'],
      [
        (await signed.tokens.accessToken({ ...GRANT, clientId: `app_${'2'.repeat(32)}` }, JTI)).token,
        NOW,
        'client_unknown',
      ],
    ];
    for (const [presented, now, reason] of cases) {
      const { code, shown } = await introspect(presented, now);
      const expected = reason === 'active' ? { active: true } : { active: false, reason };
      expect(shown).toMatchObject(expected);
      expect(code).toBe(reason === 'active' ? 0 : 1);
    }
    const { stdout } = await folder.run('tokens introspect', { stdin: 'garbage' });
    expect(stdout).toBe('not active: it is not a token of this service\n');
  });

  it('detects a disabled app, a removed key and another baseUrl', async () => {
    await signed.store.apps.update(CLIENT, { status: 'disabled' }, NOW);
    expect((await introspect(token)).shown).toMatchObject({ reason: 'client_disabled', ...CLAIMS });
    await signed.store.apps.update(CLIENT, { status: 'active' }, NOW);
    const moved = await folder.run('tokens introspect --json', {
      stdin: token,
      env: { PROOFGATE_BASE_URL: 'http://localhost:9999' },
    });
    expect(JSON.parse(moved.stdout)).toEqual({ active: false, reason: 'other_issuer' });
    const [active] = await signed.store.signingKeys.list('signin', NOW);
    await folder.json(['keys', 'remove', active?.kid ?? '', '--yes']);
    expect((await introspect(token)).shown).toEqual({ active: false, reason: 'unknown_key' });
  });

  it('requires exactly one source of the token', async () => {
    for (const argv of [
      ['tokens', 'introspect'],
      ['tokens', 'introspect', '--file', join(folder.path, 'absent')],
      ['tokens', 'introspect', '--jti', 'x'],
      ['tokens', 'introspect', '--jti', JTI, '--token', token],
    ]) {
      const { code, stderr } = await folder.run(argv);
      expect(code, argv.join(' ')).toBe(2);
      expect(stderr).not.toContain(token);
    }
    const large = await folder.run('tokens introspect', { stdin: 'x'.repeat(100_000) });
    expect(large.code).toBe(2);
  });
});

describe('proofgate tokens revoke', () => {
  it('revokes a token until its expiry', async () => {
    expect(await folder.json('tokens revoke --yes', { stdin: token })).toEqual({
      revoked: true,
      jti: JTI,
      expires_at: END,
    });
    expect((await introspect(token)).shown).toMatchObject({ active: false, reason: 'revoked', jti: JTI });
    expect(await signed.store.grants.isRevoked(JTI, NOW + 3_599_999)).toBe(true);
    expect((await folder.run('tokens revoke --yes', { stdin: token })).code).toBe(0);
  });

  it('asks for confirmation, and without a terminal requires --yes', async () => {
    const { code, stderr } = await folder.run('tokens revoke', { stdin: token });
    expect(code).toBe(1);
    expect(stderr).toContain(`Revoke token ${JTI}?`);
    expect(stderr).not.toContain(token);
    expect((await introspect(token)).shown).toMatchObject({ active: true });
  });

  it('revokes a token by its identifier, until a given time or for the longest token life', async () => {
    const time = new Date(NOW + 60_000).toISOString();
    expect(await folder.json(`tokens revoke --jti ${JTI} --expires ${time} --yes`)).toEqual({
      revoked: true,
      jti: JTI,
      expires_at: time,
    });
    expect((await introspect(token)).shown).toMatchObject({ reason: 'revoked' });
    expect((await folder.run(['tokens', 'introspect', '--jti', JTI])).stdout).toBe('revoked\n');
    const other = JTI.replace('a', 'b');
    expect((await folder.run(['tokens', 'introspect', '--jti', other])).stdout).toBe('not revoked\n');
    expect(await folder.json(`tokens revoke --jti ${other} --yes`)).toMatchObject({
      expires_at: new Date(NOW + 86_400_000).toISOString(),
    });
  });

  it('has nothing to do for an expired token', async () => {
    const late = { stdin: token, now: NOW + 3_600_000 };
    expect(await folder.json('tokens revoke --yes', late)).toEqual({
      revoked: false,
      jti: JTI,
      expires_at: END,
    });
    expect(await signed.store.grants.isRevoked(JTI, NOW)).toBe(false);
  });

  it('refuses anything but an access token of this service, and never prints it', async () => {
    const idToken = await signed.tokens.idToken(GRANT, {});
    for (const stdin of ['planted-garbage-token', idToken]) {
      const { code, stderr } = await folder.run('tokens revoke --yes', { stdin });
      expect(code).toBe(2);
      expect(stderr).toContain('not an access token of this service');
      expect(stderr).not.toContain(stdin);
    }
  });

  it.each([
    ['--expires without --jti', ['--expires', '2026-07-01']],
    ['an --expires that is not a time', ['--jti', JTI, '--expires', 'tomorrow']],
  ])('refuses %s', async (_what, argv) => {
    expect((await folder.run(['tokens', 'revoke', ...argv, '--yes'], { stdin: token })).code).toBe(2);
  });
});
