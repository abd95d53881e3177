import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as selfTests from '../../../../src/engine/self-test/self-test.ts';
import { ProofgateError } from '../../../../src/library/facade/proofgate-error.ts';
import type { EngineWorker } from '../../../../src/library/web/worker/connection.ts';
import { createWorkerEngine } from '../../../../src/library/web/worker/create-worker-engine.ts';
import type { WorkerRequest } from '../../../../src/library/web/worker/protocol.ts';
import { serveEngine } from '../../../../src/library/web/worker/serve-engine.ts';
import { KEY } from '../../support/semaphore-statement.ts';
import { answersOf, CASES, EXPECTED_ANSWERS, TRUE_STATEMENTS, wasmFile } from '../../support/statements.ts';

const module = new WebAssembly.Module(readFileSync(wasmFile('scalar')));

/** Decides on the death of a worker before it answers a request. */
type Kill = (request: WorkerRequest) => boolean;

interface Started {
  readonly workers: FakeWorker[];
  readonly start: () => EngineWorker;
}

/**
 * A worker in this thread: messages are cloned and handed over as between threads. It takes the next one when it has
 * answered the last, and dies of it if `kill` says so.
 */
class FakeWorker extends EventTarget implements EngineWorker {
  readonly requests: WorkerRequest[] = [];
  /** Largest number of requests without an answer. */
  maxInFlight = 0;
  isTerminated = false;
  readonly #page = new EventTarget();
  readonly #kill: Kill;
  #answered = 0;
  #taken = 0;

  constructor(kill: Kill) {
    super();
    this.#kill = kill;
    serveEngine({
      postMessage: (data) => {
        this.#answered += 1;
        this.#send(this, data);
        this.#takeNext();
      },
      addEventListener: (type, listener) => this.#page.addEventListener(type, listener),
    });
  }

  postMessage(message: unknown, transfer: ArrayBuffer[]): void {
    this.requests.push(structuredClone(message, { transfer }) as WorkerRequest);
    this.maxInFlight = Math.max(this.maxInFlight, this.requests.length - this.#answered);
    this.#takeNext();
  }

  terminate(): void {
    this.isTerminated = true;
  }

  #takeNext(): void {
    const request = this.requests[this.#taken];
    if (request === undefined || this.#taken > this.#answered) return;
    this.#taken += 1;
    if (this.#kill(request)) setImmediate(() => this.#die());
    else this.#send(this.#page, request);
  }

  #die(): void {
    if (!this.isTerminated)
      this.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
  }

  #send(target: EventTarget, data: unknown): void {
    setImmediate(() => {
      if (!this.isTerminated) target.dispatchEvent(Object.assign(new Event('message'), { data }));
    });
  }
}

function workers(kill: (worker: number) => Kill = () => () => false): Started {
  const started: FakeWorker[] = [];
  const start = (): EngineWorker => {
    const worker = new FakeWorker(kill(started.length));
    started.push(worker);
    return worker;
  };
  return { workers: started, start };
}

const countsOf = ({ requests }: FakeWorker): number[] =>
  requests.flatMap((request) => (request.name === 'verify' ? [request.data.count] : []));

describe('createWorkerEngine', () => {
  // The workers here share a thread, but each gets a copy of the module: the first one tests it for all.
  beforeAll(() => {
    const { selfTest } = selfTests;
    let known: { readonly fault: string | undefined } | undefined;
    const spy = vi.spyOn(selfTests, 'selfTest').mockImplementation((functions) => {
      known ??= { fault: selfTest(functions) };
      return known.fault;
    });
    return () => spy.mockRestore();
  });

  it('answers as the engine in one thread does, and ends its worker', async () => {
    const started = workers();
    const engine = await createWorkerEngine({ module, worker: started.start });
    await engine.addKey('key', KEY);
    expect(await answersOf(engine, CASES)).toEqual(EXPECTED_ANSWERS);
    expect(engine.stats()).toMatchObject({ arithmetic: 'wasm-scalar', workers: 1, workerRestarts: 0 });
    const accepted = answersOf(engine, TRUE_STATEMENTS.slice(0, 1));
    await engine.close();
    expect(await accepted).toEqual(['valid']);
    expect(started.workers.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it('sends errors with their codes', async () => {
    const { start } = workers();
    await using engine = await createWorkerEngine({ module, worker: start });
    const degenerate = { ...KEY, IC: KEY.IC.map(() => KEY.IC[0] as string[]) };
    const error: unknown = await engine.addKey('key', degenerate).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProofgateError);
    expect(error).toMatchObject({
      code: 'key.degenerate_inputs',
      message: expect.stringContaining('ic[0] and ic[1] are equal'),
    });
    await engine.addKey('key', degenerate, { allowDegenerateInputs: true });
    await expect(createWorkerEngine({ module, backend: 'wasm-simd', worker: start })).rejects.toMatchObject({
      code: 'engine.option',
    });
  });

  it('keeps two batches in flight at most', async () => {
    const { start, workers: started } = workers();
    await using engine = await createWorkerEngine({ module, worker: start, maxBatch: 2 });
    await engine.addKey('key', KEY);
    const statements = Array.from({ length: 8 }, (_, index) => TRUE_STATEMENTS[index % 2] as object);
    const verdicts = await engine.verifyMany('key', statements as typeof TRUE_STATEMENTS);
    expect(verdicts.map(({ valid }) => valid)).toEqual(statements.map(() => true));
    expect(countsOf(started[0] as FakeWorker)).toEqual([2, 2, 2, 2]);
    expect(started[0]?.maxInFlight).toBe(2);
  });

  it('rejects with engine.busy beyond its queue', async () => {
    const { start } = workers();
    await using engine = await createWorkerEngine({ module, worker: start, maxQueue: 1 });
    await engine.addKey('key', KEY);
    expect(await answersOf(engine, TRUE_STATEMENTS.slice(0, 2))).toEqual(['valid', 'engine.busy!']);
  });

  it('replaces a worker that dies, and loses nothing', async () => {
    const started = workers((worker) => (request) => worker === 0 && request.name === 'verify');
    await using engine = await createWorkerEngine({ module, worker: started.start, maxBatch: 4 });
    await engine.addKey('key', KEY);
    expect(await answersOf(engine, CASES)).toEqual(EXPECTED_ANSWERS);
    expect(started.workers).toHaveLength(2);
    expect(engine.stats().workerRestarts).toBe(1);
  });

  it('gives up only the statement that ends its workers', async () => {
    const poison = CASES.findIndex(({ name }) => name === 'another proof');
    const x = String(TRUE_STATEMENTS[1]?.proof.pi_a[0]);
    const mark = Buffer.from(BigInt(x).toString(16).padStart(64, '0'), 'hex');
    const started = workers(() => (request) => {
      if (request.name !== 'verify') return false;
      return Buffer.from(request.data.statements).includes(mark);
    });
    await using engine = await createWorkerEngine({ module, worker: started.start, maxBatch: 4 });
    await engine.addKey('key', KEY);
    const statements = CASES.filter(({ name }) => name !== 'the proof of another statement');
    const expected = EXPECTED_ANSWERS.filter(
      (_, index) => CASES[index]?.name !== 'the proof of another statement',
    );
    expect(await answersOf(engine, statements)).toEqual(expected.with(poison, 'engine.poison!'));
  });

  it('rejects when the worker does not start', async () => {
    const { start, workers: started } = workers(
      () =>
        ({ name }) =>
          name === 'start',
    );
    await expect(createWorkerEngine({ module, worker: start })).rejects.toMatchObject({
      code: 'engine.worker_failed',
      message: 'out of memory',
    });
    expect(started).toHaveLength(1);
    // Node has no `Worker`.
    await expect(createWorkerEngine({ module })).rejects.toMatchObject({ code: 'engine.worker_failed' });
  });

  it('rejects what waits when no new worker starts', async () => {
    const { start } = workers(
      (worker) =>
        ({ name }) =>
          worker === 0 ? name === 'verify' : name === 'start',
    );
    const engine = await createWorkerEngine({ module, worker: start });
    await engine.addKey('key', KEY);
    expect(await answersOf(engine, TRUE_STATEMENTS.slice(0, 1))).toEqual(['engine.worker_failed!']);
    await engine.close();
  });
});
