import { ServiceError } from '../../errors/service-error.ts';
import { refusal } from '../encoding.ts';
import type { ProofSource, VerdictReceiver } from '../engine.ts';
import type { CallOperation, KeyReference } from '../operation.ts';
import type { FairShareCredit } from './fair-share-credit.ts';
import { Fifo } from './fifo.ts';
import type { SuspectedSource } from './suspected-sources.ts';

/** Code with which queued or running work is refused, without a verdict or result. */
export type WorkRefusal =
  | 'engine.cancelled'
  | 'engine.poison'
  | 'engine.worker_failed'
  | 'internal.unforeseen';

/** A verifying key with the limits of its batches. */
export interface ProofKey {
  readonly keyId: string;
  readonly reference: KeyReference;
  readonly inputCount: number;
  /** Maximum number of proofs in a batch: the setting, or fewer if a slot holds fewer. */
  readonly maxBatch: number;
}

/** A queued or running proof. */
export interface ProofItem {
  /** The queue in which it waits or waited. */
  queue: ProofQueue;
  readonly queuedAtMs: number;
  readonly statement: Uint8Array;
  readonly source: ProofSource | undefined;
  readonly signal: Pick<AbortSignal, 'aborted'> | undefined;
  readonly receiver: VerdictReceiver;
  /** The index for the receiver. */
  readonly index: number;
}

/** A queued or running call. */
export interface CallItem {
  readonly bytes: Uint8Array;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: ServiceError) => void;
}

/** Proofs that run together. */
export interface ProofBatch {
  readonly kind: 'proofs';
  readonly queue: ProofQueue;
  readonly items: ProofItem[];
  /** Thread time for which a suspected source was charged, see `FairShareCredit`. */
  readonly expectedMs: number;
  /** Whether the proofs are checked one by one, not combined, since many are expected to be bad. */
  readonly separately: boolean;
}

/** Calls that run together. */
export interface CallBatch {
  readonly kind: 'calls';
  readonly queue: CallQueue;
  readonly items: CallItem[];
}

/** Items that run together. */
export type Batch = ProofBatch | CallBatch;

/** Queues that take turns among themselves: of all unsuspected sources, of the overflow, or of one suspected source. */
export class QueueGroup {
  /** Queues with waiting proofs, the next in turn first. */
  readonly turns: Set<ProofQueue> = new Set();
  readonly #queues = new Map<ProofKey, ProofQueue>();
  /** Undefined for unsuspected sources. */
  readonly suspect: SuspectedSource | undefined;
  readonly credit: FairShareCredit | undefined;
  /** Number of waiting proofs. */
  waiting = 0;

  constructor(suspect?: SuspectedSource, credit?: FairShareCredit) {
    this.suspect = suspect;
    this.credit = credit;
  }

  /** Returns the queue of a key; creates it on first use. */
  queueOf(key: ProofKey): ProofQueue {
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = new ProofQueue(key, this);
      this.#queues.set(key, queue);
    }
    return queue;
  }
}

/** Proofs that may share a batch: of one key and one group of sources. */
export class ProofQueue {
  readonly key: ProofKey;
  readonly group: QueueGroup;
  readonly waiting: Fifo<ProofItem> = new Fifo();

  constructor(key: ProofKey, group: QueueGroup) {
    this.key = key;
    this.group = group;
  }

  /** Text for logs. */
  get name(): string {
    return `verify ${this.key.keyId}`;
  }
}

/** Calls that may share a batch: of one operation with one key, width, depth or tag. */
export class CallQueue {
  /** Operation, key, width, depth and tag; also the text for logs. */
  readonly name: string;
  readonly operation: CallOperation;
  readonly waiting: Fifo<CallItem> = new Fifo();

  constructor(name: string, operation: CallOperation) {
    this.name = name;
    this.operation = operation;
  }
}

/** Refuses a proof without a verdict. Must be called at most once per proof. */
export function refuseProof({ receiver, index }: ProofItem, code: WorkRefusal): void {
  if (code === 'engine.cancelled' || code === 'engine.poison') receiver.verdict(index, refusal(code));
  else receiver.failed(index, new ServiceError(code));
}

/** Refuses the items of a batch, none of which has an answer. */
export function refuseBatch(batch: Batch, code: WorkRefusal): void {
  if (batch.kind === 'proofs') for (const item of batch.items) refuseProof(item, code);
  else for (const item of batch.items) item.reject(new ServiceError(code));
}
