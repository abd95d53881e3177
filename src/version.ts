import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../package.json') as {
  readonly version: string;
  readonly engines: { readonly node: string };
};

/** Version of the service: that of its package. */
export const VERSION: string = manifest.version;

/** Releases of Node that the tests have run on: ranges `^major.minor`, with ` || ` between them. */
export const TRIED_NODES: string = manifest.engines.node;

/**
 * Returns the name of this build: the version if built from its tag, otherwise `0.1.0-dev+` with the commit, and
 * `.changed` if the sources differed from it; `0.1.0-dev` without a record of the commit.
 */
export function buildVersion(): string {
  const commit = commitOfBuild();
  if (commit === '') return VERSION;
  return commit === undefined ? `${VERSION}-dev` : `${VERSION}-dev+${commit}`;
}

function commitOfBuild(): string | undefined {
  try {
    const record = JSON.parse(readFileSync(new URL('../dist/build.json', import.meta.url), 'utf8')) as object;
    return 'commit' in record && typeof record.commit === 'string' ? record.commit : undefined;
  } catch {
    return undefined;
  }
}
