import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativeAddonFile } from '../../../src/engine/backends/load-backend.ts';
import type { openStore } from '../../../src/storage/open-store.ts';
import type { Store } from '../../../src/storage/store.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Stands for the former release until one has a tag: the last commit before the migrations of the audit log. */
const BEFORE_FIRST_TAG = 'b62291e4';
const PACK_LIMIT_BYTES = 512 * 1024 * 1024;

/** A former release that can be built here, or the reason why there is none. */
export type FoundRelease = { readonly commit: string } | { readonly reason: string };

/** The former release, compiled in a folder of its own. */
export interface FormerRelease {
  /** Path of the program. */
  readonly program: string;
  /** Whether it heeds what the store records about the programs that can run on it (spec/operations.md#migrations). */
  readonly heedsRequirements: boolean;
  /** Opens a store with its code, and applies its migrations only. */
  openStore(settings: Parameters<typeof openStore>[0]): Promise<Store>;
  remove(): void;
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Finds the former release: `FORMER_RELEASE` of the environment, or the last tag before this commit. */
export function findFormerRelease(): FoundRelease {
  const named = process.env.FORMER_RELEASE ?? lastTag() ?? BEFORE_FIRST_TAG;
  try {
    return { commit: git('rev-parse', '--verify', '--quiet', `${named}^{commit}`) };
  } catch {
    return { reason: `the commit ${named} is not here: no git, or a clone without its history` };
  }
}

function lastTag(): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  } catch {
    return undefined;
  }
}

/** Compiles a commit with the packages that are installed here; with the addon if its sources are those of now. */
export async function buildFormerRelease(commit: string): Promise<FormerRelease> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'former-release-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: PACK_LIMIT_BYTES });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const addon = nativeAddonFile();
  if (existsSync(addon) && git('diff', '--name-only', commit, '--', 'native') === '') {
    symlinkSync(addon, join(folder, 'native', 'addon', basename(addon)));
  }
  const steps =
    "const s = await import('./.scripts/steps.mjs'); await s.ensureDist(); await s.ensureClient();";
  execFileSync(process.execPath, ['--input-type=module', '-e', steps], { cwd: folder, stdio: 'ignore' });
  const bundled = join(folder, 'dist', 'modules', 'storage.js');
  // Releases before the bundle have a file for each source.
  const storageFile = existsSync(bundled) ? bundled : join(folder, 'dist', 'storage', 'index.js');
  const storage = (await import(storageFile)) as {
    openStore: typeof openStore;
  };
  return {
    program: join(folder, 'dist', 'main.js'),
    heedsRequirements: existsSync(join(folder, 'src/storage/migrations/0030-schema-requirements.sql')),
    openStore: (settings) => storage.openStore(settings),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
