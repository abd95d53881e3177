import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { makeScratch, ROOT, snippet } from './support/snippets.ts';

/** TypeScript of the guides, but for the app of Next.js, whose build checks types itself. */
const FILES = {
  prove: ['prove.ts', 'vote.ts', 'idkit-in-node.ts'],
  sessions: ['sessions.ts', 'session.ts'],
  'sign-in': ['server.ts', 'sign-in.ts'],
  tokens: ['check-id-token.ts'],
  verify: ['proofgate.ts', 'server.ts'],
} as const;

describe('the TypeScript of the guides', () => {
  const scratch = makeScratch();
  afterAll(() => scratch.end());

  it('has no type errors under strict rules', async () => {
    for (const [guide, files] of Object.entries(FILES))
      for (const file of files) scratch.write(`${guide}/${file}`, snippet(guide, file));
    scratch.write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: true,
          noEmit: true,
          target: 'es2023',
          module: 'nodenext',
          allowImportingTsExtensions: true,
          lib: ['es2023', 'dom', 'dom.iterable'],
          types: ['node'],
        },
        include: Object.keys(FILES),
      }),
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', scratch.folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
