import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/**
 * Folder of the programs of a PostgreSQL server: `POSTGRES_BIN` of the environment, which another user must be able to
 * read, or that of the newest one installed; undefined if there is none.
 */
export const POSTGRES_BIN: string | undefined = process.env.POSTGRES_BIN ?? findFolder();

/** To be added to the name of what needs a standby, if none can be made. */
export const STANDBY_SKIP: string = existsSync(join(POSTGRES_BIN ?? '', 'pg_basebackup'))
  ? ''
  : ' (skipped: pg_basebackup is not installed)';

/** To be added to the name of a suite that is skipped without a PostgreSQL server. */
export const POSTGRES_SKIP: string =
  POSTGRES_BIN === undefined ? ' (skipped: no PostgreSQL server is installed)' : '';

/** Unprivileged user that runs the programs, since they refuse root; undefined to run as this user. */
export const POSTGRES_USER: { readonly uid: number; readonly gid: number } | undefined = findUser();

function findFolder(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const newest = versions.sort((one, other) => Number(other) - Number(one));
  const folders = newest.map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const paths = (process.env.PATH ?? '').split(delimiter);
  return [...folders, ...paths].find((folder) =>
    ['initdb', 'postgres', 'pg_basebackup'].every((name) => existsSync(join(folder, name))),
  );
}

function findUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => /^(postgres|nobody):/.test(each));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Runs one of the programs to its end. */
export function runPostgresProgram(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  execFileSync(join(POSTGRES_BIN ?? '', name), args, {
    ...POSTGRES_USER,
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Starts a server process. */
export function spawnPostgres(args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(join(POSTGRES_BIN ?? '', 'postgres'), args, {
    ...POSTGRES_USER,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
