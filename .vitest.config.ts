import { defineConfig, type ViteUserConfig } from 'vitest/config';

// `npm test` has every rule; `npm run test:all` also has what takes long: kills, long properties, mutations, all states
// of the pages in Chromium, relying parties in other languages.
const isAll = process.env.PROOFGATE_TESTS === 'all';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: isAll ? [] : ['test/**/*.long.test.ts'],
    globalSetup: ['.scripts/vitest-setup.mjs'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // As long as a test may take: how fast the machine is decides nothing.
    expect: { poll: { timeout: 60_000 } },
    // With `npm run coverage`; .github/CONTRIBUTING.md says what it cannot see.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reportsDirectory: '.proofgate/coverage',
      reporter: ['text-summary', 'json-summary', 'json', 'html'],
    },
  },
});
export default config;
