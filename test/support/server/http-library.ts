import { loadHttpLibrary } from '../../../src/http/library/load-http-library.ts';
import { TEST_LIMITS } from '../test-limits.ts';

const { facts } = loadHttpLibrary(TEST_LIMITS.library);

/** Whether tests run on `node:http`: by `PROOFGATE_HTTP_LIBRARY`, or because no binary of uWebSockets.js loads here. */
export const IS_NODE_HTTP = facts.kind === 'node';

/** Whether uWebSockets.js is newer than that of `uws-pack`: 20.57 refuses more by itself, and waits for a version. */
export const IS_NEWER_UWS = facts.kind === 'uws' && facts.package !== 'uws-pack';

/** The HTTP libraries that load here, for tests of a listener on each. */
export const HTTP_LIBRARIES: readonly ('uws' | 'node')[] = (['uws', 'node'] as const).filter((library) => {
  try {
    return loadHttpLibrary(library).facts.kind === library;
  } catch {
    return false;
  }
});
