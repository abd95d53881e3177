import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseLibrary, type LoadedLibrary } from '../../../src/http/library/load-http-library.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const BINARY = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const OFFICIAL = 'uWebSockets.js';
const REPACK = '@btc-vision/uwebsockets.js';
const here = chooseLibrary('auto', {}).facts;

interface Planted {
  readonly name: string;
  readonly binary?: Buffer;
  readonly version?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Installs packages below a folder, by the folder of each. */
function plant(packages: Readonly<Record<string, Planted>>): string {
  const folder = temporaryFolder('packages', onTestFinished);
  for (const [at, { name, binary, version = '20.57.0', files = {} }] of Object.entries(packages)) {
    const path = join(folder, at);
    const binaries = join(path, name === 'uws-pack' ? 'dist/bin' : '');
    mkdirSync(binaries, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version }));
    if (binary !== undefined) writeFileSync(join(binaries, BINARY), binary);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  }
  return folder;
}

interface Report {
  readonly header: { readonly glibcVersionRuntime?: string };
}
/** Minor version of glibc 2; 0 with another C library. */
const glibc = Number(
  (process.report.getReport() as unknown as Report).header.glibcVersionRuntime?.slice(2) ?? 0,
);
const LACKS_GLIBC = glibc > 0 && glibc < 38 && ['115', '127', '137'].includes(process.versions.modules);

const choose = (...searched: string[]): LoadedLibrary['facts'] => chooseLibrary('auto', { searched }).facts;
const NOTHING = [`${OFFICIAL}: not installed`, `${REPACK}: not installed`, 'uws-pack: not installed'];

describe('the HTTP library', () => {
  it('is that of Node where no package is installed, and nothing else where it is chosen', () => {
    const empty = temporaryFolder('packages', onTestFinished);
    expect(choose(empty)).toMatchObject({ kind: 'node', package: 'node:http', passedOver: NOTHING });
    expect(chooseLibrary('node', {}).facts).toMatchObject({ kind: 'node', passedOver: [] });
    expect(() => chooseLibrary('uws', { searched: [empty] })).toThrow(NOTHING.join('; '));
  });

  it('is that of Node where no package has a binary for it', () => {
    const folder = plant({ [OFFICIAL]: { name: OFFICIAL }, [REPACK]: { name: REPACK } });
    const { kind, passedOver } = choose(folder);
    expect(kind).toBe('node');
    const lacks = `version 20.57.0 has no binary for Node ${process.versions.node} on ${process.platform}-${process.arch}`;
    expect(passedOver).toEqual([`${OFFICIAL}: ${lacks}`, `${REPACK}: ${lacks}`, 'uws-pack: not installed']);
  });
});

describe.skipIf(here.file === undefined)('a package of uWebSockets.js', () => {
  // The body of a skipped suite runs, too.
  const whole = here.file === undefined ? Buffer.alloc(0) : readFileSync(here.file);

  it.each([
    ['is empty', Buffer.alloc(0), /the end of .* is missing/],
    ['is no library', Buffer.alloc(4096, 'x'), /cannot be loaded: /],
    ['lost its end', whole.subarray(0, whole.length >> 1), /the end of .* is missing/],
    ['lost all but its first page', whole.subarray(0, 4096), /is missing/],
    [
      'is for another processor',
      Buffer.concat([whole.subarray(0, 18), Buffer.from([0xf3, 0]), whole.subarray(20)]),
      /cannot be loaded: /,
    ],
  ])('is passed over without harm if its binary %s', (_title, binary, reason) => {
    const { kind, passedOver } = choose(plant({ [OFFICIAL]: { name: OFFICIAL, binary } }));
    expect(kind).toBe('node');
    expect(passedOver[0]).toMatch(reason);
  });

  it.skipIf(!LACKS_GLIBC)(
    'is passed over without harm if its binary needs a newer glibc: the newer repack',
    () => {
      expect(here.passedOver.find((reason) => reason.startsWith(REPACK))).toMatch(
        /20\.57\.0 cannot be loaded: .*GLIBC_2\.38/,
      );
    },
  );

  it.skipIf(process.platform !== 'linux' || process.arch !== 'x64')(
    'of an unknown build is loaded as it is, and counts as one that strips bytes from 0x80',
    () => {
      const unknown = Buffer.from(whole);
      for (const comparison of ['803c1a217d10', '41807c0301217d0c']) {
        const at = unknown.indexOf(comparison, 0, 'hex');
        // jge → jae, which makes the code right and unlike that of a build that is known
        if (at >= 0) unknown[at + comparison.length / 2 - 2] = 0x73;
      }
      const keeps = (binary: Buffer): boolean => {
        const searched = [plant({ [OFFICIAL]: { name: OFFICIAL, binary } })];
        return chooseLibrary('uws', { searched }).library.keepsHeaderBytes;
      };
      expect([keeps(whole), keeps(unknown)]).toEqual([true, false]);
    },
  );

  const files = { source_commit: `${'5'.repeat(40)}\n`, LICENSE: 'Apache-2.0' };

  it('of its authors comes first, with version and commit, beside an alias that is nested in the service', () => {
    const nested = plant({ [OFFICIAL]: { name: 'uws-pack', binary: whole, version: '20.0.8' } });
    const top = plant({ [OFFICIAL]: { name: OFFICIAL, binary: whole, files } });
    expect(choose(nested, top)).toEqual({
      kind: 'uws',
      package: OFFICIAL,
      version: '20.57.0',
      file: join(top, OFFICIAL, BINARY),
      source: `commit ${'5'.repeat(40)}`,
      idleSeconds: 5,
      passedOver: [],
    });
    expect(choose(nested)).toMatchObject({
      package: 'uws-pack',
      passedOver: [`${OFFICIAL}: not installed`, `${REPACK}: not installed`],
    });
  });

  it('of its authors takes the place of the alias in a clone', () => {
    const clone = plant({ [OFFICIAL]: { name: 'uws-pack', binary: whole } });
    cpSync(plant({ [OFFICIAL]: { name: OFFICIAL, binary: whole, files } }), clone, { recursive: true });
    expect(choose(clone)).toMatchObject({ package: OFFICIAL, source: `commit ${'5'.repeat(40)}` });
  });
});
