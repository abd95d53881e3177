import { ProofgateError } from '../../facade/proofgate-error.ts';
import type { CallName, MessageEnd, WorkerAnswer, WorkerCalls } from './protocol.ts';

/** A module worker, such as a `Worker` of a page. */
export interface EngineWorker extends MessageEnd {
  terminate(): void;
}

/** Error of a call whose worker has ended. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
  /** Whether the worker was running this call, which may have ended it; other calls were only waiting. */
  readonly isSuspect: boolean;

  constructor(reason: string, isSuspect: boolean) {
    super(reason);
    this.isSuspect = isSuspect;
  }
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Calls to one worker, which answers them in order. */
export class Connection {
  readonly #worker: EngineWorker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #lost: string | undefined;

  constructor(worker: EngineWorker) {
    this.#worker = worker;
    worker.addEventListener('message', (event) => {
      this.#receive((event as { readonly data: WorkerAnswer }).data);
    });
    // An uncaught error in the worker, or a program that could not be loaded.
    worker.addEventListener('error', (event) => this.#lose(reasonOf(event)));
    worker.addEventListener('messageerror', (event) => this.#lose(reasonOf(event)));
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** @throws ProofgateError with the code of the worker's error; WorkerLost */
  async call<Name extends CallName>(
    name: Name,
    data: WorkerCalls[Name]['takes'],
    transfer: ArrayBuffer[] = [],
  ): Promise<WorkerCalls[Name]['gives']> {
    const lost = this.#lost;
    if (lost !== undefined) throw new WorkerLost(lost, false);
    return (await new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId += 1;
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, name, data }, transfer);
    })) as WorkerCalls[Name]['gives'];
  }

  close(): void {
    this.#worker.terminate();
  }

  #receive(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.ok) pending?.resolve(answer.value);
    else pending?.reject(new ProofgateError(answer.code, answer.message));
  }

  #lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    this.#worker.terminate();
    const [first] = this.#pending.keys();
    for (const [id, { reject }] of this.#pending) reject(new WorkerLost(reason, id === first));
    this.#pending.clear();
  }
}

function reasonOf(event: object): string {
  const { message } = event as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'the worker failed or could not be loaded';
}
