import type { Worker } from 'node:worker_threads';
import type { Executor, ExecutorListener, Outcome } from '../../../src/engine/pool/executor.ts';
import { Board } from '../../../src/engine/slots/batch-slots.ts';
import { BoardThread, type TakenBatch } from '../../../src/engine/slots/worker-slots.ts';
import type { CallTask } from '../../../src/engine/worker/task.ts';
import { numberOf } from './proof-bench.ts';

const PROOF_BYTES = 256;
const TRUE = 0;

/** Calls that run until the test ends them. */
export interface RunningCalls {
  readonly call: string;
  readonly values: readonly number[];
  /** Every call is answered with its bytes. */
  done(): void;
  lost(hasBegun: boolean): void;
}

/** Proofs that a thread holds until the test ends them. */
export interface HeldProofs {
  readonly values: readonly number[];
  /** Whether the thread is told not to combine them. */
  readonly singly: boolean;
  /** Every proof gets a verdict byte: 0, or as told. */
  done(byteOf?: (value: number) => number): void;
  fault(text: string): void;
  /** The thread ends. */
  die(): void;
}

/** An executor whose threads the test moves by hand. */
export class ScriptedExecutor implements Executor {
  readonly board: Board;
  readyCount: number;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  /** Calls that run now, oldest first. */
  readonly running: RunningCalls[] = [];
  listener: ExecutorListener | undefined;
  readonly #drains: ((hasEndedWell: boolean) => void)[] = [];
  #lastThread = 0;

  constructor(readyCount: number, maxBatch: number) {
    this.readyCount = readyCount;
    this.board = new Board(Math.max(1, readyCount), maxBatch);
  }

  /** Threads that take trays. */
  get draining(): number {
    return this.#drains.length;
  }

  listen(listener: ExecutorListener): void {
    this.listener = listener;
  }

  drain(): Promise<boolean> {
    return new Promise((resolve) => this.#drains.push(resolve));
  }

  /** A thread that drains comes back. */
  comeBack(hasEndedWell = true): void {
    this.#drains.shift()?.(hasEndedWell);
  }

  /** Whether a thread that drains is asked to come back; as in a thread, to be asked once. */
  isCalled(): boolean {
    return new BoardThread(this.board.setup, 1).isCalled();
  }

  /** A new thread takes the tray that is next in order. */
  take(): HeldProofs | undefined {
    this.#lastThread += 1;
    const threadId = this.#lastThread;
    const thread = new BoardThread(this.board.setup, threadId);
    const taken = thread.take();
    return taken && this.#held(taken, thread, threadId);
  }

  run({ call, items }: CallTask): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome): void => {
        this.running.splice(this.running.indexOf(running), 1);
        resolve(outcome);
      };
      const running: RunningCalls = {
        call,
        values: items.map((item) => item[0] as number),
        done: () => end({ kind: 'done', results: items.map((bytes) => ({ ok: true, bytes })) }),
        lost: (hasBegun) => end({ kind: 'lost', hasBegun, reason: 'as the test says' }),
      };
      this.running.push(running);
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #held(taken: TakenBatch, thread: BoardThread, threadId: number): HeldProofs {
    const values = Array.from({ length: taken.count }, (_, index) =>
      numberOf(taken.batch.subarray(index * PROOF_BYTES)),
    );
    const ring = (): void => {
      if (thread.ring()) this.listener?.answered();
    };
    return {
      values,
      singly: taken.singly,
      done: (byteOf = () => TRUE) => {
        thread.answer(taken, Uint8Array.from(values, byteOf), 1);
        ring();
      },
      fault: (text) => {
        thread.fail(taken, text);
        ring();
      },
      die: () => this.listener?.ended(threadId),
    };
  }
}
