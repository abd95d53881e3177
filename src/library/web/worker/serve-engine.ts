import { messageOf } from '../../../text.ts';
import { ProofgateError, publicError } from '../../facade/proofgate-error.ts';
import { loadModule } from '../load-module.ts';
import { WebCore } from '../web-core.ts';
import type { MessageEnd, WorkerAnswer, WorkerCalls, WorkerRequest } from './protocol.ts';

/** Answers the calls of a page sequentially, in order; the page relies on this when the worker ends. */
export function serveEngine(page: MessageEnd): void {
  const engine = new ServedEngine();
  let last: Promise<void> = Promise.resolve();
  page.addEventListener('message', (event) => {
    const request = (event as { readonly data: WorkerRequest }).data;
    last = last.then(async () => page.postMessage(await answerTo(engine, request), []));
  });
}

async function answerTo(engine: ServedEngine, request: WorkerRequest): Promise<WorkerAnswer> {
  const { id } = request;
  try {
    return { id, ok: true, value: await engine.perform(request) };
  } catch (thrown) {
    // Structured cloning drops the own fields of an error.
    const error = publicError(thrown);
    const code = error instanceof ProofgateError ? error.code : 'engine.worker_failed';
    return { id, ok: false, code, message: messageOf(error) };
  }
}

class ServedEngine {
  #core: WebCore | undefined;

  perform(request: WorkerRequest): Promise<unknown> {
    if (request.name === 'start') return this.#start(request.data);
    if (this.#core === undefined)
      throw new ProofgateError('engine.worker_failed', 'expected the call "start"');
    return request.name === 'addKey' ? addKey(this.#core, request.data) : verify(this.#core, request.data);
  }

  async #start(data: WorkerCalls['start']['takes']): Promise<WorkerCalls['start']['gives']> {
    const loaded = await loadModule(data);
    // A call contains at most one batch, so the queue is never full.
    this.#core = new WebCore({ ...loaded, maxBatch: data.maxBatch, maxQueue: data.maxBatch });
    const { arithmetic, reason } = loaded;
    return { arithmetic, reason };
  }
}

async function addKey(core: WebCore, data: WorkerCalls['addKey']['takes']): Promise<number> {
  await core.addKey(data.keyId, data.key, data.acceptsDegenerate);
  return core.inputCount(data.keyId) as number;
}

function verify(
  core: WebCore,
  { keyId, statements, count }: WorkerCalls['verify']['takes'],
): Promise<WorkerCalls['verify']['gives']> {
  const bytes = statements.length / count;
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      core.verify(keyId, statements.subarray(index * bytes, (index + 1) * bytes), undefined),
    ),
  );
}
