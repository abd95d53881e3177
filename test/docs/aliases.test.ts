import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** A package that is installed under another name. */
interface Alias {
  readonly name: string;
  readonly target: string;
  readonly version: string;
}

function aliasesOf(dependencies: Readonly<Record<string, string>>): Alias[] {
  return Object.entries(dependencies).flatMap(([name, range]) => {
    const [, target, version] = /^npm:(.+)@([^@]+)$/.exec(range) ?? [];
    return target === undefined || version === undefined ? [] : [{ name, target, version }];
  });
}

describe('a runtime dependency from a package with another name', () => {
  const { dependencies } = JSON.parse(read('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const aliases = aliasesOf(dependencies);
  const lock = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
  };

  it('is a known one', () => {
    expect(aliases.map(({ name, target }) => `${name} from ${target}`)).toEqual([
      'uWebSockets.js from uws-pack',
    ]);
  });

  it.each(aliases)(
    'is named in the README and pinned by version and hash: $name',
    ({ name, target, version }) => {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(read('README.md')).toMatch(new RegExp(`${name}.*comes from the npm package \`${target}\``));
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({
        version,
        integrity: expect.stringMatching(/^sha512-/),
      });
    },
  );
});
