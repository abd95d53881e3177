// Rules: spec/sign-in.md#refresh-tokens
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../../src/apps/apps.ts';
import { DEFAULT_CLIENT } from '../../../../src/config/apps/client-of.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { beginFamily } from '../../../oidc/support/begin-family.ts';
import { NOW, useCliFolder } from '../../support/cli.ts';
import { signFolder } from '../../support/signed-folder.ts';

const APP = `app_${'1'.repeat(32)}`;
const OTHER = `app_${'2'.repeat(32)}`;
const PERSON = /^[0-9a-f]{8}$/;

const folder = useCliFolder();
let store: Store;

beforeEach(async () => {
  ({ store } = await signFolder(folder.path));
  for (const appId of [APP, OTHER]) {
    await createApp(store.apps, { appId, isDevelopment: true }, NOW);
    await store.apps.update(appId, { client: { ...DEFAULT_CLIENT, refreshTokens: true } }, NOW);
  }
});

afterEach(async () => {
  await store.close();
});

const listed = async (app = APP): Promise<string[]> => {
  const shown = await folder.json<{
    refresh_tokens: { family_id: string }[];
  }>(`refresh-tokens list --app ${app}`);
  return shown.refresh_tokens.map(({ family_id }) => family_id);
};

describe('proofgate refresh-tokens', () => {
  it('list shows the families of an app, without tokens and subjects', async () => {
    const first = await beginFamily(store, APP, NOW - 1000);
    const second = await beginFamily(store, APP, NOW);
    await beginFamily(store, OTHER, NOW);
    const shown = await folder.json(['refresh-tokens', 'list', '--app', APP]);
    const time = new Date(NOW).toISOString();
    expect(shown).toEqual({
      refresh_tokens: [
        {
          family_id: second.familyId,
          person: expect.stringMatching(PERSON),
          acr: 'orb',
          scope: 'openid offline_access',
          created_at: time,
          last_used_at: time,
          expires_at: new Date(NOW + 86_400_000).toISOString(),
        },
        expect.objectContaining({ family_id: first.familyId }),
      ],
    });
    const { stdout } = await folder.run(['refresh-tokens', 'list', '--app', APP]);
    expect(stdout).toContain(first.familyId);
    expect(stdout).not.toContain('2121');
    expect(stdout).not.toContain(first.token.lookupKey);
  });

  it('revoke ends one family, or all of an app, after confirmation', async () => {
    const [first, second] = [await beginFamily(store, APP, NOW), await beginFamily(store, APP, NOW)];
    const other = await beginFamily(store, OTHER, NOW);
    const revoke = ['refresh-tokens', 'revoke', '--app', APP];
    expect((await folder.run([...revoke, '--all'])).stderr).toContain('End all refresh tokens');
    expect(await listed()).toHaveLength(2);
    expect(await folder.json([...revoke, '--family', first.familyId, '--yes'])).toEqual({
      app_id: APP,
      revoked: 1,
    });
    expect(await listed()).toEqual([second.familyId]);
    expect(await store.grants.isRevoked('jti', NOW, first.familyId)).toBe(true);
    const again = await folder.run([...revoke, '--family', first.familyId, '--yes']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('refresh_token.unknown')]);
    expect((await folder.run([...revoke, '--family', other.familyId, '--yes'])).code).toBe(1);
    expect(await folder.json([...revoke, '--all', '--yes'])).toEqual({ app_id: APP, revoked: 1 });
    expect([await listed(), await listed(OTHER)]).toEqual([[], [other.familyId]]);
    const audit = await folder.json('audit list --action refresh_tokens.revoked');
    expect(audit).toMatchObject({ audit: [{ target: APP }, { target: APP }] });
  });

  it.each([
    ['list without an app', ['list']],
    ['revoke without an app', ['revoke', '--all', '--yes']],
    ['revoke without a choice', ['revoke', '--app', APP, '--yes']],
    ['revoke with both choices', ['revoke', '--app', APP, '--all', '--family', 'x', '--yes']],
  ])('refuses %s', async (_what, argv) => {
    expect((await folder.run(['refresh-tokens', ...argv])).code).toBe(2);
  });
});

describe('proofgate tokens with a refresh token', () => {
  it('introspect says whether it is in force, and if not why', async () => {
    const { token, familyId } = await beginFamily(store, APP, NOW);
    const introspect = async (text: string): Promise<unknown> => {
      const { stdout, code } = await folder.run('tokens introspect --json', { stdin: text });
      expect(stdout).not.toContain(token.lookupKey);
      const shown = JSON.parse(stdout) as { active: boolean };
      expect(code).toBe(shown.active ? 0 : 1);
      return shown;
    };
    expect(await introspect(token.text)).toMatchObject({ active: true, client_id: APP, family_id: familyId });
    const replaced = `${token.text.slice(0, 26)}${'A'.repeat(43)}`;
    expect(await introspect(replaced)).toMatchObject({ active: false, reason: 'replaced' });
    const unknown = `rt_${'A'.repeat(22)}.${'A'.repeat(43)}`;
    expect(await introspect(unknown)).toEqual({ active: false, reason: 'unknown' });
    expect((await folder.run('tokens introspect', { stdin: unknown })).stdout).toBe(
      'not active: it was never issued, or its family has ended\n',
    );
    await store.apps.update(OTHER, { client: DEFAULT_CLIENT }, NOW);
    const refused = await beginFamily(store, OTHER, NOW);
    expect(await introspect(refused.token.text)).toMatchObject({ reason: 'client_refused' });
  });

  it('revoke ends its family, also if the token was replaced', async () => {
    const { token, familyId } = await beginFamily(store, APP, NOW);
    const replaced = `${token.text.slice(0, 26)}${'A'.repeat(43)}`;
    const revoke = (): Promise<unknown> => folder.json('tokens revoke --yes', { stdin: replaced });
    expect(await revoke()).toEqual({ revoked: true, client_id: APP, family_id: familyId });
    expect(await listed()).toEqual([]);
    expect(await revoke()).toEqual({ revoked: false });
  });
});
