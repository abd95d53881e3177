/**
 * Program of the module worker that `createWorkerEngine` of `proofgate/web` starts: the engine of `createEngine`,
 * called by messages. Bundlers emit it as a separate file.
 */
import type { MessageEnd } from './web/worker/protocol.ts';
import { serveEngine } from './web/worker/serve-engine.ts';

serveEngine(globalThis as unknown as MessageEnd);
