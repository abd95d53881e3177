import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadHttpLibrary } from '../../src/http/library/load-http-library.ts';
import { root } from '../support/paths.ts';
import type { Machine, RunRecord } from './types.ts';

const FLAGS = ['adx', 'bmi2', 'avx2', 'fma', 'avx512f', 'avx512ifma'];
const PACKAGES = [
  'snarkjs',
  'mcl-wasm',
  'circomlibjs',
  'oidc-provider',
  'tinybench',
  'libsql',
  'piscina',
  'jose',
];

// Magic numbers of statfs(2); anything else is shown as its number.
const FILE_SYSTEMS: Readonly<Record<string, string>> = {
  ef53: 'ext4',
  '58465342': 'xfs',
  '9123683e': 'btrfs',
  '1021994': 'tmpfs',
  '794c7630': 'overlayfs',
};

/** Returns the relevant instruction set extensions of this processor. */
export function cpuFlags(): string[] {
  try {
    const line = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    const present = new Set(line.trim().split(' '));
    return FLAGS.filter((flag) => present.has(flag));
  } catch {
    return [];
  }
}

/** Describes the machine; `folder` contains the databases of the run. */
export function describeMachine(folder: string): Machine {
  const kind = statfsSync(folder).type.toString(16);
  return {
    cpu: `${cpus()[0]?.model.trim() ?? 'unknown'} (${arch()})`,
    cores: availableParallelism(),
    flags: cpuFlags(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    kernel: release().replace(/-.*/, ''),
    fileSystem: FILE_SYSTEMS[kind] ?? `file system 0x${kind}`,
    loadBefore: loadavg()[0] as number,
  };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/** Returns the short id of the commit, and whether files of the product or the bench differ from it. */
export function describeCommit(): Pick<RunRecord, 'commit' | 'isDirty'> {
  const paths = ['src', 'native', 'wasm', 'bench', 'package-lock.json', ':!bench/results'];
  return {
    commit: git('rev-parse', '--short=10', 'HEAD') || 'unknown',
    isDirty: git('status', '--porcelain', '--', ...paths) !== '',
  };
}

function lockedVersion(file: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(root, 'bench', 'contenders', file), 'utf8'))?.[1] ?? 'unknown';
}

function toolVersion(command: string, argument: string): string {
  const { stdout } = spawnSync(command, [argument], { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(stdout ?? '')?.[0] ?? 'absent';
}

/** Returns the installed versions of Node, the packages and the tools that the bench uses, and the HTTP library of a service. */
export function describeVersions(): Record<string, string> {
  const lock = createRequire(import.meta.url)('../../package-lock.json') as {
    packages: Record<string, { version?: string }>;
  };
  const entries = PACKAGES.map((name): [string, string] => [
    name,
    lock.packages[`node_modules/${name}`]?.version ?? 'absent',
  ]);
  const { facts } = loadHttpLibrary('auto');
  const reason = facts.kind === 'node' ? ` (${facts.passedOver.join('; ')})` : '';
  return {
    node: process.versions.node,
    v8: process.versions.v8,
    'http library': `${facts.package} ${facts.version}${reason}`,
    ...Object.fromEntries(entries),
    'ark-groth16': lockedVersion('arkworks/Cargo.lock', /name = "ark-groth16"\nversion = "([^"]+)"/),
    'gnark-crypto': lockedVersion('gnark/go.mod', /gnark-crypto v(\S+)/),
    rustc: toolVersion('rustc', '--version'),
    go: toolVersion('go', 'version'),
  };
}
