import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativeAddonFile } from '../../../src/engine/backends/load-backend.ts';
import { pollUntil } from '../../support/until.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const COPIED = [
  '.scripts',
  '.library/package.json',
  'src',
  'dist',
  'circuits',
  'wasm/artifact',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.tsconfig.library.json',
  'README.md',
  'LICENSE',
];
/**
 * Fake napi CLI: starts a child in place of a compiler, which can be killed, and waits for the file `verdict`. It notes
 * the settings in its environment and in that of its parent.
 */
const COMPILER = `
const { spawn } = require('node:child_process');
const { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const root = join(__dirname, '..', '..', '..', '..');
const rustc = spawn('sleep', ['600'], { stdio: 'ignore' });
appendFileSync(join(root, 'compilers'), process.pid + ' ' + rustc.pid + '\\n');
for (const pid of [process.pid, process.ppid]) {
  const given = readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0');
  appendFileSync(join(root, 'given'), given.filter((text) => text.startsWith('PROOFGATE_')).join('\\n'));
}
const output = process.argv[process.argv.indexOf('--output-dir') + 1];
const look = () => {
  const file = join(root, 'verdict');
  if (!existsSync(file)) return setTimeout(look, 20);
  const verdict = readFileSync(file, 'utf8');
  rmSync(file);
  rustc.kill();
  if (verdict === 'killed') console.error('error: could not compile (signal: 9, SIGKILL: kill)');
  if (verdict !== 'good') process.exit(1);
  copyFileSync(join(root, 'compiled'), join(output, ${JSON.stringify(basename(nativeAddonFile()))}));
};
look();
`;

/** A process in the clone. */
export interface CloneProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>;
}

/** A service that runs in the clone. */
export interface CloneService extends CloneProcess {
  readonly publicUrl: string;
}

/** A run of the fake compiler. */
export interface CompilerRun {
  readonly pid: number;
  /** Its child process, in place of rustc. */
  readonly workerPid: number;
}

/** A copy of this repository without the addon, whose compiler the test controls. */
export interface FreshClone {
  readonly root: string;
  readonly addonFile: string;
  start(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<CloneService>;
  run(script: string, args?: readonly string[], env?: Readonly<Record<string, string>>): CloneProcess;
  /** Settings of the service that were in the environment of builds so far. */
  settingsOfBuilds(): string;
  /** All compiler runs so far. */
  compilers(): readonly CompilerRun[];
  /** Ends the running compiler with this verdict. */
  decide(verdict: 'good' | 'bad' | 'killed'): void;
  /** Files left by builds: all but sources, log and lock in the addon folder, sorted. */
  remains(): readonly string[];
  remove(): void;
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Copies this repository as a clone with installed packages and without the addon. */
export function makeFreshClone(): FreshClone {
  const root = mkdtempSync(join(tmpdir(), 'proofgate-clone-'));
  const folder = join(root, 'native', 'addon');
  const addonFile = join(folder, basename(nativeAddonFile()));
  for (const path of COPIED) cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
  copyRust(root);
  linkPackages(root);
  // The real addon if it is built, so that a service can load the "compiled" file.
  if (existsSync(nativeAddonFile())) cpSync(nativeAddonFile(), join(root, 'compiled'));
  else writeFileSync(join(root, 'compiled'), 'no addon on this machine');
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const given = `env | grep ^PROOFGATE_ >> ${join(root, 'given')}`;
  writeFileSync(join(bin, 'cargo'), `#!/bin/sh\n${given}\necho "cargo 1.99.0 (fake)"\n`);
  chmodSync(join(bin, 'cargo'), 0o755);
  const children: ChildProcess[] = [];

  const run: FreshClone['run'] = (script, args = [], env = {}) => {
    const child = spawn(process.execPath, [join('.scripts', script), ...args], {
      cwd: root,
      env: {
        PATH: `${bin}:${process.env.PATH ?? ''}`,
        PROOFGATE_DATA_DIR: join(root, 'data'),
        PROOFGATE_SERVER_PORT: '0',
        PROOFGATE_ADMIN_PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    return { child, output: () => output, ended };
  };
  const compilers: FreshClone['compilers'] = () => {
    const file = join(root, 'compilers');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    return lines.map((line) => {
      const [pid = 0, workerPid = 0] = line.split(' ').map(Number);
      return { pid, workerPid };
    });
  };
  return {
    root,
    addonFile,
    run,
    compilers,
    settingsOfBuilds: () => readFileSync(join(root, 'given'), 'utf8'),
    async start(args = [], env = {}) {
      const started = run('start.mjs', ['--json', ...args], env);
      const banner = (): string | undefined => /^\{"publicUrl":"([^"]+)".*\}$/m.exec(started.output())?.[1];
      const isOver = started.ended.then((code) => {
        throw new Error(`the service ended with ${code} before it listened:\n${started.output()}`);
      });
      await Promise.race([pollUntil(() => banner() !== undefined), isOver]);
      isOver.catch(() => undefined);
      return { ...started, publicUrl: banner() ?? '' };
    },
    decide: (verdict) => writeFileSync(join(root, 'verdict'), verdict),
    remains: () =>
      readdirSync(folder)
        .filter((name) => !['Cargo.toml', 'build.rs', 'src', '.build.log', '.building.db'].includes(name))
        .sort(),
    remove() {
      for (const child of children) child.kill('SIGKILL');
      for (const { pid, workerPid } of compilers()) {
        for (const id of [pid, workerPid]) if (isAlive(id)) process.kill(id, 'SIGKILL');
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Copies the addon's sources, without build results. */
function copyRust(root: string): void {
  cpSync(join(REPOSITORY, 'native'), join(root, 'native'), {
    recursive: true,
    filter: (path) => !/\/target(\/|$)|\.node$|\/\.(built|building|build)\./.test(path),
  });
}

/** Links all packages except the napi CLI, which is replaced by the fake. */
function linkPackages(root: string): void {
  const packages = join(root, 'node_modules');
  mkdirSync(join(packages, '@napi-rs', 'cli', 'dist'), { recursive: true });
  for (const name of readdirSync(join(REPOSITORY, 'node_modules'))) {
    if (name !== '@napi-rs') symlinkSync(join(REPOSITORY, 'node_modules', name), join(packages, name));
  }
  const cli = join(packages, '@napi-rs', 'cli');
  writeFileSync(join(cli, 'package.json'), '{"name":"@napi-rs/cli","main":"dist/index.cjs"}');
  writeFileSync(join(cli, 'dist', 'index.cjs'), '');
  writeFileSync(join(cli, 'dist', 'cli.js'), COMPILER);
}
