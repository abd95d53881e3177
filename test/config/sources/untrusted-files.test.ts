// Rules: spec/operations.md#files-that-root-trusts
import { chmod, chown, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, folder, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const ANOTHER_USER = 65_534;
const SECRET = 'sixteen-characters-at-least';
const CURE =
  'run the command as the user of the service, let only root write it, or accept it with --allowUntrustedFiles true (PROOFGATE_ALLOW_UNTRUSTED_FILES=true)';

function refused(file: string, writer: string, what = 'it'): string {
  return `${file}: not trusted by root, because ${writer} can write ${what}; ${CURE}`;
}

describe.skipIf(process.geteuid?.() !== 0)('loadConfig as root (skipped for other users)', () => {
  it('accepts files that only root can write', async () => {
    const file = await put('proofgate.config.json', { engine: { maxQueue: 5 } }, 0o644);
    const env = { PROOFGATE_ADMIN_TOKEN_FILE: await put('token', SECRET) };
    await mkdir(join(folder, '.proofgate'), 0o700);
    expect((await load({ env })).file).toBe(file);
  });

  it('refuses a configuration file of another user, before it is read', async () => {
    const file = await put('proofgate.config.json', { unknown: 1 });
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    expect(await faultsOf({})).toEqual([refused(file, 'user 65534')]);
    expect(await faultsOf({ configFile: file })).toEqual([refused(file, 'user 65534')]);
  });

  it('refuses a configuration file that a group or every user can write', async () => {
    const file = await put('proofgate.env', '', 0o620);
    expect(await faultsOf({ configFile: file })).toEqual([refused(file, 'group 0')]);
    await chmod(file, 0o602);
    expect(await faultsOf({ configFile: file })).toEqual([refused(file, 'every user')]);
  });

  it('refuses a folder above the configuration file in which another user can replace it', async () => {
    const above = join(folder, 'above');
    await mkdir(join(above, 'below'), { recursive: true });
    const file = await put('above/below/proofgate.env', '');
    await chmod(above, 0o777);
    expect(await faultsOf({ configFile: file })).toEqual([refused(file, 'every user', above)]);
    await chmod(above, 0o1777);
    expect((await load({ configFile: file })).file).toBe(file);
    await chmod(above, 0o755);
    await chown(above, ANOTHER_USER, ANOTHER_USER);
    expect(await faultsOf({ configFile: file })).toEqual([refused(file, 'user 65534', above)]);
  });

  it('follows a link to the file, and refuses a link of another user', async () => {
    const target = await put('target.env', '');
    const link = join(folder, 'link.env');
    await symlink(target, link);
    expect((await load({ configFile: link })).file).toBe(link);
    await chown(target, ANOTHER_USER, ANOTHER_USER);
    expect(await faultsOf({ configFile: link })).toEqual([refused(link, 'user 65534', target)]);
  });

  it('refuses a folder of another user through which a link leads to another link', async () => {
    const target = await put('target.env', '');
    const theirs = join(folder, 'theirs');
    await mkdir(theirs, 0o755);
    await symlink(target, join(theirs, 'current.env'));
    await chown(theirs, ANOTHER_USER, ANOTHER_USER);
    const link = join(folder, 'link.env');
    await symlink(join('theirs', 'current.env'), link);
    expect(await faultsOf({ configFile: link })).toEqual([refused(link, 'user 65534', theirs)]);
    await chown(theirs, 0, 0);
    expect((await load({ configFile: link })).file).toBe(link);
  });

  it('does not follow links without end', async () => {
    const link = join(folder, 'link.env');
    await symlink('link.env', link);
    expect(await faultsOf({ configFile: link })).toEqual([expect.stringContaining('cannot be read')]);
  });

  it('refuses the files of TLS of another user', async () => {
    const file = await put('key.pem', '');
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    const flags = { 'tls.certFile': await put('cert.pem', ''), 'tls.keyFile': file };
    expect(await faultsOf({ flags })).toEqual([refused(file, 'user 65534')]);
  });

  it('refuses the folder of a database outside of the data folder', async () => {
    const place = join(folder, 'database');
    await mkdir(place, 0o700);
    const env = { PROOFGATE_STORAGE_URL: `libsql:${join(place, 'proofgate.db')}` };
    expect((await load({ env })).config.storage.url).toBe(env.PROOFGATE_STORAGE_URL);
    await chown(place, ANOTHER_USER, ANOTHER_USER);
    expect(await faultsOf({ env })).toEqual([refused(place, 'user 65534')]);
  });

  it('refuses a secret file of another user, from every source that names one', async () => {
    const file = await put('token', SECRET);
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    const faults = [refused(file, 'user 65534')];
    expect(await faultsOf({ env: { PROOFGATE_ADMIN_TOKEN_FILE: file } })).toEqual(faults);
    const variables = await put('proofgate.env', `PROOFGATE_ADMIN_TOKEN_FILE=${file}`);
    expect(await faultsOf({ configFile: variables })).toEqual(faults);
    await put('proofgate.config.json', {
      apps: {
        list: [
          {
            client_id: `app_${'1'.repeat(32)}`,
            client_secret_file: 'token',
            redirect_uris: ['https://a.example/'],
          },
        ],
      },
    });
    expect(await faultsOf({})).toContain(faults[0]);
    await put('proofgate.config.json', {
      roots: { sources: [{ preset: 'worldid-orb', tokenFile: 'token' }] },
    });
    expect(await faultsOf({})).toContain(faults[0]);
  });

  it('refuses a data folder that another user can write, whatever is above it', async () => {
    const dataDir = join(folder, 'data');
    const flags = { dataDir };
    await mkdir(dataDir, 0o700);
    await chown(folder, ANOTHER_USER, ANOTHER_USER);
    expect((await load({ flags, cwd: '/' })).config.dataDir).toBe(dataDir);
    await chmod(dataDir, 0o1777);
    expect(await faultsOf({ flags, cwd: '/' })).toEqual([refused(dataDir, 'every user')]);
    await chown(dataDir, ANOTHER_USER, ANOTHER_USER);
    expect(await faultsOf({ flags, cwd: '/' })).toEqual([refused(dataDir, 'user 65534')]);
  });

  it('accepts all of it with allowUntrustedFiles, in the environment or as a flag', async () => {
    const file = await put('proofgate.config.json', {});
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    await chown(folder, ANOTHER_USER, ANOTHER_USER);
    const token = await put('token', SECRET);
    await chown(token, ANOTHER_USER, ANOTHER_USER);
    const env = { PROOFGATE_ADMIN_TOKEN_FILE: token };
    expect((await load({ env, flags: { allowUntrustedFiles: 'true' } })).file).toBe(file);
    expect((await load({ env: { ...env, PROOFGATE_ALLOW_UNTRUSTED_FILES: 'true' } })).file).toBe(file);
  });

  it('asks no other user than root', async () => {
    const file = await put('proofgate.config.json', {});
    await chown(file, ANOTHER_USER, ANOTHER_USER);
    expect((await load({ isRoot: false })).file).toBe(file);
  });
});

describe('allowUntrustedFiles', () => {
  it('is refused in a configuration file, which cannot vouch for itself', async () => {
    await put('proofgate.config.json', { allowUntrustedFiles: true });
    expect(await faultsOf({ isRoot: false })).toEqual([
      'allowUntrustedFiles (PROOFGATE_ALLOW_UNTRUSTED_FILES): expected in the environment or as a flag, since a file cannot vouch for itself   from file',
    ]);
  });
});
