/** Python, Go and Java for the guides, as `.ci/interop-setup.sh` installs them. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, type Scratch, snippet } from './snippets.ts';

const SUPPORT = fileURLToPath(new URL('./', import.meta.url));
const PYTHON_PROGRAMS = join(ROOT, '.cache/guides/python/bin');
/** Only cached modules are used; the setup fetches them. */
const GO_ENVIRONMENT = {
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-mod=readonly -buildvcs=false',
};

function runs(program: string, args: readonly string[], cwd = ROOT, env = {}): boolean {
  return spawnSync(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'ignore' }).status === 0;
}

/** Missing part of FastAPI and its companions; undefined if they are installed. */
export function missingFastApi(): string | undefined {
  const python = join(PYTHON_PROGRAMS, 'python');
  return runs(python, ['-c', 'import fastapi, uvicorn, httpx, Crypto.Hash.keccak'])
    ? undefined
    : 'no FastAPI in .cache/guides/python';
}

/** Variables that put the programs of the virtual environment first in the path. */
export function pythonEnvironment(): Readonly<Record<string, string>> {
  return { PATH: `${PYTHON_PROGRAMS}:${process.env.PATH ?? ''}` };
}

/** Missing part of Go with the module of the guide; undefined if both are there. */
export function missingGo(): string | undefined {
  if (!runs('go', ['version'])) return 'no go';
  return runs('go', ['list', 'golang.org/x/crypto/sha3'], join(SUPPORT, 'go'), GO_ENVIRONMENT)
    ? undefined
    : 'no module golang.org/x/crypto in the cache of go';
}

/** Makes the folder a module with the versions that the setup fetched. Returns variables for `go`. */
export function goModule(scratch: Scratch): Readonly<Record<string, string>> {
  for (const file of ['go.mod', 'go.sum'])
    copyFileSync(join(SUPPORT, 'go', file), join(scratch.folder, file));
  return GO_ENVIRONMENT;
}

/** Folder with Next.js and Auth.js, in which the guide's app is built: packages must be below it. */
export const NEXT_FOLDER: string = join(ROOT, '.cache/guides/next');

/** Missing part of Next.js; undefined if it is installed. */
export function missingNext(): string | undefined {
  const isThere = ['next', 'next-auth'].every((name) => existsSync(join(NEXT_FOLDER, 'node_modules', name)));
  return isThere ? undefined : 'no next and next-auth in .cache/guides/next';
}

/** Missing part of Java with Spring Boot; undefined if all is installed. */
export function missingSpring(): string | undefined {
  if (!runs('java', ['-version']) || !runs('mvn', ['-version'])) return 'no java and mvn';
  const version = /<artifactId>spring-boot-starter-parent<.*?<version>(.*?)</s.exec(
    snippet('sign-in', 'pom.xml'),
  )?.[1];
  const starter = `spring-boot-starter-security-oauth2-client/${version}`;
  const path = join(homedir(), '.m2/repository/org/springframework/boot', starter);
  return existsSync(path) ? undefined : `no Spring Boot ${version} in the repository of Maven`;
}
