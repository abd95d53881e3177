import type { ProofSource } from '../engine.ts';
import { networkOf } from './suspected-sources.ts';

const MAX_OF_NETWORK = 32;
const MAX_OF_APP = 128;

/**
 * The window of the shared queues: how many proofs of each network and each app have joined them since their
 * last batch. While some source is suspected, proofs that exceed the window wait in the overflow, so that
 * sources not yet suspected cannot fill or break the batches of all others.
 */
export class SharedWindow {
  readonly #proofs = new Map<string, number>();

  /** Whether some of `count` more proofs of this source exceed the window. */
  isExceededBy(source: ProofSource, count: number): boolean {
    const ofNetwork = this.#proofs.get(networkOf(source.address)) ?? 0;
    const ofApp = this.#proofs.get(source.app) ?? 0;
    return ofNetwork + count > MAX_OF_NETWORK || ofApp + count > MAX_OF_APP;
  }

  /** Counts a proof. */
  add(source: ProofSource): void {
    for (const name of [networkOf(source.address), source.app]) {
      this.#proofs.set(name, (this.#proofs.get(name) ?? 0) + 1);
    }
  }

  /** Opens the next window. */
  reset(): void {
    if (this.#proofs.size > 0) this.#proofs.clear();
  }
}
