import type { CoreVerdict, EngineCore } from '../facade/engine-core.ts';
import type { EngineStats } from '../facade/engine-options.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';
import { BatchQueue, type QueueLimits } from './batch-queue.ts';

/** Statements that `verifyMany` keeps in flight. */
const WINDOW = 256;

/** What the cores outside Node share: the keys, and the queue of the statements that wait. */
export abstract class QueuedCore<Key extends { readonly inputCount: number }> implements EngineCore {
  readonly window: number;
  protected readonly keys: Map<string, Key> = new Map();
  protected readonly queue: BatchQueue<Key>;

  constructor(limits: QueueLimits) {
    this.queue = new BatchQueue((key, statements) => this.check(key, statements), limits);
    this.window = Math.min(WINDOW, limits.maxQueue);
  }

  abstract addKey(keyId: string, key: Uint8Array, acceptsDegenerate: boolean): Promise<void>;
  abstract close(): Promise<void>;
  /** Checks a batch; its verdicts are in the order of the statements. */
  protected abstract check(key: Key, statements: readonly Uint8Array[]): Promise<readonly CoreVerdict[]>;

  inputCount(keyId: string): number | undefined {
    return this.keys.get(keyId)?.inputCount;
  }

  hasRoom(): boolean {
    return this.queue.hasRoom();
  }

  verify(keyId: string, statement: Uint8Array, signal: AbortSignal | undefined): Promise<CoreVerdict> {
    const key = this.keys.get(keyId);
    if (key === undefined)
      return Promise.reject(new ProofgateError('engine.key_unknown', 'no verifying key has this id'));
    return this.queue.add(key, statement, signal);
  }

  protected queueStats(): Pick<EngineStats, 'queueDepth' | 'running' | 'verified'> {
    const { depth, running, verified } = this.queue;
    return { queueDepth: depth, running, verified };
  }
}
