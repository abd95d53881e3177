import type { Worker } from 'node:worker_threads';
import type { Executor, ExecutorListener } from '../../../src/engine/pool/executor.ts';
import { BatchSlots } from '../../../src/engine/slots/batch-slots.ts';
import {
  type TakenBatch,
  type TakenCalls,
  type TakenProofs,
  WorkerSlots,
} from '../../../src/engine/slots/worker-slots.ts';
import { numberOf } from './proof-bench.ts';

const PROOF_BYTES = 256;
/** Verdict byte of a valid proof. */
export const VALID_BYTE = 1;
/** Verdict byte of a proof whose equation does not hold. */
export const FALSE_BYTE = 2;

/** A batch that a worker holds until the test ends it. */
export interface HeldBatch {
  /** `verify`, or the name of the call. */
  readonly operation: string;
  /** Numbers that the items encode. */
  readonly values: readonly number[];
  /** Whether the worker must verify the proofs separately. */
  readonly separately: boolean;
  /** Gives every proof a verdict byte, by default valid, and answers every call with its own bytes. */
  done(byteOf?: (value: number) => number): void;
  fault(text: string): void;
  /** Ends the thread. */
  die(): void;
}

/** An executor whose workers the test controls step by step. */
export class ScriptedExecutor implements Executor {
  readonly slots: BatchSlots;
  readyCount: number;
  readonly restarts = 0;
  readonly threads: readonly Worker[] = [];
  listener: ExecutorListener | undefined;
  readonly #serving: ((hasEndedWell: boolean) => void)[] = [];
  #lastThread = 0;
  #preferred: 'proofs' | 'calls' = 'calls';

  constructor(readyCount: number, maxBatch: number) {
    this.readyCount = readyCount;
    this.slots = new BatchSlots(Math.max(1, readyCount), maxBatch);
  }

  /** Number of workers that serve the slots. */
  get serving(): number {
    return this.#serving.length;
  }

  listen(listener: ExecutorListener): void {
    this.listener = listener;
  }

  serve(): Promise<boolean> {
    return new Promise((resolve) => this.#serving.push(resolve));
  }

  /** Makes the oldest serving worker return. */
  return(hasEndedWell = true): void {
    this.#serving.shift()?.(hasEndedWell);
  }

  /** Takes the next slot as a new thread; proofs and calls alternate, as on one worker. */
  take(): HeldBatch | undefined {
    this.#lastThread += 1;
    const threadId = this.#lastThread;
    const slots = new WorkerSlots(this.slots.setup, threadId);
    const taken = slots.take(this.#preferred);
    if (taken) this.#preferred = taken.operation === 'verify' ? 'calls' : 'proofs';
    return taken && this.#held(taken, slots, threadId);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #held(taken: TakenBatch, slots: WorkerSlots, threadId: number): HeldBatch {
    const values = taken.operation === 'verify' ? proofNumbers(taken) : callNumbers(taken);
    const notify = (): void => {
      if (slots.needsNotice()) this.listener?.answered();
    };
    // copied, because the items are valid only until the worker takes another batch
    const items = taken.operation === 'verify' ? [] : taken.items.map((item) => item.slice());
    return {
      operation: taken.operation,
      values,
      separately: taken.operation === 'verify' && taken.separately,
      done: (byteOf = () => VALID_BYTE) => {
        if (taken.operation === 'verify') slots.answerProofs(taken, Uint8Array.from(values, byteOf), 1);
        else
          slots.answerCalls(
            taken,
            items.map((bytes) => ({ ok: true, bytes })),
            1,
          );
        notify();
      },
      fault: (text) => {
        slots.fail(taken, text);
        notify();
      },
      die: () => this.listener?.ended(threadId),
    };
  }
}

function proofNumbers({ statements, count }: TakenProofs): number[] {
  return Array.from({ length: count }, (_, index) => numberOf(statements.subarray(index * PROOF_BYTES)));
}

function callNumbers({ items }: TakenCalls): number[] {
  return items.map((item) => item[0] as number);
}
