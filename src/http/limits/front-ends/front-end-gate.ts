import { Gate } from '../gate.ts';
import type { FrontEndConnections } from './front-end-counts.ts';

/** Limits and operations for the gate of a front end. */
export interface FrontEndGateParts {
  /** Largest number of open connections of all front ends: that of the gate of the main thread. */
  readonly maxOpen: number;
  readonly count: FrontEndConnections;
  /** A new connection was closed because its address has too many open. */
  readonly onRefused: () => void;
  /** The main thread has to call `ConnectionGate.onReached`. */
  readonly onReached: () => void;
}

/**
 * Gate of a front end that is a thread: it counts its connections for the gate of the main thread, which listens, counts
 * them by address and stops listening.
 */
export class FrontEndGate extends Gate {
  readonly #parts: FrontEndGateParts;
  protected overLimit: ReadonlySet<string> = new Set();

  constructor(parts: FrontEndGateParts) {
    super(parts.maxOpen, parts.count);
    this.#parts = parts;
  }

  get open(): number {
    return this.#parts.count.own;
  }

  /** Replaces the addresses with too many connections by those of `GateParts.onOverLimit` of the main thread. */
  setOverLimit(addressKeys: readonly string[]): void {
    this.overLimit = new Set(addressKeys);
  }

  protected onRefused(): void {
    this.#parts.onRefused();
  }

  protected onReached(): void {
    this.#parts.onReached();
  }

  /** Does nothing: the main thread listens. */
  close(): void {}
}
