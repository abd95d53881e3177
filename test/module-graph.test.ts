import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, makeCliFolder } from './cli/support/cli.ts';
import { builtInJson, makeZkey } from './support/crypto/make-zkey.ts';
import { moduleGraph, type NamedBy, namingsOf, SOURCES, sourceFiles } from './support/module-graph.ts';
import { runProofgate, startServer } from './support/server/server-process.ts';
import { bodyOf, vector } from './verification/support/vectors.ts';

const GPL_PACKAGES = [
  'snarkjs',
  'ffjavascript',
  '@iden3/binfileutils',
  'circom2',
  'circomlib',
  'circomlibjs',
];
/** Entries of the server; `program` also leads to the programs of its threads and child processes. */
const SERVER = ['app/app.ts', 'cli/commands/service/serve.ts'];
const SERVER_WAYS: readonly NamedBy[] = ['static', 'dynamic', 'program'];

function isGpl(name: string | undefined): boolean {
  return GPL_PACKAGES.some((gpl) => name === gpl || name?.startsWith(`${gpl}/`));
}

/** Source files that name a GPL package in the given way. */
function filesNaming(by: NamedBy): string[] {
  return sourceFiles().filter((file) =>
    namingsOf(file).some((naming) => naming.by === by && isGpl(naming.name)),
  );
}

function manifest<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')) as T;
}

describe('the module graph of the server', () => {
  const { files, packages } = moduleGraph(SERVER, SERVER_WAYS);

  it('has the known parts, threads and packages', () => {
    expect([...files]).toEqual(
      expect.arrayContaining([
        'http/server.ts',
        'http/library/load-http-library.ts',
        'engine/worker/worker.ts',
        'storage/drivers/libsql-worker.ts',
        'development/setup/setup-process.ts',
        'engine/backends/wasm.ts',
        'verification/run/verify-item.ts',
        'storage/open-store.ts',
        'development/trees.ts',
      ]),
    );
    expect(files.size).toBeGreaterThan(100);
    expect([...packages]).toEqual(expect.arrayContaining(['piscina', 'ajv', 'pg', 'libsql']));
  });

  it('contains no package under the GPL', () => {
    expect([...packages].filter(isGpl)).toEqual([]);
  });

  it('is bundled without a package under the GPL', () => {
    const licenses = readFileSync(new URL('../dist/THIRD-PARTY-LICENSES.txt', import.meta.url), 'utf8');
    const bundled = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, name]) => name);
    expect(bundled).toEqual(expect.arrayContaining(['ajv', 'piscina', 'jose']));
    expect(bundled.filter(isGpl)).toEqual([]);
  });

  it('loads the package that signs requests of relying parties in one place, when something is signed', () => {
    const naming = sourceFiles().flatMap((file) =>
      namingsOf(file).flatMap(({ by, name }) => (name?.startsWith('@worldcoin/') ? [[file, by, name]] : [])),
    );
    expect(naming).toEqual([['oidc/worldid4/request-signer.ts', 'dynamic', '@worldcoin/idkit-server']]);
  });

  it('imports nothing by a computed name', () => {
    const computed = [...files].filter((file) =>
      namingsOf(file).some(({ by, name }) => by === 'dynamic' && name === undefined),
    );
    expect(computed).toEqual([]);
  });
});

describe('packages under the GPL', () => {
  it('are imported by no file when it is loaded', () => {
    expect(filesNaming('static')).toEqual([]);
  });

  it('are imported on demand only outside of the server', () => {
    const { files } = moduleGraph(SERVER, SERVER_WAYS);
    const onDemand = filesNaming('dynamic');
    expect(onDemand.length).toBeGreaterThan(0);
    expect(onDemand.filter((file) => files.has(file))).toEqual([]);
  });

  it('are never loaded by require', () => {
    const requiring = filesNaming('text').filter((file) =>
      /\brequire\(|createRequire\([^)]*\)\(/.test(readFileSync(new URL(file, SOURCES), 'utf8')),
    );
    expect(requiring).toEqual([]);
  });

  it('are not installed in production, directly or below another package', () => {
    for (const name of ['package.json', '.library/package.json']) {
      const { dependencies = {} } = manifest<{ dependencies?: Record<string, string> }>(name);
      expect(Object.keys(dependencies).filter(isGpl)).toEqual([]);
    }
    const { packages } = manifest<{ packages: Record<string, { dev?: boolean }> }>('package-lock.json');
    for (const name of GPL_PACKAGES) {
      const installed = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
      expect(installed.length, name).toBeGreaterThan(0);
      for (const [path, { dev }] of installed) expect({ path, dev }).toEqual({ path, dev: true });
    }
  });
});

describe('a process that cannot load packages under the GPL', () => {
  const hook = new URL('./support/refuse-packages.mjs', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import=${hook}` };
  const entry = vector(0);
  let folder: CliFolder;
  beforeAll(async () => {
    folder = await makeCliFolder();
  });
  afterAll(() => folder.remove());

  it('cannot import a zkey', async () => {
    const file = join(folder.path, 'some.zkey');
    writeFileSync(file, makeZkey(builtInJson('semaphore-depth16')));
    const command = ['vkey', 'import', file, '--id', 'x'];
    const refused = await runProofgate(command, { PROOFGATE_DATA_DIR: folder.path, ...env });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('key.unsupported_file');
    expect((await folder.run(command)).code).toBe(0);
  });

  it('serves and verifies a proof', async () => {
    await folder.json(['apps', 'add', '--app-id', entry.app_id ?? '']);
    const tree = ['--environment', 'production', '--tree', 'orb'];
    await folder.json(['roots', 'add', ...tree, '--root', entry.merkle_root]);
    const server = await startServer(folder.path, env);
    try {
      const answer = await fetch(`${server.publicUrl}/api/v4/verify/${entry.rp_id}`, {
        method: 'POST',
        body: JSON.stringify(bodyOf(entry)),
      });
      expect(await answer.json()).toMatchObject({ success: true, message: 'Proof verified successfully' });
    } finally {
      await server.end('SIGTERM');
    }
  });
});
