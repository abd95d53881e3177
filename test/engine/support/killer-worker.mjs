/** The engine's worker, except that its thread exits on a proof or an item that contains the mark. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { loadBackend } from '../../../dist/modules/load-backend.js';
import { createTaskHandler } from '../../../dist/modules/task-handler.js';

/** Bytes in a proof or item that end the thread. */
const MARK = Buffer.from('end this thread!');

/** Exits the thread if the bytes contain the mark. */
function exitOnMark(bytes) {
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(MARK)) process.exit(17);
}

/** A backend whose verification and byte hash look for the mark first. */
function withKiller(backend) {
  const functions = () => ({
    ...backend.functions,
    verifyBatch: (handle, batch, seed) => {
      exitOnMark(batch);
      return backend.functions.verifyBatch(handle, batch, seed);
    },
    verifyEach: (handle, batch) => {
      exitOnMark(batch);
      return backend.functions.verifyEach(handle, batch);
    },
    hashBytes: (tag, data) => {
      exitOnMark(data);
      return backend.functions.hashBytes(tag, data);
    },
  });
  return {
    kind: backend.kind,
    get functions() {
      return functions();
    },
    get instance() {
      return backend.instance;
    },
    renew: () => backend.renew(),
  };
}

const backend = withKiller(loadBackend(workerData.source));

/** Performs a task as the engine's worker does. */
export const handleTask = createTaskHandler(backend, workerData.slots, threadId, () =>
  parentPort?.postMessage('answered'),
);
