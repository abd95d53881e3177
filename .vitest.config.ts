import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

// `npm test` has every rule; `npm run test:all` also has what takes long: kills, long properties, mutations, all states
// of the pages in Chromium, relying parties in other languages.
const isAll = process.env.PROOFGATE_TESTS === 'all';

// Files of one worker share their modules, which spares most of the time for loading them. A file that replaces a
// module has modules of its own; one that replaces the clock or a global restores it before it ends.
const REPLACES = /\bvi\.(mock|doMock|resetModules)\(|process\.chdir\(/;
const isolated = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`)
  .filter((file) => REPLACES.test(readFileSync(file, 'utf8')));

const test = {
  setupFiles: '.scripts/vitest-process.mjs',
  pool: 'forks',
  // Only a test that hangs takes as long, on any machine and beside any other load.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 180_000 } },
  // CI keeps the message of a failure only, which must show what was found.
  chaiConfig: { truncateThreshold: 2000 },
} as const;
/** As `.tsconfig.client.json` has it, which Vite does not read. */
const oxc = { jsx: { runtime: 'automatic', importSource: 'preact' } } as const;
// Vitest applies `--exclude` to a configuration without projects only.
const given = process.argv.filter((_, index) => process.argv[index - 1] === '--exclude');
const exclude = [...(isAll ? [] : ['test/**/*.long.test.ts']), ...given];

const config: ViteUserConfig = defineConfig({
  test: {
    // One more than the processors of a small machine, because some tests wait for a timeout of uWebSockets.js.
    maxWorkers: 3,
    // Fewer collections of young objects, each in one thread: a twentieth of the processor time.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64', '--no-parallel-scavenge'],
    // Transformed modules are kept from run to run.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/vitest' },
    globalSetup: ['.scripts/vitest-setup.mjs'],
    projects: [
      {
        oxc,
        test: {
          ...test,
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...isolated],
        },
      },
      { oxc, test: { ...test, name: 'isolated', include: isolated, exclude } },
    ],
    // With `npm run coverage`; .github/CONTRIBUTING.md says what it cannot see.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}'],
      reportsDirectory: '.proofgate/coverage',
      reporter: ['text-summary', 'json-summary', 'json', 'html'],
    },
  },
});
export default config;
