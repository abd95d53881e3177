import { loadHttpLibrary } from '../../../src/http/library/load-http-library.ts';
import { TEST_LIMITS } from '../test-limits.ts';

/** Whether tests run on `node:http`: by `PROOFGATE_HTTP_LIBRARY`, or because no binary of uWebSockets.js loads here. */
export const IS_NODE_HTTP = loadHttpLibrary(TEST_LIMITS.library).facts.kind === 'node';
