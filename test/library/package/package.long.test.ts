/** The package: what is in it, and how it runs on each Node, installed in an empty folder, without the repository, cargo or a network. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snippet } from '../../docs/guides/support/snippets.ts';
import { packedManifest } from '../../support/server/production-install.ts';
import { KEYS, signed } from '../credential/support.ts';
import {
  NODES,
  outputInProject,
  type PackedLibrary,
  packLibrary,
  runInProject,
  toolPath,
  writeProjectFile,
} from '../support/packed-library.ts';
import { KEY, PROOF, SIGNALS } from '../support/semaphore-statement.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_PACKED_BYTES = 6 * 1024 * 1024;
/** Everything that may be in the package. */
const KINDS = [
  /^(?:README\.md|LICENSE|package\.json)$/,
  /^\.scripts\/proofgate\.mjs$/,
  /^dist\/library\/bundle\/(?:[\w-]+\/)*[\w-]+\.js$/,
  /^dist\/library\/bundle\/THIRD-PARTY-LICENSES\.txt$/,
  /^dist\/library\/types\/(?:[\w-]+\/)*[\w-]+\.d\.ts$/,
  /^native\/(?:addon|prebuilt)\/proofgate\.linux-(?:x64|arm64)-gnu\.node$/,
  /^wasm\/artifact\/(?:relaxed|simd|scalar)\.wasm$/,
  /^wasm\/artifact\/proofgate_wasm\.js$/,
];

/** A program of src/docs/library.md. */
const example = (file: string): string => snippet('../library', file);
const LINES = 3000;
/** Lines of the file whose proof does not hold, from 1. */
const FALSE_LINES = [1, 1500, LINES];

// Packed and installed once for all tests of the package, which takes three seconds of a processor.
let packed: PackedLibrary;
beforeAll(async () => {
  packed = await packLibrary();
  const files = { verification_key: KEY, proof: PROOF, public: SIGNALS };
  for (const [name, value] of Object.entries(files))
    writeProjectFile(packed, `${name}.json`, JSON.stringify(value));
  for (const file of ['verify.mjs', 'verify-file.mjs', 'hashes.mjs', 'replace.mjs', 'check-credential.mjs'])
    writeProjectFile(packed, file, example(file));
  writeProjectFile(
    packed,
    'wasm.mjs',
    example('verify.mjs').replace('createEngine()', "createEngine({ backend: 'wasm' })"),
  );
  const lines = Array.from({ length: LINES }, (_, index) =>
    JSON.stringify({
      proof: PROOF,
      publicSignals: FALSE_LINES.includes(index + 1) ? ['1', ...SIGNALS.slice(1)] : SIGNALS,
    }),
  );
  writeProjectFile(packed, 'proofs.ndjson', `${lines.join('\n')}\n`);
});
afterAll(() => packed.remove());

const textOf = (path: string): string =>
  readFileSync(join(packed.project, 'node_modules/proofgate', path), 'latin1');

describe('the package of the library', () => {
  it('has the entries, the modules and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !KINDS.some((kind) => kind.test(path)))).toEqual([]);
    for (const kind of KINDS.slice(0, 5)) expect(paths.some((path) => kind.test(path))).toBe(true);
    for (const name of ['relaxed', 'simd', 'scalar']) expect(paths).toContain(`wasm/artifact/${name}.wasm`);
    const { exports, bin } = JSON.parse(textOf('package.json')) as { exports: unknown; bin: unknown };
    const named = JSON.stringify([exports, bin]).match(/(?<=")(?:\.\/)?[.\w-]+\/[\w./-]+\.\w+(?=")/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !paths.includes(path.replace(/^\.\//, '')))).toEqual([]);
  });

  it('has the addon of this machine, if it is built, and that of ARM64, if it is there', () => {
    const paths = packed.files.map(({ path }) => path);
    for (const file of [
      'native/addon/proofgate.linux-x64-gnu.node',
      'native/prebuilt/proofgate.linux-arm64-gnu.node',
    ]) {
      expect(paths.includes(file)).toBe(existsSync(join(REPOSITORY, file)));
    }
  });

  it('is checked when it has been packed, and removed without what it exports', () => {
    const check = (folder: string): number | null =>
      spawnSync(process.execPath, ['.scripts/postpack.mjs'], {
        env: { ...process.env, npm_config_pack_destination: folder },
      }).status;
    expect(check(dirname(packed.tarball))).toBe(0);
    const folder = join(packed.project, 'poor');
    const tarball = join(folder, basename(packed.tarball));
    mkdirSync(join(folder, 'package'), { recursive: true });
    writeFileSync(join(folder, 'package/package.json'), '{}');
    execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
    expect([check(folder), existsSync(tarball)]).toEqual([78, false]);
  });

  it('is small', () => {
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES);
  });

  it('names no path of a machine, no source map and no test', () => {
    const places = [
      REPOSITORY,
      join(homedir(), '.cargo'),
      join(homedir(), '.rustup'),
      'sourceMappingURL',
      'vitest',
    ];
    const found = packed.files
      .filter(({ path }) => path !== 'package.json' && path !== 'README.md')
      .flatMap(({ path }) => {
        const text = textOf(path);
        return places.filter((place) => text.includes(place)).map((place) => `${path}: ${place}`);
      });
    expect(found).toEqual([]);
  });

  it('depends on no other package and runs no script at its installation', () => {
    const manifest = JSON.parse(textOf('package.json')) as Readonly<Record<string, unknown>>;
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies']) {
      expect(manifest[kind] ?? {}).toEqual({});
    }
    const scripts = Object.keys(manifest.scripts as object);
    expect(scripts.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
    const lock = JSON.parse(readFileSync(join(packed.project, 'package-lock.json'), 'utf8')) as {
      packages: object;
    };
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/proofgate']);
  });
});

describe.each(NODES)('the installed package on $name', ({ name, program }) => {
  const test = program === undefined ? it.skip : it;

  test.each(['verify.mjs', 'wasm.mjs'])('verifies a proof of circom in a few lines, %s', async (file) => {
    expect(await runInProject(packed, program ?? '', [file])).toBe('{ valid: true }\n');
  });

  test('is loaded by CommonJS: by require from Node 22 on, by import() in Node 20', async () => {
    const body = 'then(({ poseidon }) => poseidon([1, 2])).then(String).then(console.log);';
    writeProjectFile(packed, 'load.cjs', `import('proofgate').${body}`);
    writeProjectFile(packed, 'require.cjs', `Promise.resolve(require('proofgate')).${body}`);
    const expected = '7853200120776062878684798364095072458815029376092732009249414926327459813530\n';
    expect(await runInProject(packed, program ?? '', ['load.cjs'])).toBe(expected);
    const isRequired = !name.startsWith('Node 20');
    if (isRequired) expect(await runInProject(packed, program ?? '', ['require.cjs'])).toBe(expected);
  });

  test('answers as snarkjs does', async () => {
    const output = await runInProject(packed, program ?? '', ['replace.mjs']);
    expect(output).toMatch(/OK!\ntrue\n$/);
  });

  test('hashes and signs', async () => {
    const [poseidon, , last] = (await runInProject(packed, program ?? '', ['hashes.mjs'])).split(
      /\n(?=\[|\d|true)/,
    );
    expect(poseidon).toBe('7853200120776062878684798364095072458815029376092732009249414926327459813530n');
    expect(last).toBe('true\n');
  });
});

describe.each([
  { name: 'Deno', program: toolPath('@deno/linux-x64-glibc/deno'), args: ['run', '--allow-read'] },
  { name: 'Bun', program: toolPath('@oven/bun-linux-x64/bin/bun'), args: ['run'] },
])('the installed package on $name', ({ program, args }) => {
  const test = program === undefined ? it.skip : it;

  test('verifies a proof of circom in a few lines', async () => {
    const output = await runInProject(packed, program ?? '', [...args, 'verify.mjs']);
    expect(output.replace(/\s+/g, ' ')).toMatch(/^\{ valid: true,? \} $/);
  });
});

describe('the installed package', () => {
  it('checks a credential offline', async () => {
    writeProjectFile(packed, 'credential', signed({ expiresAt: 4_000_000_000n }));
    writeProjectFile(packed, 'keys.json', KEYS);
    const args = ['check-credential.mjs', 'credential', 'keys.json'];
    expect(await runInProject(packed, process.execPath, args)).toMatch(
      /^0x[0-9a-f]{64} is valid until 2096-/,
    );
    writeProjectFile(packed, 'keys.json', KEYS.replace(/(?<="status":\s*)"active"/, '"revoked"'));
    await expect(runInProject(packed, process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('credential.key_revoked') as string,
    });
  });

  it('verifies a file of proofs with a progress bar', async () => {
    const { stdout, stderr } = await outputInProject(packed, process.execPath, ['verify-file.mjs']);
    expect(stdout).toBe(`\n${LINES} proofs checked, ${FALSE_LINES.length} not valid\n`);
    for (const line of FALSE_LINES) expect(stderr).toContain(`proof ${line}: proof.false`);
    expect(stderr.match(/\r\[[# ]{40}\] \d+/g)?.length).toBe(LINES / 1000 + 1);
    expect(stderr).toContain(`[${'#'.repeat(40)}] ${LINES}`);
  });

  it('keeps the process alive while a verification waits', async () => {
    const pending = example('verify.mjs').replace(
      /^console\.log.*$/m,
      () => "engine.verify('my-circuit', proof, publicSignals).then(({ valid }) => console.log(valid));",
    );
    writeProjectFile(packed, 'pending.mjs', pending);
    expect(await runInProject(packed, process.execPath, ['pending.mjs'])).toBe('true\n');
  });

  it('has a bin that names the package of the service', async () => {
    const bin = ['node_modules/.bin/proofgate', 'serve'];
    await expect(runInProject(packed, process.execPath, bin)).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining('npm install proofgate-server') as string,
    });
  });
});

describe('the repository', () => {
  it('imports the library by its name, as it is packed', () => {
    const folder = join(packed.project, 'node_modules/proofgate');
    for (const { path } of packed.files) {
      const staged = readFileSync(join(REPOSITORY, 'node_modules/proofgate', path));
      expect(staged.equals(readFileSync(join(folder, path))), path).toBe(true);
    }
    const body = "import { poseidon } from 'proofgate'; console.log(String(await poseidon([1, 2])))";
    const args = ['--input-type=module', '-e', body];
    const { stdout } = spawnSync(process.execPath, args, { cwd: REPOSITORY, encoding: 'utf8' });
    expect(stdout).toBe('7853200120776062878684798364095072458815029376092732009249414926327459813530\n');
  });

  it('is itself no package: `npm pack` names the commands that make the two, whose versions are equal', () => {
    const folder = join(packed.project, 'root');
    mkdirSync(folder);
    const args = ['pack', '--pack-destination', folder];
    const { status, stderr } = spawnSync('npm', args, { cwd: REPOSITORY, encoding: 'utf8' });
    expect([status, readdirSync(folder)]).toEqual([78, []]);
    expect(stderr).toContain('npm run pack:server packs the service, npm pack -w proofgate the library');
    const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
    expect(packedManifest().version).toBe(version);
  });
});
