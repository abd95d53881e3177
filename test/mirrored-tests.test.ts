/** Every module of `src` is reached by a test that mirrors its path (.github/CONTRIBUTING.md, Tests). */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { filesReached, moduleGraph, type NamedBy, sourceFiles } from './support/module-graph.ts';

const TESTS = new URL('./', import.meta.url);
/** An interface or a type has no other tests than those of the modules that use it. */
const WAYS: readonly NamedBy[] = ['static', 'dynamic', 'program', 'type'];

/** Programs that tests start instead of importing them, and the test or helper that does. */
const STARTED: Readonly<Record<string, string>> = {
  'main.ts': 'support/server/server-process.ts',
  'library/web-worker.ts': 'library/web/chromium-bundlers.long.test.ts',
  'library/snarkjs-web.ts': 'library/web/runtimes.long.test.ts',
  'library/credential-web.ts': 'library/web/runtimes.long.test.ts',
  'client/admin/page.ts': 'dashboard/chromium-looks.long.test.ts',
  'client/demo/callback.ts': 'demo/chromium.long.test.ts',
  'client/demo/page.ts': 'demo/chromium.long.test.ts',
  'client/docs/page.ts': 'http/routes/chromium-docs.test.ts',
  'client/signin/page.ts': 'oidc/pages/chromium.test.ts',
  'client/signin/wait-page.ts': 'oidc/pages/chromium-looks.long.test.ts',
  'client/wallet/page.ts': 'wallet/chromium-sign-in.long.test.ts',
  'client/wallet/prover/prover-worker.ts': 'wallet/chromium-prove.long.test.ts',
};

/** Modules that are tested where they are used, and the test. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'config/sources/tls-files.ts': 'http/tls.test.ts',
  'development/persons.ts': 'cli/commands/dev/dev-person.test.ts',
  'development/prove.ts': 'interop/development-circuit.long.test.ts',
  'membership/worldid4/proofs4.ts': 'verification/worldid4/check-proofs4.test.ts',
  'engine/backends/compare-backends.ts': 'cli/doctor/backends.test.ts',
};

/** Returns the folder of `test` with the longest common path; empty if not even its first folder exists. */
function mirrorOf(module: string): string {
  let folder = dirname(module);
  while (folder !== '.' && !existsSync(new URL(folder, TESTS))) folder = dirname(folder);
  return folder === '.' ? '' : folder;
}

function testsBelow(folder: string): string[] {
  return readdirSync(new URL(folder === '' ? '.' : folder, TESTS), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('../test', folder, file));
}

describe('the tests', () => {
  // The program reaches nearly all modules, which have tests of their own.
  const { 'main.ts': _, ...parts } = STARTED;
  const started = new Set(['main.ts', ...moduleGraph(Object.keys(parts), WAYS).files]);
  const modules = sourceFiles();
  const byMirror = new Map<string, string[]>();
  for (const module of modules) {
    const folder = mirrorOf(module);
    byMirror.set(folder, [...(byMirror.get(folder) ?? []), module]);
  }

  it.each([...byMirror])('below "%s" reach the modules of the same path', (folder, own) => {
    const missing = new Set(own.filter((module) => !started.has(module) && !(module in ELSEWHERE)));
    const reached = filesReached(testsBelow(folder), WAYS);
    while (missing.size > 0) {
      const { done, value } = reached.next();
      if (done) break;
      missing.delete(value);
    }
    expect([...missing]).toEqual([]);
  });

  it('exist for each folder of the sources', () => {
    expect(byMirror.get('')?.filter((module) => module.includes('/')) ?? []).toEqual([]);
  });

  it.each(Object.entries(ELSEWHERE))('reach %s', (module, file) => {
    expect([...filesReached([join('../test', file)], WAYS)]).toContain(module);
  });

  it.each(Object.entries(STARTED))('start %s', (program, file) => {
    expect(modules).toContain(program);
    expect(existsSync(new URL(file, TESTS))).toBe(true);
  });
});
