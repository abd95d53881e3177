import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
/** The service, the workspace of the library, and the link to it. */
const OURS = ['', '.library', 'node_modules/proofgate'];
const packages = Object.entries(lock.packages).filter(([path]) => !OURS.includes(path));

describe('package-lock.json', () => {
  it('lists the optional packages of every platform, without which `npm ci` refuses it', () => {
    const names = new Set(packages.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13)));
    const missing = packages.flatMap(([, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !names.has(name)),
    );
    expect(missing).toEqual([]);
    expect(names).toContain('@biomejs/cli-darwin-arm64');
  });

  it('pins every package by its hash, and none to a host', () => {
    const loose = packages.filter(([, { integrity, resolved }]) => !integrity || resolved !== undefined);
    expect(loose.map(([path]) => path)).toEqual([]);
  });
});
