import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Case } from '../../report/types.ts';
import { libraryFolder, root } from '../../support/paths.ts';

const MIB = 2 ** 20;

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Finds the folder of a package as Node would from another package. */
export function folderOf(name: string, from: string): string {
  for (const modules of createRequire(join(from, 'package.json')).resolve.paths(name) ?? []) {
    const folder = join(modules, name);
    try {
      readFileSync(join(folder, 'package.json'));
      return folder;
    } catch {
      // Looked for in the next folder.
    }
  }
  throw new Error(`${name} is not installed`);
}

/** Returns the folders of a package and of all that it depends on. */
function closureOf(folder: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  for (const name of Object.keys(dependencies)) closureOf(folderOf(name, folder), found);
  return found;
}

/** Returns the size of a package as npm packs it, and of its files. */
function sizeOf(folder: string): { readonly size: number; readonly unpackedSize: number } {
  const args = ['pack', folder, '--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', args, {
    cwd: dirname(folder),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as { size: number; unpackedSize: number }[];
  if (!packed) throw new Error(`npm packs nothing of ${folder}`);
  return packed;
}

function installCase(contender: string, folder: string, isPeer: boolean): Case {
  const sizes = [...closureOf(folder)].map(sizeOf);
  const sum = (pick: (size: (typeof sizes)[number]) => number): number =>
    sizes.reduce((total, size) => total + pick(size), 0) / MIB;
  return {
    subject: 'library.install',
    contender,
    parameters: {},
    unit: 'mib',
    isPeer,
    samples: [sum(({ unpackedSize }) => unpackedSize)],
    figures: { packed_mib: sum(({ size }) => size), packages: sizes.length },
    note: 'files on disk, with all dependencies',
  };
}

/** Measures what `npm install` fetches and writes, for our package as it is packed now and for snarkjs. */
export function installSizes(): Case[] {
  return [
    installCase('proofgate', libraryFolder, false),
    installCase('snarkjs', folderOf('snarkjs', root), true),
  ];
}
