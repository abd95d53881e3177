import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { namingsOf, SOURCES, sourceFiles } from './support/module-graph.ts';

/** Folders that each folder of `src` may import; any other import points the wrong way. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  semaphore: [],
  groth16: ['semaphore'],
  chain: ['semaphore'],
  credential: ['semaphore', 'errors'],
  config: ['errors'],
  observability: ['config', 'errors'],
  engine: ['config', 'errors'],
  storage: ['config', 'errors'],
  apps: ['storage', 'semaphore', 'config', 'errors'],
  membership: [
    'chain',
    'groth16',
    'credential',
    'engine',
    'storage',
    'observability',
    'semaphore',
    'config',
    'errors',
  ],
  verification: [
    'apps',
    'membership',
    'groth16',
    'engine',
    'storage',
    'observability',
    'semaphore',
    'config',
    'errors',
  ],
  oidc: ['apps', 'membership', 'engine', 'storage', 'observability', 'semaphore', 'config', 'errors'],
  refresh: [
    'apps',
    'membership',
    'credential',
    'engine',
    'storage',
    'observability',
    'semaphore',
    'config',
    'errors',
  ],
  bridge: ['storage', 'config', 'errors'],
  webhooks: ['storage', 'observability', 'config', 'errors'],
  development: ['membership', 'groth16', 'engine', 'storage', 'semaphore', 'config', 'errors'],
  client: ['operations', 'semaphore'],
  admin: ['webhooks', 'observability', 'engine', 'storage', 'config', 'errors'],
  operations: [
    'admin',
    'oidc',
    'refresh',
    'webhooks',
    'apps',
    'membership',
    'observability',
    'engine',
    'storage',
    'semaphore',
    'config',
    'errors',
  ],
  http: [
    'operations',
    'admin',
    'oidc',
    'refresh',
    'verification',
    'bridge',
    'development',
    'apps',
    'membership',
    'observability',
    'storage',
    'semaphore',
    'config',
    'errors',
  ],
  cli: [
    'operations',
    'openapi',
    'oidc',
    'refresh',
    'verification',
    'bridge',
    'webhooks',
    'development',
    'apps',
    'membership',
    'groth16',
    'chain',
    'credential',
    'engine',
    'storage',
    'semaphore',
    'config',
    'errors',
  ],
  app: [
    'operations',
    'admin',
    'openapi',
    'http',
    'oidc',
    'refresh',
    'verification',
    'bridge',
    'webhooks',
    'development',
    'apps',
    'membership',
    'observability',
    'chain',
    'engine',
    'storage',
    'semaphore',
    'config',
    'errors',
  ],
  openapi: ['http', 'oidc', 'verification', 'development', 'config', 'errors'],
  library: ['engine', 'groth16', 'credential', 'semaphore', 'errors'],
  docs: ['observability', 'config', 'errors'],
};
/** The composition root and the process entry see everything. */
const ROOTS = ['app/app.ts', 'main.ts'];
/** Helpers of a few lines at the root of `src`: every folder may import them, and they import no folder. */
const HELPERS = [
  'addresses.ts',
  'bytes.ts',
  'clock-offset.ts',
  'compiled-file.ts',
  'delivery.ts',
  'egress-proxies.ts',
  'histogram.ts',
  'json.ts',
  'outgoing.ts',
  'pages.ts',
  'proxy-agent.ts',
  'source-maps.ts',
  'text.ts',
  'version.ts',
];

function folderOf(file: string): string {
  return file.split('/')[0] ?? '';
}

/** Folders of `src` that a file imports, statically, dynamically or for a type. */
function importedFolders(file: string): string[] {
  return namingsOf(file).flatMap(({ by, file: target }) => {
    if (by === 'text' || by === 'program' || target?.startsWith(SOURCES.href) !== true) return [];
    return [folderOf(target.slice(SOURCES.href.length))];
  });
}

describe('imports of src', () => {
  const files = sourceFiles().filter((file) => ![...ROOTS, ...HELPERS].includes(file));

  it('come from folders that have a layer', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(LAYERS).sort());
  });

  it('point one way', () => {
    const wrong = files.flatMap((file) => {
      const allowed = [folderOf(file), ...HELPERS, ...(LAYERS[folderOf(file)] ?? [])];
      return importedFolders(file)
        .filter((folder) => !allowed.includes(folder))
        .map((folder) => `${file} imports ${folder}`);
    });
    expect(wrong).toEqual([]);
  });

  it('never go from a helper to a folder', () => {
    const wrong = HELPERS.flatMap((file) => importedFolders(file).filter((name) => !HELPERS.includes(name)));
    expect(wrong).toEqual([]);
  });

  it('name the module that declares: nothing is exported again, except by the entries of the library', () => {
    const again = sourceFiles()
      .filter((file) => folderOf(file) !== 'library')
      .filter((file) => /^export [^;=]*? from '/m.test(readFileSync(new URL(file, SOURCES), 'utf8')));
    expect(again).toEqual([]);
  });

  it('are detected: the composition root imports most folders', () => {
    expect(importedFolders('app/app.ts')).toEqual(
      expect.arrayContaining(['http', 'verification', 'engine', 'storage']),
    );
  });
});
