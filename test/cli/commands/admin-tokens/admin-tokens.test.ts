// Rules: spec/operations.md#admin-api
import { beforeEach, describe, expect, it } from 'vitest';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();

beforeEach(async () => {
  await folder.json('migrate up');
});

describe('proofgate admin-tokens', () => {
  it('adds a token, shows it once, lists it without its value and revokes it', async () => {
    const added = await folder.json<Record<string, string>>(
      'admin-tokens add --name grafana --scope read --expires-in 90d',
    );
    expect(added).toMatchObject({ name: 'grafana', scope: 'read' });
    expect(added.token).toMatch(/^pgat_[A-Za-z0-9_-]{43}$/);
    expect(Date.parse(added.expires_at ?? '') - Date.parse(added.created_at ?? '')).toBe(90 * 86_400_000);
    const listed = await folder.run('admin-tokens list --json');
    expect(JSON.parse(listed.stdout).tokens).toMatchObject([{ token_id: added.token_id }]);
    expect(listed.stdout).not.toContain(added.token);
    expect((await folder.run(['admin-tokens', 'revoke', added.token_id ?? '', '--yes'])).code).toBe(0);
    expect(await folder.json<object>('admin-tokens list')).toEqual({ tokens: [] });
    const audit = await folder.json<{ audit: { action: string }[] }>('audit list');
    expect(audit.audit.map(({ action }) => action)).toEqual(['admin_token.revoked', 'admin_token.added']);
    expect(JSON.stringify(audit)).not.toContain(added.token);
  });

  it('refuses a wrong scope, name, time or id', async () => {
    const run = async (...argv: string[]): Promise<unknown[]> => {
      const { code, stderr } = await folder.run(['admin-tokens', ...argv, '--json']);
      return [code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code];
    };
    expect(await run('add', '--name', 'a', '--scope', 'all')).toEqual([2, 'cli.usage']);
    expect(await run('add', '--scope', 'read')).toEqual([2, 'cli.usage']);
    expect(await run('add', '--name', '', '--scope', 'read')).toEqual([1, 'admin_token.invalid']);
    expect(await run('add', '--name', 'a', '--scope', 'read', '--expires-in', 'soon')).toEqual([
      2,
      'cli.usage',
    ]);
    expect(await run('revoke', 'at_none', '--yes')).toEqual([1, 'admin_token.unknown']);
  });
});
